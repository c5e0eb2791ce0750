/** Many clients at once: thousands of calls, and readers that never read. */
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { Agent, fetch as poolFetch } from 'undici';
import { initialize, jsonHeaders, standalone } from '../support/http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import {
  type Attack,
  answeredTool,
  type CloseLater,
  callTool,
  expectAlive,
  expectTrue,
  type Family,
  startTarget,
  type Target,
} from './attack.ts';

const callCount = 2_000;
/** Of other clients, so that none of them is over a limit of its own. */
const keyCount = 100;
const sessionCount = 500;
/** Of the keys whose sessions do not read; a key has 256 sessions at most. */
const slowKeys = ['slow-1', 'slow-2', 'slow-3', 'slow-4'];

/** Requests of each that are answered and not read, a connection each: 900 MB in all. */
const unreadAnswers = 2;
/** MiB by which a program may grow while it is used beyond reason: the limits of the keys in use, and what Node adds. */
const maxGrowth = 400;

interface Servers {
  readonly upstream: Upstream;
  readonly gateway: Target;
}

/** Clients bring their keys. */
async function startServers(closeLater: CloseLater): Promise<Servers> {
  const keys = Array.from({ length: keyCount }, (_, index) => `key-${index}`);
  const upstream = await startUpstream({
    balance: 1e9,
    otherKeys: [...keys, ...slowKeys],
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop', mode: 'sync', job: { data: { n: 1 } } },
      {
        action_id: 'shop-large',
        catalog_slug: 'shop',
        job: { data: Array.from({ length: 9_000 }, () => 'x'.repeat(100)) },
      },
    ],
  });
  closeLater(() => upstream.close());
  const gateway = await startTarget('http', { SVC_BASE_URL: upstream.origin, SVC_HTTP_TOKEN: '' });
  closeLater(() => gateway.close());
  return { upstream, gateway };
}

type Headers = Readonly<Record<string, string>>;

/** Rejects unless the program answers another key and has not grown beyond reason. */
async function expectServing({ gateway, upstream }: Servers, before: number): Promise<void> {
  await expectAlive(gateway.origin);
  const { status, text } = await callTool(
    gateway.origin,
    'search_actions',
    {},
    { 'x-api-key': upstream.apiKey },
  );
  expectTrue(status === undefined, `another key is answered ${text.slice(0, 200)}`);
  const grown = gateway.peakMemory() - before;
  expectTrue(grown < maxGrowth, `the program grew by ${Math.round(grown)} MiB`);
}

/** All at once, each by a connection of its own: how often each answer came. */
async function callAtOnce({ gateway }: Servers, keys: number): Promise<ReadonlyMap<string, number>> {
  const dispatcher = new Agent({ pipelining: 1, headersTimeout: 120_000, connect: { timeout: 120_000 } });
  const answers = new Map<string, number>();
  const call = async (n: number) => {
    const args = { action_id: 'shop-list', params: { n, keys } };
    const { headers, ...rest } = standalone('tools/call', { name: 'run_action', arguments: args });
    const sent = { ...rest, headers: { ...headers, 'x-api-key': `key-${n % keys}` }, dispatcher };
    const answer = await poolFetch(`${gateway.origin}/mcp`, sent);
    const text = await answer.text();
    if (answer.status !== 200) return `HTTP ${answer.status}`;
    const { status, error } = answeredTool(text);
    return error?.code ?? status ?? 'nothing';
  };
  await Promise.all(
    Array.from({ length: callCount }, async (_, index) => {
      const answer = await call(index).catch(
        (error: unknown) => `none: ${String(Object(error).cause ?? error)}`,
      );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }),
  );
  await dispatcher.close();
  return answers;
}

const crowds = (servers: Servers): readonly Attack[] =>
  (
    [
      ['one key', 1, ['completed', 'TOO_MANY_CALLS']],
      [`${keyCount} keys`, keyCount, ['completed']],
    ] as const
  ).map(([name, keys, allowed]) => ({
    name: `${callCount} calls at once by ${name}`,
    async run() {
      const { gateway, upstream } = servers;
      const before = gateway.resetPeakMemory();
      const paidBefore = upstream.requestsTo('submitTask').length;
      const answers = await callAtOnce(servers, keys);
      const said = [...answers].map(([answer, count]) => `${count} ${answer}`).join(', ');
      expectTrue(
        [...answers.keys()].every((answer) => allowed.some((one) => one === answer)),
        said,
      );
      const completed = answers.get('completed') ?? 0;
      expectTrue(completed >= 256, said);
      const paid = upstream.requestsTo('submitTask').length - paidBefore;
      expectTrue(paid === completed, `${paid} paid for ${said}`);
      await expectServing(servers, before);
    },
  }));

/** Asks over HTTP, and reads no more of the answer than what the kernel takes. */
function askWithoutReading(url: string, headers: Headers, body: string): ClientRequest {
  const asking = request(url, { method: 'POST', headers, agent: false }, (answer) => answer.pause());
  // The server closes it, which is what is tried.
  asking.on('error', () => undefined);
  asking.end(body);
  return asking;
}

async function openSession(origin: string, key: Headers): Promise<Headers> {
  const headers = { ...jsonHeaders, ...key };
  const answer = await fetch(`${origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
  await answer.text();
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error(`HTTP ${answer.status} without a session`);
  return { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': initialize.params.protocolVersion };
}

const slowReaders = (servers: Servers): Attack => ({
  name: `${sessionCount} sessions that do not read ${unreadAnswers} answers of 900,000 characters each`,
  async run() {
    const { gateway } = servers;
    const sessions = await Promise.all(
      slowKeys.map(async (apiKey) => {
        const key = { 'x-api-key': apiKey };
        const { job_id } = await callTool(gateway.origin, 'run_action', { action_id: 'shop-large' }, key);
        const opened: Headers[] = [];
        for (let n = 0; n < sessionCount / slowKeys.length; n += 1)
          opened.push(await openSession(gateway.origin, key));
        return { job_id, opened };
      }),
    );
    const before = gateway.resetPeakMemory();
    const asked = sessions.flatMap(({ job_id, opened }) =>
      opened
        .flatMap((headers) => Array<typeof headers>(unreadAnswers).fill(headers))
        .map((headers) => {
          const params = { uri: `svc://jobs/${job_id}` };
          const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'resources/read', params });
          return askWithoutReading(`${gateway.origin}/mcp`, headers, body);
        }),
    );
    await Promise.all(asked.map((asking) => once(asking, 'response')));
    await expectServing(servers, before);
    for (const asking of asked) asking.destroy();
  },
});

export const load: Family = {
  name: 'load',
  async prepare(closeLater) {
    const servers = await startServers(closeLater);
    // What is only compiled, opened or kept once is no cost of an attack.
    await callTool(
      servers.gateway.origin,
      'run_action',
      { action_id: 'shop-list' },
      { 'x-api-key': servers.upstream.apiKey },
    );
    return [...crowds(servers), slowReaders(servers)];
  },
};
