/** Catalog files in a real directory: read, watched, and named with line and column where they are wrong. */

import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCatalogSource } from '../../../src/service/catalog/source.ts';
import type { CatalogSource } from '../../../src/service/foundation/ports.ts';

let directory: string;
let source: CatalogSource | undefined;
const logged: string[] = [];
const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(line) });

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'catalogs-')), 'catalogs');
  await mkdir(directory);
  logged.length = 0;
});
afterEach(async () => {
  await source?.close();
  await rm(dirname(directory), { recursive: true, force: true });
});

async function open(): Promise<CatalogSource> {
  source = await createCatalogSource({ directory, logger });
  return source;
}

const catalog = (slug: string, changes: { name?: string; action_id?: string; selector?: string } = {}) => ({
  slug,
  name: changes.name ?? `Site ${slug}`,
  url: `https://${slug}.example/`,
  category: 'test',
  description: 'A test site',
  actions: [
    {
      action_id: changes.action_id ?? `${slug}_list`,
      name: 'List',
      credits_per_call: 1,
      parameters: { type: 'object', properties: { q: { type: 'string' } } },
      recipe: {
        request: { url: `https://${slug}.example/`, query: { q: '{q}' } },
        extract: { kind: 'html', list: 'li', fields: { title: changes.selector ?? 'a' } },
      },
    },
  ],
});
const put = (name: string, content: unknown) =>
  writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
const catalogs = () => source?.current().flatMap(({ catalog }) => catalog ?? []) ?? [];
const slugs = () => catalogs().map(({ slug }) => slug);
const versionOf = (slug: string) => catalogs().find((each) => each.slug === slug)?.actions[0]?.wheel_version;

describe('catalog files', () => {
  it('are catalogs beside the shipped ones, with defaults filled in', async () => {
    await put('b.json', catalog('b'));
    await put('a.json', catalog('a'));
    await put('notes.txt', 'not a catalog');
    await put('.hidden.json', 'not a catalog');
    await open();
    expect(slugs().slice(-2)).toEqual(['a', 'b']);
    expect(
      source
        ?.current()
        .map(({ source }) => source)
        .slice(-2),
    ).toEqual(['file:catalogs/a.json', 'file:catalogs/b.json']);
    expect(catalogs().at(-1)).toMatchObject({
      slug: 'b',
      logo_url: 'https://b.example/favicon.ico',
      auth_types: [],
      auth_login_url: null,
      actions: [{ mode: 'async', auth_mode: 'none', tags: [], type: 'scrape', description: null }],
    });
    expect(source?.problems()).toEqual([]);
  });

  it('make their directory where there is none', async () => {
    await rm(directory, { recursive: true });
    await open();
    await put('a.json', catalog('a'));
    await expect.poll(() => slugs()).toContain('a');
  });

  it('have a version that follows the content and nothing else', async () => {
    await put('a.json', catalog('a'));
    await open();
    const first = versionOf('a');
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    const heard = vi.fn();
    const stop = source?.onChange(heard);
    await put('a.json', JSON.stringify(catalog('a')));
    await put('b.json', catalog('b'));
    await expect.poll(() => slugs()).toContain('b');
    expect(versionOf('a')).toBe(first);
    await put('a.json', catalog('a', { selector: 'h2' }));
    await expect.poll(() => versionOf('a')).not.toBe(first);
    expect(heard.mock.calls.length).toBeGreaterThanOrEqual(2);
    stop?.();
    const calls = heard.mock.calls.length;
    await rm(join(directory, 'b.json'));
    await expect.poll(() => slugs()).not.toContain('b');
    expect(heard.mock.calls.length).toBe(calls);
  });

  it('are picked up when an editor replaces them', async () => {
    await put('a.json', catalog('a'));
    await open();
    await put('a.json.tmp', catalog('a', { name: 'Renamed' }));
    await rename(join(directory, 'a.json.tmp'), join(directory, 'a.json'));
    await expect.poll(() => catalogs().at(-1)?.name).toBe('Renamed');
  });
});

describe('a wrong file', () => {
  const lines = (...text: string[]) => text.join('\n');
  const good = JSON.stringify(catalog('w'), null, 2);

  it.each([
    ['broken JSON', lines('{', '  "slug": "w",', '  "name" "W"', '}'), 3, 10, /not valid JSON/],
    ['a text that ends early', lines('{', '  "slug": "w",'), 2, 14, /not valid JSON/],
    ['an empty file', '', 1, 1, /not valid JSON/],
    ['a comment', lines('{', '  // hello', '}'), 2, 3, /not valid JSON/],
    ['no object', '[]', 1, 1, /object/i],
    ['a wrong slug', good.replace('"slug": "w"', '"slug": "../W"'), 2, 3, /^slug: must be small letters/],
    ['an unknown member', good.replace('"category"', '"catgeory"'), 5, 3, /^catgeory: is not a known member/],
    [
      'a wrong type',
      good.replace('"credits_per_call": 1', '"credits_per_call": "one"'),
      11,
      7,
      /^actions\.0\.credits_per_call/,
    ],
    [
      'a recipe with a typo',
      good.replace('"list": "li"', '"lst": "li"'),
      29,
      11,
      /lst: is not a known member/,
    ],
    [
      'a wrong field of a recipe',
      good.replace('"title": "a"', '"title": {"select": "a", "typo": 1}'),
      31,
      38,
      /typo/,
    ],
    ...['"times": 0.05', '"count": {"i": 1}'].map((option): [string, string, number, number, RegExp] => [
      `an option of earlier versions, ${option}`,
      good.replace('"title": "a"', `"title": {"select": "a", ${option}}`),
      31,
      38,
      new RegExp(`recipe\\.extract\\.fields\\.title\\.${option.slice(1, 6)}: is not a known member`),
    ]),
    [
      'an option of earlier versions, "scroll"',
      good.replace('"extract":', '"render": {"scroll": 2}, "extract":'),
      27,
      20,
      /recipe\.render\.scroll: is not a known member/,
    ],
    [
      'an option of earlier versions, "session_path"',
      good.replace(
        '"extract":',
        '"details": {"url": "{url}", "session_path": "/a", "extract": {"kind": "article"}}, "extract":',
      ),
      27,
      37,
      /recipe\.details\.session_path: is not a known member/,
    ],
    [
      'a placeholder nobody fills',
      good.replace('"{q}"', '"{question}"'),
      21,
      9,
      /\{question\} is not a parameter/,
    ],
    [
      'a placeholder in the host',
      good.replace(
        '"url": "https://w.example/",\n          "query"',
        '"url": "https://{q}/",\n          "query"',
      ),
      22,
      11,
      /no placeholder, user name or password in the host/,
    ],
    [
      'a password in the address',
      good.replace(
        '"url": "https://w.example/",\n          "query"',
        '"url": "https://me:hunter2@w.example/",\n          "query"',
      ),
      22,
      11,
      /no placeholder, user name or password in the host/,
    ],
    [
      'a required param that does not exist',
      good.replace('"type": "object",', '"type": "object", "required": ["x"],'),
      13,
      27,
      /x is not a property/,
    ],
    [
      'a login without its credential type',
      good.replace('"category": "test"', '"category": "test", "auth_types": ["credentials"]'),
      5,
      23,
      /if, and only if, the catalog has a "login"/,
    ],
    [
      'a selector that is none',
      good.replace('"list": "li"', '"list": "li[["'),
      29,
      11,
      /list: is not a CSS selector/,
    ],
    [
      'a path that is none',
      good.replace('"kind": "html"', '"kind": "json"').replace('"a"', '"]["'),
      31,
      13,
      /title: is not a JMESPath expression/,
    ],
    [
      'a pattern that is none',
      good.replace('"title": "a"', '"title": {"match": "("}'),
      31,
      23,
      /not a regular expression/,
    ],
  ])(
    'with %s is named with its line and column, and stops nothing else',
    async (_name, text, line, column, reason) => {
      await put('w.json', text);
      await put('x.json', catalog('x'));
      await open();
      expect(slugs()).toContain('x');
      expect(slugs()).not.toContain('w');
      expect(source?.problems()).toEqual([
        {
          source: 'file:catalogs/w.json',
          file: 'w.json',
          line,
          column,
          reason: expect.stringMatching(reason),
        },
      ]);
      expect(logged.join('')).toContain(`w.json:${line}:${column} is not used`);
    },
  );

  it('is there, but without a catalog, until it is right again or gone', async () => {
    await put('a.json', catalog('a'));
    await open();
    const last = () => source?.current().at(-1);
    await put('a.json', '{"slug": ');
    await expect.poll(() => source?.problems()).toHaveLength(1);
    expect(last()).toEqual({ source: 'file:catalogs/a.json', catalog: undefined });
    await put('a.json', catalog('a', { name: 'Right' }));
    await expect.poll(() => source?.problems()).toEqual([]);
    expect(last()?.catalog?.name).toBe('Right');
    await put('a.json', '{"slug": ');
    await expect.poll(() => source?.problems()).toHaveLength(1);
    await rm(join(directory, 'a.json'));
    await expect.poll(() => last()?.source).not.toBe('file:catalogs/a.json');
    expect(source?.problems()).toEqual([]);
  });

  it('may also be a directory or far too large', async () => {
    await mkdir(join(directory, 'd.json'));
    await put('large.json', `"${'x'.repeat(5 * 1024 * 1024)}"`);
    await put('x.json', catalog('x'));
    await open();
    expect(slugs()).toContain('x');
    expect(source?.problems().map(({ file, reason }) => [file, reason.split(':')[0]])).toEqual([
      ['d.json', 'cannot be read'],
      ['large.json', 'cannot be read'],
    ]);
  });
});
