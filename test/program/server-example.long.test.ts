/** The worked example of one server: its systemd unit's settings, behind its nginx as it stands. Needs `dist/`. */
import { afterEach, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { standalone } from '../support/http.ts';
import { startHttp } from '../support/http-program.ts';
import { hasNginx, prepareNginx } from '../support/nginx.ts';
import { endPrograms } from '../support/program.ts';
import { exampleFile } from '../support/replicas.ts';
import { send } from '../support/sign-in-pages.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await endPrograms();
  await closeGateways();
});

async function unitSettings(): Promise<Record<string, string>> {
  const lines = (await exampleFile('../server/svc-mcp-http.service')).matchAll(/^Environment=(.*)$/gm);
  const settings = [...lines].flatMap(([, line = '']) => line.split(' '));
  return Object.fromEntries(settings.map((setting) => setting.split('=')));
}

it.skipIf(!hasNginx)(
  'clients behind the nginx of the server example are told apart, and /metrics stays closed',
  async () => {
    const nginx = await prepareNginx('../server/nginx.conf');
    closers.push(nginx.close);
    const upstream = await scriptedUpstream();
    const program = await startHttp({
      ...(await unitSettings()),
      SVC_BASE_URL: upstream.origin,
      SVC_DATA_DIR: await temporaryFolder(),
      SVC_PUBLIC_URL: nginx.origin,
    });
    const { port } = new URL(program.origin);
    await nginx.start([port, port]);
    const ask = async (origin: string, key: string, address: string) => {
      const { headers, ...rest } = standalone('tools/list');
      const sent = { ...headers, 'x-api-key': key, 'x-forwarded-for': address };
      return (await send(`${origin}/mcp`, { ...rest, headers: sent, ca: nginx.ca })).status;
    };
    expect(await ask(nginx.origin, upstream.apiKey, '10.1.0.1')).toBe(200);
    expect((await send(`${nginx.origin}/metrics`, { ca: nginx.ca })).status).toBe(403);
    const statuses: number[] = [];
    for (let n = 0; n < 150; n += 1) statuses.push(await ask(nginx.origin, `wrong-${n}`, `10.1.0.${n}`));
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    // What nginx passes on for another client counts for that one.
    expect(await ask(program.origin, 'wrong', '10.2.0.1')).toBe(401);
  },
);
