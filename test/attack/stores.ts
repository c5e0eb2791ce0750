/** A store that fails while calls are paid for: PostgreSQL that is restarted, and a disk that is full. */
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as z from 'zod';
import { type PostgresCluster, startPostgres } from '../support/postgres.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { startWebServer } from '../support/web-server.ts';
import {
  type Answered,
  type Attack,
  type CloseLater,
  callTool,
  expectAlive,
  expectTrue,
  type Family,
  startTarget,
  type Target,
} from './attack.ts';

const price = 3;
const actions = [
  { action_id: 'shop-list', catalog_slug: 'shop', credits: price, job: { data: { n: 1 } } },
  { action_id: 'shop-slow', catalog_slug: 'shop', credits: price, job: { data: { n: 1 }, ms: 4_000 } },
];

interface Shop {
  readonly upstream: Upstream;
  readonly gateway: Target;
  /** Calls a tool; rejects unless the answer is a documented one. */
  call(name: string, args?: object): Promise<Answered>;
}

async function openShop(
  closeLater: CloseLater,
  environment: Readonly<Record<string, string>>,
): Promise<Shop> {
  const upstream = await startUpstream({ balance: 1e6, actions });
  closeLater(() => upstream.close());
  const gateway = await startTarget('http', {
    SVC_BASE_URL: upstream.origin,
    SVC_API_KEY: upstream.apiKey,
    SVC_MAX_CREDITS_PER_DAY: '100000',
    SVC_WAIT_SECONDS: '30',
    ...environment,
  });
  closeLater(() => gateway.close());
  const call = (name: string, args: object = {}) => callTool(gateway.origin, name, args);
  const { status, text } = await call('run_action', { action_id: 'shop-list' });
  expectTrue(status === 'completed', text);
  return { upstream, gateway, call };
}

const paid = ({ upstream }: Shop) => upstream.requestsTo('submitTask').length;

/** Every paid job is known, has ended or goes on, and was charged for once. */
async function expectAccounts(shop: Shop): Promise<void> {
  const ids = [...shop.upstream.service.jobs.keys()];
  for (const job_id of ids) {
    const { status, text } = await shop.call('get_job', { job_id, wait_seconds: 20 });
    expectTrue(status === 'completed', `the paid job ${job_id}: ${text.slice(0, 300)}`);
  }
  expectTrue(ids.length === paid(shop), `${paid(shop)} submitted, ${ids.length} jobs`);
  const { text } = await shop.call('get_usage');
  const spent = price * ids.length;
  expectTrue(text.includes(`"spent":${spent},`), `not ${spent} spent: ${text.slice(0, 300)}`);
}

/** A call that fails says that nothing was sent, or that nobody knows; it is never lost without a word. */
function expectSaid({ status, error, text }: Answered): void {
  const isSaid = status === 'completed' || status === 'processing' || status === 'unknown';
  expectTrue(isSaid || error?.code === 'STORE_UNAVAILABLE', text.slice(0, 300));
}

async function restarts(cluster: PostgresCluster, closeLater: CloseLater): Promise<readonly Attack[]> {
  const shop = await openShop(closeLater, { SVC_DATABASE_URL: await cluster.createDatabase() });
  const { upstream, gateway, call } = shop;
  const run = (action_id: string, n: number) => call('run_action', { action_id, params: { n } });
  return [
    {
      name: 'PostgreSQL is restarted while a paid job runs',
      async run() {
        const before = paid(shop);
        const calling = run('shop-slow', 1);
        await upstream.waitForRequests('getJob', upstream.requestsTo('getJob').length + 1);
        await cluster.restart();
        expectSaid(await calling);
        expectTrue(paid(shop) === before + 1, `${paid(shop) - before} paid`);
        await expectAccounts(shop);
      },
    },
    {
      name: 'PostgreSQL is restarted while the answer to a submission is on its way',
      async run() {
        const before = paid(shop);
        upstream.fail('submitTask', { kind: 'delay', ms: 3_000 }, { times: 1 });
        const calling = run('shop-list', 2);
        await upstream.waitForRequests('submitTask', before + 1);
        await cluster.restart();
        expectSaid(await calling);
        expectTrue(paid(shop) === before + 1, `${paid(shop) - before} paid`);
        await expectAccounts(shop);
      },
    },
    {
      name: 'PostgreSQL is down: a call is refused unpaid, and the same call is paid once later',
      async run() {
        const before = paid(shop);
        await cluster.restart(async () => {
          const { status, error, text } = await run('shop-list', 3);
          expectTrue(status === 'error' && error !== undefined, text.slice(0, 300));
          expectTrue(paid(shop) === before, 'paid without a row');
          await expectAlive(gateway.origin);
        });
        const { status, text } = await run('shop-list', 3);
        expectTrue(status === 'completed', text.slice(0, 300));
        expectTrue(paid(shop) === before + 1, `${paid(shop) - before} paid`);
        await expectAccounts(shop);
      },
    },
    {
      name: '40 calls at once while PostgreSQL is restarted twice',
      async run() {
        const calls = Array.from({ length: 40 }, (_, n) =>
          run(n % 4 === 0 ? 'shop-slow' : 'shop-list', n + 10),
        );
        const answers = Promise.all(calls);
        await cluster.restart();
        await cluster.restart();
        for (const answer of await answers) expectSaid(answer);
        await expectAccounts(shop);
      },
    },
  ];
}

const run = promisify(execFile);

/** A folder on a small disk of its own; undefined where this user may not mount one. */
async function mountDisk(closeLater: CloseLater): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-disk-'));
  closeLater(() => rm(folder, { recursive: true, force: true }));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'svc-mcp-attack', folder]);
  } catch {
    process.stderr.write('SKIPPED: only root can mount a small disk, so no full one is tried\n');
    return undefined;
  }
  closeLater(() => run('umount', [folder]));
  return folder;
}

/** Takes all that is left of a disk; resolves to what gives it back. */
async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'filling');
  const filling = await open(file, 'w');
  try {
    for (const size of [65_536, 4_096, 1]) {
      const piece = Buffer.alloc(size);
      for (;;) if ((await filling.write(piece).catch(() => ({ bytesWritten: 0 }))).bytesWritten < size) break;
    }
  } finally {
    await filling.close();
  }
  return () => unlink(file);
}

const fullDisk = (folder: string, shop: Shop): readonly Attack[] => {
  const { upstream, gateway, call } = shop;
  const run = (action_id: string, params: object) => call('run_action', { action_id, params });
  const whileFull = async (work: () => Promise<unknown>) => {
    const free = await fillDisk(folder);
    await work().finally(free);
  };
  return [
    {
      name: 'a full disk: no call is paid without a row, what needs no row goes on, and so does all when there is room',
      async run() {
        const before = paid(shop);
        const answers: Answered[] = [];
        await whileFull(async () => {
          // The first rows may find room in pages that are there.
          for (let n = 0; n < 60; n += 1)
            answers.push(await run('shop-list', { n, text: 'x'.repeat(8_000) }));
          expectTrue((await call('search_actions')).status === undefined, 'no search');
          await expectAlive(gateway.origin);
        });
        const refused = answers.filter(({ status }) => status === 'error');
        expectTrue(refused.length > 0, 'the disk was not full');
        for (const { text } of refused) expectTrue(/full|space/i.test(text), text.slice(0, 300));
        for (const answer of answers)
          if (answer.status !== 'error') expectTrue(answer.status === 'completed', answer.text.slice(0, 300));
        const sent = paid(shop) - before;
        expectTrue(sent === answers.length - refused.length, `${sent} paid of ${answers.length}`);
        await expectAccounts(shop);
      },
    },
    {
      name: 'a disk that fills while a paid job runs: its answer is delivered, and paid once',
      async run() {
        const before = paid(shop);
        const calling = run('shop-slow', { n: 1_000 });
        await upstream.waitForRequests('submitTask', before + 1);
        await whileFull(async () => {
          const { status, text } = await calling;
          expectTrue(status === 'completed' || status === 'processing', text.slice(0, 300));
        });
        expectTrue(paid(shop) === before + 1, `${paid(shop) - before} paid`);
        await expectAccounts(shop);
      },
    },
  ];
};

const Balance = z.object({ balance: z.number() });
const Listed = z.object({ results: z.array(z.looseObject({ action_id: z.string(), credits: z.number() })) });
const Submitted = z.looseObject({
  status: z.string(),
  job_id: z.string().optional(),
  credits_used: z.number().optional(),
});

/** The embedded service on the small disk: what it cannot write it refuses unpaid, and it reads all the while. */
async function fullService(closeLater: CloseLater, folder: string): Promise<Attack> {
  const site = await startWebServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A</title><p>One page of text.</p>'),
  );
  closeLater(() => site.close());
  const service = await startTarget('service', {
    SVC_DATA_DIR: folder,
    SVC_SERVICE_ALLOW_ORIGINS: site.origin,
  });
  closeLater(() => service.close());
  const ask = async (path: string, body?: object) => {
    const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
    const answer = await fetch(`${service.origin}/v1/svc${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expectTrue(!/\n\s+at \S+ \(/.test(text), `a stack trace: ${text.slice(0, 300)}`);
    return { status: answer.status, text };
  };
  const balance = async () => Balance.parse(JSON.parse((await ask('/usage')).text)).balance;
  const { results } = Listed.parse(JSON.parse((await ask('/search?catalog=web')).text));
  const reader = results.find(({ action_id }) => action_id.includes('page')) ?? results[0];
  expectTrue(reader !== undefined, 'no action that reads pages');
  const submit = (n: number) =>
    ask('/task', {
      action_id: reader.action_id,
      params: { url: `${site.origin}/${n}?${'x'.repeat(1_500)}` },
    });
  /** The credits that a job has cost at its end. */
  const costOf = async (id: string): Promise<number> => {
    for (;;) {
      const { status, credits_used = 0 } = Submitted.parse(JSON.parse((await ask(`/jobs/${id}`)).text));
      if (status !== 'processing') return status === 'completed' ? credits_used : 0;
      await delay(200);
    }
  };
  return {
    name: 'the embedded service on a full disk refuses what it cannot write unpaid, reads on, and goes on when there is room',
    async run() {
      const before = await balance();
      const accepted: string[] = [];
      const refused: string[] = [];
      const free = await fillDisk(folder);
      try {
        for (let n = 0; n < 60; n += 1) {
          const { status, text } = await submit(n);
          if (status < 300) accepted.push(Submitted.parse(JSON.parse(text)).job_id ?? '');
          else {
            expectTrue(
              status >= 500 && text.includes('"status":"error"'),
              `HTTP ${status}: ${text.slice(0, 300)}`,
            );
            refused.push(text);
          }
          // The interface takes only so many searches a minute.
          for (const path of ['/usage', '/identities', ...(n % 10 === 0 ? ['/search?q=page'] : [])]) {
            const read = await ask(path);
            expectTrue(read.status === 200, `${path}: HTTP ${read.status}: ${read.text.slice(0, 300)}`);
          }
          await expectAlive(service.origin);
        }
      } finally {
        await free();
      }
      expectTrue(refused.length > 0, 'the disk was not full');
      const { status, text } = await submit(1_000);
      expectTrue(status < 300, `with room: HTTP ${status}: ${text.slice(0, 300)}`);
      accepted.push(Submitted.parse(JSON.parse(text)).job_id ?? '');
      let spent = 0;
      for (const id of accepted) spent += await costOf(id);
      const left = await balance();
      expectTrue(left === before - spent, `${before} before, ${spent} spent, ${left} left`);
    },
  };
}

export const stores: Family = {
  name: 'stores',
  async prepare(closeLater) {
    const attacks: Attack[] = [];
    const cluster = await startPostgres();
    if (cluster !== undefined) {
      closeLater(() => cluster.stop());
      attacks.push(...(await restarts(cluster, closeLater)));
    }
    const disk = await mountDisk(closeLater);
    if (disk !== undefined)
      attacks.push(...fullDisk(disk, await openShop(closeLater, { SVC_DATA_DIR: disk })));
    const serviceDisk = await mountDisk(closeLater);
    if (serviceDisk !== undefined) attacks.push(await fullService(closeLater, serviceDisk));
    return attacks;
  },
};
