/** The practice sites: small websites on a loopback origin of their own, to try everything on without the internet. */
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { bookshop } from './bookshop.ts';
import { gallery } from './gallery.ts';
import { sitePage } from './layout.ts';
import { members } from './members.ts';
import { quoteLibrary } from './quotes.ts';
import { weatherStations } from './stations.ts';

const sites = [
  ['/bookshop/', 'Harbour Street Books: a shop with pages, search, details and a feed'],
  ['/stations/', 'Northern Weather Stations: tables'],
  ['/quotes/api/quotes', 'Library of quotations: a JSON interface'],
  ['/gallery/', 'Lantern Street Gallery: pages that need a browser; sign in as demo, with the password demo'],
  ['/members/', 'Riverside Rowing Club: sign in as demo, with the password demo'],
] as const;

const home = sitePage(
  { name: 'svc-mcp', links: [] },
  'Practice sites',
  html`<ul>${sites.map(([address, text]) => html`<li><a href="${address}">${text}</a></li>`)}</ul>`,
);

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#24424f"/></svg>';

const app = new Hono({ strict: false })
  .get('/', (c) => c.html(home))
  .get('/favicon.ico', (c) => c.body(icon, 200, { 'content-type': 'image/svg+xml' }))
  .get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /bookshop/basket\n'))
  .route('/bookshop', bookshop)
  .route('/stations', weatherStations)
  .route('/quotes', quoteLibrary)
  .route('/members', members)
  .route('/gallery', gallery);

/** Serves the practice sites on loopback; port 0 takes a free one. `close` ends open connections too. */
export async function startPracticeSites(
  options: { host?: '127.0.0.1'; port?: number } = {},
): Promise<{ origin: string; close(): Promise<void> }> {
  const host = options.host ?? '127.0.0.1';
  // The same process serves MCP, and a replaced `Response` hides from that server which answers are already written.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The practice sites have no port');
  return {
    origin: `http://${host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
