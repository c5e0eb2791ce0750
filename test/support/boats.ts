/** A site with boats for sale, and `svc-mcp build` with a data folder whose service may fetch it. Needs `dist/`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownPages } from '../service/builder/page-sets.ts';
import { temporaryFolder } from './gateway.ts';
import { runHere } from './run-here.ts';
import { startWebServer } from './web-server.ts';

export const goal = 'List all boats with name and price';

const closers: (() => Promise<void>)[] = [];

/** For `afterEach`, once the programs have ended. */
export async function closeBoats(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** `ready` is awaited before each page is answered. */
export async function startBoats(ready: () => Promise<void> = async () => undefined) {
  const page = await readFile(join(ownPages, 'boats.html'));
  const server = await startWebServer(async ({ path }, response) => {
    if (path === '/robots.txt') return response.writeHead(404).end();
    await ready();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  closers.push(() => server.close());
  const folder = await temporaryFolder();
  const environment = { SVC_DATA_DIR: folder, SVC_SERVICE_ALLOW_ORIGINS: server.origin };
  return {
    server,
    folder,
    environment,
    build: (...args: string[]) => runHere(['build', server.origin, ...args], environment),
  };
}
