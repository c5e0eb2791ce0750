/** Pages that flood the browser's channel or the machine, in a real Chromium. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../../src/service/fetch/find-browser.ts';
import { Renderer } from '../../../src/service/fetch/renderer.ts';
import { browserPaths } from '../../support/browser.ts';
import { floodPages } from '../../support/flood-pages.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
/** Bytes. */
const measureKept = () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const [browserPath = ''] = browserPaths;
const site = createServer((request, response) => {
  request.resume();
  const flood = floodPages.get(decodeURIComponent((request.url ?? '').slice(1)));
  response.writeHead(200, { 'content-type': 'text/html' }).end(flood ?? '<p>calm</p>');
});
let origin = '';
let renderer: Renderer;

describe.skipIf(browserPath === '')('a page of a browser', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    renderer = new Renderer({
      location: findBrowser(browserPath),
      // The tests may run as root, where Chromium's sandbox cannot.
      sandbox: process.getuid?.() !== 0,
      allowOrigins: [origin],
      permit: async () => undefined,
      pagesAtOnce: 1,
      limits: { timeoutMs: 8_000 },
    });
  });
  afterAll(async () => {
    await renderer?.close();
    site.close();
  });

  const read = async (path: string) => {
    const page = await renderer.render({
      url: `${origin}/${encodeURIComponent(path)}`,
      signal: new AbortController().signal,
    });
    return String(page.body);
  };
  /** A machine under load may take longer than the limit to start a browser anew. */
  const readCalm = async () => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await read('calm');
      } catch (error) {
        if (attempt === 5) throw error;
      }
  };

  // Judged by what this process computes, and by what it keeps when the next page was read: resident memory would tell what
  // the system has not taken back yet. One message may still be held.
  it.each([...floodPages.keys()])(
    'with %s takes little of this process, and the next is read',
    async (name) => {
      const kept = measureKept();
      const before = process.cpuUsage();
      await read(name).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      const { user, system } = process.cpuUsage(before);
      // A browser that floods is killed after three seconds.
      expect((user + system) / 1e6).toBeLessThan(5);
      expect(await readCalm()).toContain('calm');
      expect(measureKept() - kept).toBeLessThan(50e6);
    },
  );
});
