/** Hostile websites, read by the web catalog and by the builder of an embedded service. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { hostilePages } from '../support/hostile-pages.ts';
import { startWebServer } from '../support/web-server.ts';
import { type Attack, callTool, expectAlive, expectTrue, type Family, startTarget } from './attack.ts';

const inside = [
  ...[
    'http://127.0.0.1:1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
  ],
  ...[
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://localhost./',
    'http://0/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
  ],
  ...[
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example/',
    'http://me:secret@a.example/',
    'gopher://a/',
  ],
];

/** An attack whose reading may take long, while the service answers others. */
const whileAlive = async (origin: string, work: Promise<unknown>): Promise<void> => {
  let done = false;
  const working = work.finally(() => {
    done = true;
  });
  working.catch(() => undefined);
  while (!done) {
    await expectAlive(origin);
    await Promise.race([working.catch(() => undefined), delay(50)]);
  }
  await working;
};

const Found = z.object({
  result: z.object({
    structuredContent: z.object({
      results: z.tuple([z.looseObject({ action_id: z.string() })], z.unknown()),
    }),
  }),
});

export const sites: Family = {
  name: 'sites',
  async prepare(closeLater) {
    const names = Object.keys(hostilePages);
    const site = await startWebServer(({ path }, response) => {
      const page = hostilePages[names[Number(/^\/(\d+)/.exec(path)?.[1])] ?? ''];
      return page === undefined ? response.writeHead(404).end() : page(response);
    });
    closeLater(() => site.close());
    const service = await startTarget('service', { SVC_SERVICE_ALLOW_ORIGINS: site.origin });
    closeLater(() => service.close());
    const gateway = await startTarget('http', {
      SVC_BASE_URL: service.origin,
      SVC_API_KEY: service.apiKey,
      SVC_WAIT_SECONDS: '60',
    });
    closeLater(() => gateway.close());
    const { text: found } = await callTool(gateway.origin, 'search_actions', { catalog: 'web' });
    const [reader] = Found.parse(JSON.parse(found)).result.structuredContent.results;
    const read = (url: string) =>
      callTool(gateway.origin, 'run_action', { action_id: reader.action_id, params: { url } });
    const build = (url: string) => {
      const goal = 'List all boats with name and price';
      return callTool(gateway.origin, 'request_build', { website_url: url, goal, force: true });
    };
    const pages = names.flatMap((name, index): readonly Attack[] => [
      { name: `${name}, read`, run: () => whileAlive(service.origin, read(`${site.origin}/${index}`)) },
      { name: `${name}, built`, run: () => whileAlive(service.origin, build(`${site.origin}/${index}`)) },
    ]);
    const addresses = inside.flatMap((url): readonly Attack[] =>
      [read, build].map((work, index) => ({
        name: `${url}, ${index === 0 ? 'read' : 'built'}`,
        async run() {
          const { status, text } = await work(url);
          expectTrue(status === 'failed' || status === 'error', `the status ${status}: ${text}`);
          expectTrue(!text.includes('ACTION_NOT_FOUND'), 'no action that reads pages');
        },
      })),
    );
    const refunded: Attack = {
      name: 'the balance after all of it',
      async run() {
        const { text } = await callTool(gateway.origin, 'get_usage', {});
        const { balance } = z
          .object({ balance: z.number() })
          .parse(JSON.parse(text).result.structuredContent);
        expectTrue(balance >= 900, `a balance of ${balance}`);
      },
    };
    return [...pages, ...addresses, refunded];
  },
};
