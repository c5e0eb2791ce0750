/** Goals that are not clear, and what a caller chooses of a page. */
import { describe, expect, it } from 'vitest';
import type { PreviewOutcome } from '../../../src/service/foundation/ports.ts';
import { readPage, serve } from './serve-pages.ts';

const goal = 'List all boats with name and price';
const boats = readPage('pages/boats.html');

it.each(['List all boats with owner and price', 'Boats: name, colour', 'Show me the boats'])(
  'a goal that the page does not clearly meet needs a choice: %s',
  async (asked) => {
    const { build } = await serve(() => boats);
    const outcome = await build('/', asked);
    expect(outcome).toMatchObject({
      built: false,
      errorType: 'CHOICE_NEEDED',
      candidates: [
        { rows: 4, columns: expect.arrayContaining([expect.objectContaining({ kind: 'text' })]) },
        {},
      ],
      choose: { candidate: expect.any(String) },
    });
  },
);

it('the best guess of a build that needs a choice builds as it is', async () => {
  const { build, run } = await serve(() => boats);
  const outcome = await build('/', 'List all boats with name, price and engine power');
  if (outcome.built || outcome.choose === undefined) throw new Error('no guess');
  const built = await build('/', goal, outcome.choose);
  expect(built).toMatchObject({ built: true, sample: [{ name: 'Albatross', price: 10 }, {}, {}] });
  expect(await run(built, {})).toMatchObject({ count: 4 });
});

describe('a choice', () => {
  const page = readPage('pages/cases-with-number-and-parties-in-one-line.html');
  const wholeOf = async (origin: { preview: (path: string) => Promise<PreviewOutcome> }) => {
    const preview = await origin.preview('/');
    if (!preview.ok) throw new Error(preview.message);
    for (const candidate of preview.candidates) {
      const column = candidate.columns.find(({ samples }) => samples[0]?.startsWith('14-1629:'));
      if (column !== undefined && candidate.rows === 4) return { candidate, column };
    }
    throw new Error('no such column');
  };

  it('takes a part of a text by a pattern, and texts in a longer text are offered as parts', async () => {
    const site = await serve(() => page);
    const { candidate, column } = await wholeOf(site);
    const parts = candidate.columns.filter(({ part_of }) => part_of === column.id);
    expect(parts.map(({ samples }) => samples[0])).toEqual(
      expect.arrayContaining(['14-1629', 'Dune v. Harbour Board']),
    );
    const detail = await site.preview('/', candidate.id);
    const [whole] = detail.ok ? detail.candidates : [];
    const patterns = whole?.columns.filter(({ part_of }) => part_of === column.id).map(({ match }) => match);
    expect(patterns?.every((match) => match !== undefined)).toBe(true);
    const built = await site.build('/', 'Cases', {
      candidate: candidate.id,
      fields: { party: { column: column.id, match: '^\\S+: (.*) v\\.' } },
    });
    expect(built).toMatchObject({ built: true, sample: [{ party: 'Dune' }, {}, {}] });
  });

  it.each([
    ['another candidate', { candidate: 't9', fields: { name: 'c1' } }, 'no candidate t9'],
    ['another column', { candidate: 'r1', fields: { name: 'c99' } }, 'no column c99'],
    ['no field', { candidate: 'r1', fields: {} }, 'needs 1 to'],
    [
      'a pattern with a backreference',
      { candidate: 'r1', fields: { name: { column: 'c1', match: '(a)\\1' } } },
      'RE2',
    ],
    [
      'a pattern that matches nothing',
      { candidate: 'r1', fields: { name: { column: 'c1', match: 'zzz' } } },
      'matches none',
    ],
  ])('that names %s is told what is wrong', async (_, choose, message) => {
    const { build, preview } = await serve(() => page);
    expect(await preview('/', undefined, choose)).toMatchObject({
      ok: false,
      errorType: 'CHOICE_NEEDED',
      message: expect.stringContaining(message),
    });
    expect(await build('/', 'Cases', choose)).toMatchObject({
      built: false,
      errorType: 'CHOICE_NEEDED',
      message: expect.stringContaining(message),
    });
  });

  it('keeps the fields that are right, and names all that are wrong', async () => {
    const site = await serve(() => page);
    const { candidate, column } = await wholeOf(site);
    const right = { party: { column: column.id, match: '^\\S+: (.*) v\\.' } };
    const wrong = { judge: 'c99', court: { column: column.id, match: 'zzz' }, 'a b': column.id };
    const outcome = await site.build('/', 'Cases', {
      ...{ candidate: candidate.id, params: ['max_pages'] },
      fields: { ...wrong, ...right },
    });
    expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
    if (outcome.built) return;
    expect(outcome.choose).toEqual({ candidate: candidate.id, params: ['max_pages'], fields: right });
    for (const name of Object.keys(wrong)) expect(outcome.message).toContain(name);
    expect(outcome.message).toMatch(/\. Choose a candidate/);
    expect(await site.build('/', 'Cases', outcome.choose)).toMatchObject({ built: true });
  });

  it('of a candidate that the page does not have is guessed by the names of its fields', async () => {
    const site = await serve(() => boats);
    const choose = { candidate: 't9', fields: { name: 'c1', price: 'c7', owner: 'c8' } };
    const outcome = await site.build('/', 'Cases', choose);
    if (outcome.built || outcome.choose === undefined) throw new Error('no guess');
    expect(Object.keys(outcome.choose.fields).sort()).toEqual(['name', 'price']);
    expect(await site.build('/', 'Cases', outcome.choose)).toMatchObject({
      sample: [{ name: 'Albatross', price: 10 }, {}, {}],
    });
  });

  it('is looked for on the page as it is now', async () => {
    const site = await serve((_, times) => (times === 1 ? page : readPage('sites/nothing.html')));
    const { candidate, column } = await wholeOf(site);
    const choose = { candidate: candidate.id, fields: { text: column.id } };
    expect(await site.build('/', 'Cases', choose)).toMatchObject({
      built: false,
      errorType: 'NO_DATA_FOUND',
    });
  });

  it('may have a pattern over which a backtracking engine would never end', async () => {
    const site = await serve(() => readPage('sites/cases-with-a-long-run-of-letters.html'));
    const preview = await site.preview('/');
    const first = preview.ok ? preview.candidates.find(({ rows }) => rows === 4) : undefined;
    const column = first?.columns.find(({ samples }) => samples[0]?.includes('aaaa'))?.id ?? '';
    const fields = { end: { column, match: ' (?:a+)+(!)$' }, start: { column, match: ' ((?:a+)+)$' } };
    const choose = { candidate: first?.id ?? '', fields: { start: fields.start } };
    expect(await site.build('/', 'Cases', choose)).toMatchObject({
      built: true,
      sample: [{ start: 'a'.repeat(300) }, {}, {}],
    });
    expect(await site.build('/', 'Cases', { ...choose, fields: { end: fields.end } })).toMatchObject({
      built: false,
      message: expect.stringContaining('matches none'),
    });
  });
});

describe('a name that asks for a kind', () => {
  const lamps = [...'ABCD'].map(
    (letter, index) =>
      `<li><h3><a href="/${letter}">Lamp ${letter}</a></h3><b class="price">${index + 1}.50 €</b> <i class="x">of ${letter} wood</i></li>`,
  );
  const page = `<ul>${lamps.join('')}</ul>`;
  const idOf = async (site: Awaited<ReturnType<typeof serve>>, sample: string) => {
    const shown = await site.preview('/', 'r1');
    const columns = shown.ok ? (shown.candidates[0]?.columns ?? []) : [];
    return columns.find(({ samples }) => samples[0]?.endsWith(sample))?.id ?? '';
  };

  it.each([
    ['price', 'Lamp A', '1.5'],
    ['link', '1.5', '/A'],
    ['pdf_link', 'Lamp A', '/A'],
    ['title', '1.5', 'Lamp A'],
  ])('%s is not taken from %s where another column fits', async (name, wrong, right) => {
    const site = await serve(() => page);
    const fields = { [name]: await idOf(site, wrong) };
    const outcome = await site.build('/', 'Lamps', { candidate: 'r1', fields });
    expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
    if (!outcome.built)
      expect(outcome.message).toContain(
        `${await idOf(site, right)} (${right === '/A' ? 'url' : right === '1.5' ? 'number' : 'text'})`,
      );
    expect(await site.preview('/', undefined, { candidate: 'r1', fields })).toMatchObject({ ok: false });
  });

  it.each([
    ['link', '7', 'number'],
    ['photo', '7', 'number'],
    ['date', 'red', 'text'],
    ['price', 'red', 'text'],
  ])('%s is not taken from %s where no column fits, which is said', async (name, wrong, kind) => {
    const rows = ['red', 'blue', 'green'].map(
      (colour, at) => `<tr><td>${colour}</td><td>${at + 7}</td></tr>`,
    );
    const numbers = `<table><tr><th>Colour</th><th>Count</th></tr>${rows.join('')}</table>`;
    const site = await serve(() => (name === 'price' ? numbers.replaceAll(/<td>\d+/g, '<td>some') : numbers));
    const outcome = await site.build('/', 'Colours', {
      candidate: 't1',
      fields: { [name]: wrong === 'red' ? 'c1' : 'c2' },
    });
    expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
    if (!outcome.built) {
      expect(outcome.message).toContain(`holds values of kind ${kind}, such as "${wrong}"`);
      expect(outcome.message).toContain('no column of the candidate fits: give the field another name');
    }
  });

  it('texts that the page calls prices, and years, may be taken', async () => {
    const rows = ['free', 'on request', 'free', 'by mail'].map(
      (price, at) => `<tr><td>Tour ${at}</td><td>${price}</td><td>${2020 + at}</td></tr>`,
    );
    const site = await serve(
      () => `<table><tr><th>Tour</th><th>Price</th><th>Year</th></tr>${rows.join('')}</table>`,
    );
    const fields = { tour: 'c1', price: 'c2', published: 'c3' };
    expect(await site.build('/', 'Tours', { candidate: 't1', fields })).toMatchObject({ built: true });
  });

  it.each([
    ['price_note', 'Lamp A'],
    ['wood', 'A wood'],
    ['link_text', 'Lamp A'],
  ])('%s may be taken from %s', async (name, column) => {
    const site = await serve(() => page);
    const fields = { [name]: await idOf(site, column) };
    expect(await site.build('/', 'Lamps', { candidate: 'r1', fields })).toMatchObject({ built: true });
  });
});

it('a preview of a goal says what the goal seems to mean, and what nothing means', async () => {
  const { previewGoal } = await serve(() => boats);
  expect(await previewGoal('/', 'List all boats with name, price and engine power')).toMatchObject({
    ok: true,
    guess: { candidate: expect.any(String), fields: { name: expect.any(String), price: expect.any(String) } },
    unmatched: ['engine_power'],
  });
  expect(await previewGoal('/', goal)).not.toHaveProperty('unmatched');
});

it('a preview of a goal says which order of it no action makes', async () => {
  const { previewGoal } = await serve(() => boats);
  expect(await previewGoal('/', 'The cheapest boats with name and price')).toMatchObject({
    unsorted: 'The cheapest',
  });
  expect(await previewGoal('/', goal)).not.toHaveProperty('unsorted');
});
