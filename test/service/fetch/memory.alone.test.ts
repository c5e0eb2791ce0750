/** Pages that take all memory, and those beside them. Needs Chromium. */
import { expect, it, onTestFinished } from 'vitest';
import { findBrowser } from '../../../src/service/fetch/find-browser.ts';
import { Renderer } from '../../../src/service/fetch/renderer.ts';
import { browserPaths, hasBrowser } from '../../support/browser.ts';
import { takesAllMemory } from '../../support/script-shop.ts';
import { gate } from '../../support/service.ts';
import { startWebServer } from '../../support/web-server.ts';

// A file without any test would fail where no browser is.
it.skipIf(!hasBrowser).each(hasBrowser ? browserPaths : ['no browser'])(
  'a page in %s that takes all memory fails alone: the page beside it works, and the next one',
  { timeout: 120_000 },
  async (path) => {
    const { wait, open, reached } = gate();
    const site = await startWebServer(async (asked, response) => {
      response.setHeader('content-type', 'text/html');
      if (asked.path === '/held') await wait();
      response.end(asked.path === '/greedy' ? `<script>${takesAllMemory}</script>` : '<p>lamp</p>');
    });
    onTestFinished(() => site.close());
    const renderer = new Renderer({
      location: findBrowser(path),
      // The tests may run as root, where Chromium's sandbox cannot.
      sandbox: process.getuid?.() !== 0,
      allowOrigins: [site.origin],
      permit: async () => {},
      limits: { timeoutMs: 100_000, memoryBytes: 600_000_000 },
    });
    onTestFinished(() => renderer.close());
    const render = async (page: string) =>
      renderer.render({ url: `${site.origin}${page}`, signal: new AbortController().signal });
    const beside = render('/held');
    await reached;
    // Either page's watch may be the one that finds it.
    for (let count = 0; count < 2; count++)
      await expect(render('/greedy')).rejects.toThrow('too much memory');
    expect(String((await render('/next')).body)).toContain('lamp');
    open();
    expect(String((await beside).body)).toContain('lamp');
  },
);
