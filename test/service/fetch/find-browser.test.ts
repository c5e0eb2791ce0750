import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBrowser } from '../../../src/service/fetch/find-browser.ts';
import { temporaryFolder } from '../../support/gateway.ts';

async function install(...names: string[]) {
  const folder = await temporaryFolder();
  for (const name of names) await writeFile(join(folder, name), '#!/bin/sh\n', { mode: 0o700 });
  return (name: string) => join(folder, name);
}

it('a browser without windows is taken for pages, and another one for windows', async () => {
  const at = await install('chromium', 'chromium-headless-shell');
  expect(findBrowser('auto', { PATH: at('') }, 'linux')).toEqual({
    kind: 'installed',
    path: at('chromium-headless-shell'),
    windowPath: at('chromium'),
  });
});

it('the browser that is named is taken for both, unless it has no windows', async () => {
  const at = await install('chromium', 'chrome-headless-shell');
  const path = at('chromium');
  expect(findBrowser(path)).toEqual({ kind: 'installed', path, windowPath: path });
  expect(findBrowser(at('chrome-headless-shell'))).toMatchObject({
    kind: 'installed',
    windowPath: undefined,
  });
});

it('a named file that cannot be run is reported', async () => {
  const path = (await install())('missing');
  expect(findBrowser(path)).toEqual({ kind: 'none', reason: 'not-executable', path });
});
