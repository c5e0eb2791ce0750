/** Pages and recipes that could stall or exhaust the process: a clean failure in time, and the event loop stays free. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import {
  createPageProcesses,
  type PageProcesses,
  type ParsePool,
} from '../../../src/service/recipes/page-pool.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { longestStall } from '../../support/stalls.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const deep = '<div>'.repeat(20_000);
const pages: Readonly<Record<string, string>> = {
  '/deep': `<p>top</p>${deep}bottom`,
  '/deep-list': `<ul>${'<li><ul>'.repeat(20_000)}</ul>`,
  '/deep-json': `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  '/many-rows': JSON.stringify(Array.from({ length: 400_000 }, () => ({ a: 1 }))),
  '/wide': '<p>x</p>'.repeat(200_000),
  '/nested': '<div><p></p>'.repeat(400),
  '/repeats': `${'<div>'.repeat(900)}${'x'.repeat(20_000)}`,
  '/text': `<p>${'a'.repeat(40)}!</p>`,
  '/entities': `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "${'x'.repeat(1000)}">${Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY ${'bcdefghij'[index]} "${`&${'abcdefghi'[index]};`.repeat(10)}">`,
  ).join('')}]><rss version="2.0"><channel><title>&j;</title><item><title>&j;</title></item></channel></rss>`,
  '/spaces-in-script': `<script>x${' '.repeat(500_000)}y</script>`,
  '/quotes-in-script': `<script>{"${'\\"'.repeat(500_000)}</script>`,
  '/as-deep-as-real': `${'<div>'.repeat(800)}<b>800</b>`,
  '/fine': '<p>fine</p>',
};

let server: WebServer;
let fetcher: Fetcher;
let pool: PageProcesses;
let runner: RecipeRunner;
/** With time enough on any machine to come to its other limits. */
let patientFetcher: Fetcher;
let patientPool: PageProcesses;
let patient: RecipeRunner;

beforeAll(async () => {
  server = await startWebServer(({ path }, response) => {
    const page = pages[path];
    if (path === '/endless') {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('<p>more</p>'), 5);
      response.on('close', () => clearInterval(timer));
    } else if (path === '/bomb') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      const write = () => {
        while (gzip.write(Buffer.alloc(1024 * 1024))) {}
        gzip.once('drain', write);
      };
      write();
      response.on('close', () => gzip.removeAllListeners('drain').destroy());
    } else if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  fetcher = new Fetcher({ allowOrigins: [server.origin], timeoutMs: 5_000 });
  pool = createPageProcesses({ deadlineMs: 2_000, memoryMb: 128 });
  runner = new RecipeRunner({ fetcher, parsePool: pool.for('extract') });
  patientFetcher = new Fetcher({ allowOrigins: [server.origin] });
  patientPool = createPageProcesses({ deadlineMs: 20_000 });
  patient = new RecipeRunner({ fetcher: patientFetcher, parsePool: patientPool.for('extract') });
});
afterAll(async () => {
  for (const one of [pool, patientPool, fetcher, patientFetcher]) await one.close();
  await server.close();
});

function run(path: string, extract: object, by = runner) {
  const limits = { signal: new AbortController().signal };
  return by.run({ recipe: { request: { url: `${server.origin}${path}` }, extract }, params: {} }, limits);
}
const fields = { text: { select: 'p', required: true } };

/** Every way a run may end here: with data, or with a failure in our own words. */
async function outcomeOf(path: string, extract: object, by = runner): Promise<string> {
  try {
    await run(path, extract, by);
    return 'done';
  } catch (error) {
    // What the recipe no longer fits is a changed site.
    const code = expect.stringMatching(/^(?:EXECUTION_FAILED|SITE_CHANGED)$/);
    expect(error).toMatchObject({ name: 'RunError', code });
    return error instanceof Error ? error.message : '';
  }
}

describe('the process stays well with', () => {
  const nestedSelector = `${'div:has('.repeat(5)}b${')'.repeat(5)}`;
  it.each([
    ['an endless page', '/endless', { kind: 'html', fields }, /too long/],
    ['a bomb', '/bomb', { kind: 'html', fields }, /larger than the limit/],
    ['20,000 nested elements', '/deep', { kind: 'html', fields }, /nested too deeply/],
    [
      '20,000 nested list rows',
      '/deep-list',
      { kind: 'html', list: 'li', fields: { all: 'ul' } },
      /nested too deeply/,
    ],
    ['200,000 nested arrays', '/deep-json', { kind: 'json' }, /nested too deeply/],
    ['400,000 rows of one value', '/many-rows', { kind: 'json' }, /more than 250000 values|too long|memory/],
    [
      'a page that repeats its text in every row',
      '/repeats',
      { kind: 'html', list: 'div', fields: { all: { type: 'text' } } },
      /more than 15 MiB/,
    ],
    [
      'a catastrophic selector',
      '/nested',
      { kind: 'html', list: nestedSelector, fields: { a: 'b' } },
      /too long/,
    ],
    [
      'a catastrophic pattern that only the engine of JavaScript can run',
      '/text',
      { kind: 'html', fields: { a: { select: 'p', match: '^(?=a)(a+)+$' } } },
      /too long/,
    ],
    ['a selector that is none', '/fine', { kind: 'html', fields: { a: 'p[[' } }, /cannot read the recipe/],
    ['an expression that is none', '/fine', { kind: 'json', list: '][' }, /cannot read the recipe/],
    [
      'a feed of entities in entities',
      '/entities',
      { kind: 'feed' },
      /done|not answer with a feed|could not|memory|too long/,
    ],
    [
      'a script of 500,000 spaces, which could stand before a mark that ends it',
      '/spaces-in-script',
      { kind: 'json', script: 'script' },
      /is not JSON/,
    ],
    [
      'a script whose text of 500,000 escaped quotes does not end',
      '/quotes-in-script',
      { kind: 'json', script: 'script' },
      /is not JSON/,
    ],
    [
      'a page of a million values',
      '/wide',
      {
        kind: 'html',
        list: 'p',
        fields: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, { type: 'text' }])),
      },
      /memory|too long/,
    ],
  ])('%s', async (_name, path, extract, expected) => {
    const by = /larger|MiB/.test(expected.source) ? patient : runner;
    const stall = await longestStall(async () =>
      expect(await outcomeOf(path, extract, by)).toMatch(expected),
    );
    // The site itself runs in this process too.
    expect(stall).toBeLessThan(250);
    expect((await run('/fine', { kind: 'html', fields })).data).toMatchObject({ text: 'fine' });
  });

  it('many of them at once, and good pages among them', async () => {
    const stalls = Array.from({ length: 3 }, () =>
      outcomeOf('/text', { kind: 'html', fields: { a: { select: 'p', match: '^(?=a)(a+)+$' } } }),
    );
    const fine = Array.from({ length: 20 }, () => run('/fine', { kind: 'html', fields }));
    const [outcomes, results] = await Promise.all([Promise.all(stalls), Promise.all(fine)]);
    for (const outcome of outcomes) expect(outcome).toMatch(/too long/);
    for (const { data } of results) expect(data).toMatchObject({ text: 'fine' });
  });
});

it('a page as deep as real ones get is read', async () => {
  expect(
    (await run('/as-deep-as-real', { kind: 'html', list: 'b', fields: { text: { type: 'text' } } })).data,
  ).toMatchObject({
    items: [{ text: '800' }],
  });
});

describe('the parser processes', () => {
  const page = {
    url: 'http://x.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from('<p>x'),
  };

  it('do not keep a process that has nothing else to do', async () => {
    const file = fileURLToPath(new URL('../../../src/service/recipes/page-pool.ts', import.meta.url));
    const program = `import { createPageProcesses } from ${JSON.stringify(file)};
      const page = { url: 'http://x.example/', status: 200, contentType: '', link: '', body: Buffer.from('<p>') };
      const { tests } = await createPageProcesses().for('extract').parse({ page, tests: [{ select: 'p' }] }, new AbortController().signal);
      process.stdout.write(JSON.stringify(tests) + performance.now());
      process.on('exit', () => process.stdout.write(' ' + performance.now()));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      program,
    ]);
    const [, answered, ended] = /^\[true\]([\d.]+) ([\d.]+)$/.exec(stdout) ?? [];
    expect(Number(ended) - Number(answered)).toBeLessThan(2_000);
  });

  it('stop when the caller leaves, also while it waits for its turn', async () => {
    const processes = createPageProcesses({ workers: 1, deadlineMs: 20_000 });
    const own: ParsePool = processes.for('extract');
    const leaving = new AbortController();
    const stalling = { kind: 'html', fields: { a: { type: 'text', match: '^(?=x)(x+)+$' } } } as const;
    const slow = { ...page, body: Buffer.from(`<p>${'x'.repeat(60)}!`) };
    const first = own.parse({ page: slow, extract: stalling }, leaving.signal);
    const second = own.parse({ page }, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    await expect(second).rejects.toThrow('left');
    expect((await own.parse({ page, tests: [{ select: 'p' }] }, new AbortController().signal)).tests).toEqual(
      [true],
    );
    await processes.close();
  });
});
