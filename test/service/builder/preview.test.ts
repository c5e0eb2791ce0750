/** What a page offers, before anything is paid. */
import { describe, expect, it, vi } from 'vitest';
import type { PreviewOutcome } from '../../../src/service/foundation/ports.ts';
import { startWebServer } from '../../support/web-server.ts';
import { closers, readPage, serve, toolsFor } from './serve-pages.ts';

const boats = readPage('pages/boats.html');
const names = ['Albatross', 'Barnacle', 'Cormorant', 'Dunlin'];

it('a preview of a choice shows the rows that it gives, and of the candidates only the chosen one', async () => {
  const { preview } = await serve(() => boats);
  const choose = { candidate: 'r1', fields: { boat: 'c1', initial: { column: 'c1', match: '^(\\S)' } } };
  const shown = await preview('/', undefined, choose);
  expect(shown.ok && shown.candidates.map(({ id }) => id)).toEqual(['r1']);
  expect(shown.ok && shown.sample).toEqual(
    names.slice(0, 3).map((name) => ({ boat: name, initial: name[0] })),
  );
  const without = await preview('/');
  expect(without.ok && without.sample).toBeUndefined();
  expect(without.ok && without.candidates.length).toBeGreaterThan(1);
});

it('a preview of a choice shows the first rows that have something of it', async () => {
  const rows = [...'ABCDEFGH'].map(
    (letter, at) =>
      `<li class="boat"><h3><a href="/${letter}">Boat ${letter}</a></h3><p class="size">${at + 5} m</p>${at < 4 ? '' : `<i class="note">Note ${letter}</i>`}</li>`,
  );
  const { preview } = await serve(() => `<ul>${rows.join('\n')}</ul>`);
  const shown = await preview('/');
  const column = shown.ok && shown.candidates[0]?.columns.find(({ label }) => label === 'note');
  if (!column) throw new Error('no notes');
  expect(await preview('/', undefined, { candidate: 'r1', fields: { note: column.id } })).toMatchObject({
    sample: ['E', 'F', 'G'].map((letter) => ({ note: `Note ${letter}` })),
  });
});

it('a page is kept for 15 minutes for the choice, by the address that was previewed', async () => {
  let fetched = 0;
  const { preview } = await serve(() => {
    fetched += 1;
    return boats;
  });
  const monotonic = performance.now.bind(performance);
  let minutes = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + minutes * 60_000);
  try {
    await preview('/');
    minutes = 14;
    await preview('/', 'r1');
    expect(fetched).toBe(1);
    minutes = 16;
    // A clock that is set back keeps no page.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    expect(await preview('/', 'r1')).toMatchObject({ ok: true });
    expect(fetched).toBe(2);
  } finally {
    vi.useRealTimers();
    clock.mockRestore();
  }
});

it('a preview looks again at a page that showed nothing the first time', async () => {
  const { preview } = await serve((_, times) => (times === 1 ? readPage('sites/nothing.html') : boats));
  expect(await preview('/')).toMatchObject({ ok: false, errorType: 'NO_DATA_FOUND' });
  expect(await preview('/')).toMatchObject({ ok: true });
});

it('a preview of a file says which types are read', async () => {
  const server = await startWebServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/calendar; charset=utf-8' }).end('BEGIN:VCALENDAR\n');
  });
  closers.push(() => server.close());
  expect(await toolsFor(server.origin).preview('/')).toMatchObject({
    errorType: 'NO_DATA_FOUND',
    message: 'The address gives text/calendar, and builds read HTML, feeds, JSON, XML and CSV.',
  });
});

it('a preview shows at most five candidates in 4,000 characters, and all columns of one', async () => {
  const { preview } = await serve(() => readPage('sites/boats-below-a-wide-table.html'));
  // The address and the title count as well.
  const { shown: _, ...overview } = { shown: [], ...(await preview(`/?${'a'.repeat(1_500)}`)) };
  expect(overview).toMatchObject({ ok: true, page: { title: 'Boats' } });
  expect(JSON.stringify(overview).length).toBeLessThanOrEqual(4_000);
  if (!overview.ok) return;
  expect(overview.candidates.length).toBeLessThanOrEqual(5);
  for (const { samples } of overview.candidates.flatMap(({ columns }) => columns)) {
    expect(samples.length).toBeLessThanOrEqual(2);
    for (const sample of samples) expect(sample.length).toBeLessThanOrEqual(60);
  }
  const [first] = overview.candidates;
  expect(first?.more_columns).toBeGreaterThan(0);
  const detail = await preview('/', first?.id);
  expect(detail.ok && detail.candidates[0]?.columns.length).toBeGreaterThanOrEqual(30);
});

describe('the feed that a page names', () => {
  const site = (feed: string | number = readPage('sites/feed-of-posts.xml')) =>
    serve((path) => (path === '/feed.xml' ? feed : readPage('sites/posts-with-a-feed.html')));
  const idsOf = (outcome: PreviewOutcome) => (outcome.ok ? outcome.candidates.map(({ id }) => id) : []);

  it('is a candidate beside those of the page, and an action for it reads the feed', async () => {
    const { preview, build, server } = await site();
    expect(idsOf(await preview('/'))).toEqual(expect.arrayContaining(['r1', 'f1']));
    const detail = await preview('/', 'f1');
    expect(idsOf(detail)).toEqual(['f1']);
    const column = detail.ok
      ? detail.candidates[0]?.columns.find(({ samples }) => samples[0] === 'The new crane')
      : undefined;
    const choose = { candidate: 'f1', fields: { headline: column?.id ?? '' } };
    expect(await build('/', 'News', choose)).toMatchObject({
      built: true,
      action: { recipe: { request: { url: `${server.origin}/feed.xml` } } },
      sample: [{ headline: 'The new crane' }, {}, {}],
    });
    // The page is kept as it was.
    expect(idsOf(await preview('/', 'r1'))).toEqual(['r1']);
  });

  it('is taken without a choice where only it clearly meets the goal', async () => {
    const { build } = await site();
    expect(await build('/', 'List all posts with title and date published')).toMatchObject({
      built: true,
      sample: [{ title: 'The new crane', date_published: expect.stringContaining('2024-05-03') }, {}, {}],
    });
  });

  it('changes nothing where it cannot be read', async () => {
    for (const feed of [404, '<html>none', '{"a": 1}']) {
      const { preview } = await site(feed);
      expect(idsOf(await preview('/'))).toContain('r1');
    }
  });
});

it('a sitemap offers its addresses with their dates, and an action for it gives them', async () => {
  const entries = ['one', 'two', 'three'].map(
    (name, day) => `<url><loc>https://x.example/${name}</loc><lastmod>2024-09-0${day + 1}</lastmod></url>`,
  );
  const { build, run } = await serve(
    () =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`,
  );
  const choose = { candidate: 'j1', fields: { url: 'c1', changed: 'c2' } };
  const built = await build('/sitemap.xml', 'List all pages', choose);
  expect(await run(built, {})).toMatchObject({
    items: [
      { url: 'https://x.example/one', changed: '2024-09-01' },
      { url: 'https://x.example/two' },
      { url: 'https://x.example/three' },
    ],
    has_more: false,
  });
});
