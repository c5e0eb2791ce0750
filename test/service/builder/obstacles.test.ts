/** A page that is shown instead of the content is neither built nor returned by a run, whatever could be read from it. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${body}</main></html>`;
const links = (...names: string[]) =>
  `<ul>${names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')}</ul>`;
const missing = page(
  'Page not found',
  `<p>Sorry, the page you are looking for does not exist or has been moved.</p>${links('Shop', 'News', 'Help')}`,
);
const wall = page(
  'We value your privacy',
  `<div><p>We and our partners store cookies. Accept to continue.</p>${links('Partners', 'Purposes', 'Cookies')}<button>Accept all</button></div>`,
);

it.each([
  ['an error page', missing, 'error page'],
  ['a wall that asks for consent', wall, 'consent'],
])('%s is not built', async (_, body, reason) => {
  const { build, preview } = await serve(() => body);
  const expected = { errorType: 'NO_DATA_FOUND', message: expect.stringContaining(reason) };
  expect(await build('/', 'List links with name')).toMatchObject({ built: false, ...expected });
  expect(await preview('/')).toMatchObject({ ok: false, ...expected });
});

it('a list that was replaced by an error page gives no rows of its menu', async () => {
  let body = page('Boats', links('Ada', 'Grace', 'Edith', 'Mary'));
  const { build, run } = await serve(() => body);
  const outcome = await build('/', 'List boats with name');
  expect(await run(outcome, {})).toMatchObject({ count: 4 });
  body = missing;
  await expect(run(outcome, {})).rejects.toMatchObject({ code: 'SITE_CHANGED' });
});

it.each([
  ['Room 404', '<p>A quiet room on the fourth floor.</p>'],
  ['Fiat 500', '<p>Red, one owner.</p>'],
])('%s with a list is built', async (title, text) => {
  const { build } = await serve(() => page(title, `${text}${links('Photos', 'Prices', 'Contact')}`));
  expect(await build('/', 'List links with name')).toMatchObject({ built: true });
});
