/** The values of a page about one thing: each ends at the next label, and all values of a label are kept. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

async function read(main: string, goal: string) {
  const { build, run } = await serve(
    () => `<!doctype html><html lang="en"><title>Freya</title><main><h1>Freya</h1>${main}</main></html>`,
  );
  return run(await build('/', goal), {});
}

it.each([
  [
    'a list of definitions',
    '<div><dl><dt>Length</dt><dd>7.5 m</dd><dt>Built</dt><dd>1998</dd><dt>Owner</dt><dd>Ann</dd></dl></div>',
  ],
  ['bold labels before texts', '<p><b>Length</b> 7.5 m <b>Built</b> 1998 <b>Owner</b> Ann</p>'],
  [
    'spans by turns',
    '<div><span class="l">Length</span> <i>7.5 m</i> <span class="l">Built</span> <i>1998</i> <span class="l">Owner</span> <i>Ann</i></div>',
  ],
  [
    'headings by turns',
    '<div><h4>Length</h4><p>7.5 m</p><h4>Built</h4><p>1998</p><h4>Owner</h4><p>Ann</p></div>',
  ],
  [
    'a row of headers and cells',
    '<table><tr><th>Length</th><td>7.5 m</td><th>Built</th><td>1998</td><th>Owner</th><td>Ann</td></tr></table>',
  ],
])('the value of a label ends at the next one: %s', async (_, main) => {
  expect(await read(main, 'Give length, built, owner')).toMatchObject({
    length: 7.5,
    length_unit: 'm',
    built: 1998,
    owner: 'Ann',
  });
});

it.each([
  [
    'two definitions',
    '<dl><dt>Length</dt><dd>7.5 m</dd><dt>Owners</dt><dd>Ann</dd><dd>Bert</dd><dt>Built</dt><dd>1998</dd></dl>',
    ['Ann', 'Bert'],
  ],
  [
    'two definitions at the end',
    '<dl><dt>Length</dt><dd>7.5 m</dd><dt>Built</dt><dd>1998</dd><dt>Owners</dt><dd>Ann</dd><dd>Bert</dd></dl>',
    ['Ann', 'Bert'],
  ],
  [
    'two cells of a row',
    '<table><tr><th>Length</th><td>7.5 m</td></tr><tr><th>Owners</th><td>Ann</td><td>Bert</td></tr><tr><th>Built</th><td>1998</td></tr></table>',
    ['Ann', 'Bert'],
  ],
  [
    'two links',
    '<div><b>Length:</b> <a href="/l">7.5 m</a> <b>Owners:</b> <a href="/a">Ann</a>, <a href="/b">Bert</a> <b>Built:</b> <a href="/y">1998</a></div>',
    'Ann, Bert',
  ],
])('all values of a label are kept: %s', async (_, main, owners) => {
  expect(await read(main, 'Give length, owners, built')).toMatchObject({ length: 7.5, owners, built: 1998 });
});

it.each([
  ['a title inside of it', (name: string, short: string) => `<th><abbr title="${name}">${short}</abbr>`],
  ['its title', (name: string, short: string) => `<th title="${name}">${short}`],
  [
    'its label for those who hear the page',
    (name: string, short: string) => `<th aria-label="${name}">${short}`,
  ],
  [
    'such a label inside of it',
    (name: string, short: string) => `<th><span aria-label="${name}">${short}</span>`,
  ],
])('a goal may name a column by %s', async (_, head) => {
  const heads = [
    ['Club', 'Club'],
    ['Gespeeld', 'G'],
    ['Gewonnen', 'W'],
    ['Punten', 'Pnt'],
  ].map(([name = '', short = '']) => head(name, short));
  const rows = ['Ajax', 'Twente', 'Sparta'].map(
    (club, at) => `<tr><td>${club}<td>${10 + at}<td>${7 - at}<td>${21 - 3 * at}`,
  );
  const { build } = await serve(() => `<h1>Stand</h1><table><tr>${heads.join('')}${rows.join('')}</table>`);
  expect(await build('/', 'Stand: club, gespeeld, gewonnen, punten')).toMatchObject({
    sample: [{ club: 'Ajax', gespeeld: 10, gewonnen: 7, punten: 21 }, {}, {}],
  });
});
