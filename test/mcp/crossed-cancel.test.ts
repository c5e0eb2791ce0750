/**
 * Repeats of an answered call. A client's own time-out may cross the answer: its `notifications/cancelled` says that the
 * answer was not read, over every transport. A real gateway on a scripted service, which counts what is paid.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayBackend } from '../../src/mcp/transports/http/principal.ts';
import type { StdioOptions } from '../../src/mcp/transports/stdio.ts';
import { closeGateways, startGateway } from '../support/gateway.ts';
import { closeHttp, initialize, jsonHeaders, serveHttp, sharedKey, standalone } from '../support/http.ts';
import { endAllPipes, servePiped } from '../support/mcp-pipe.ts';
import { takesTasks } from '../support/tasks.ts';

const closers: (() => void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await endAllPipes();
  await closeHttp();
  await closeGateways();
});

type Started = Awaited<ReturnType<typeof startGateway>>;
type Message = Readonly<Record<string, unknown>>;
interface Peer {
  /** The answer to a message with an id. */
  ask(message: Message): Promise<Message>;
  tell(message: Message): Promise<void>;
}

const object = (value: unknown): Message => Object(value);

/** Resolves the answers in a stream of messages by their ids. */
function createInbox() {
  const waiting = new Map<unknown, (message: Message) => void>();
  let rest = '';
  return {
    expect: (id: unknown) => new Promise<Message>((resolve) => waiting.set(id, resolve)),
    /** Lines of JSON, or of an event stream. */
    take: (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const json = line.replace(/^data: /, '').trim();
        if (!json.startsWith('{')) continue;
        const message = object(JSON.parse(json));
        waiting.get(message.id)?.(message);
      }
    },
  };
}

async function overStdio({ gateway }: Started, options: Partial<StdioOptions>): Promise<Peer> {
  const { toServer, fromServer } = servePiped(gateway, options);
  const inbox = createInbox();
  fromServer.on('data', (chunk) => inbox.take(String(chunk)));
  const tell = async (message: Message) => void toServer.write(`${JSON.stringify(message)}\n`);
  return {
    tell,
    ask: async (message) => {
      const answer = inbox.expect(message.id);
      await tell(message);
      const read = await answer;
      // A client is another process: what it sends arrives later than everything that was under way.
      await new Promise((resolve) => setImmediate(resolve));
      return read;
    },
  };
}

async function serve({ gateway }: Started): Promise<string> {
  const { server } = await serveHttp({
    openBackend: () =>
      gatewayBackend({
        id: 'p',
        apiKey: sharedKey,
        gateway,
        endSignIns: async () => undefined,
        version: '0.0.0-test',
      }),
  });
  return server.origin;
}

/** A peer whose answers come in the responses to its messages. */
const posting = (post: (message: Message) => Promise<string>): Peer => ({
  tell: async (message) => void (await post(message)),
  ask: async (message) => {
    const inbox = createInbox();
    const answer = inbox.expect(message.id);
    inbox.take(`${await post(message)}\n`);
    return answer;
  },
});

/** Its connections are kept, so a cancel may come on the one that carried the answer. */
async function overSession(started: Started): Promise<Peer> {
  const origin = await serve(started);
  let session: Record<string, string> = {};
  const post = async (message: Message) => {
    const answer = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { ...jsonHeaders, ...session },
      body: JSON.stringify(message),
    });
    const id = answer.headers.get('mcp-session-id');
    if (id !== null) session = { 'mcp-session-id': id };
    return answer.text();
  };
  return posting(post);
}

async function overStateless(started: Started): Promise<Peer> {
  const origin = await serve(started);
  const post = async ({ method, params, id }: Message) => {
    const { headers, body } = standalone(String(method), object(params));
    const message = { ...object(JSON.parse(body)), id };
    const answer = await fetch(`${origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
    return answer.text();
  };
  return posting(post);
}

async function overLegacyStream(started: Started): Promise<Peer> {
  const origin = await serve(started);
  const inbox = createInbox();
  const stop = new AbortController();
  closers.push(() => stop.abort());
  const stream = await fetch(`${origin}/sse`, { signal: stop.signal });
  const path = await new Promise<string>((resolve) => {
    let text = '';
    const read = async () => {
      for await (const chunk of stream.body ?? []) {
        text += Buffer.from(chunk).toString();
        const [, found] = /data: (\/messages\S+)/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
        inbox.take(Buffer.from(chunk).toString());
      }
    };
    read().catch(() => undefined);
  });
  const tell = async (message: Message) => {
    const posted = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: jsonHeaders,
      body: JSON.stringify(message),
    });
    await posted.text();
  };
  return {
    tell,
    ask: async (message) => {
      const answer = inbox.expect(message.id);
      await tell(message);
      return answer;
    },
  };
}

const statelessMeta = object(object(object(JSON.parse(standalone('x').body)).params)._meta);

const transports = {
  'stdio, with a session': { connect: overStdio, begins: true },
  'stdio, stateless': { connect: overStdio, begins: false },
  'HTTP, with a session': { connect: overSession, begins: true },
  'HTTP, stateless': { connect: overStateless, begins: false },
  'the legacy transport': { connect: overLegacyStream, begins: true },
};

type Name = keyof typeof transports;
const names: readonly Name[] = [
  'stdio, with a session',
  'stdio, stateless',
  'HTTP, with a session',
  'HTTP, stateless',
  'the legacy transport',
];

const firstId = 11;

async function start(name: Name, options: Partial<StdioOptions> = {}) {
  const started = await startGateway({
    actions: [
      { action_id: 'quick', credits: 2 },
      { action_id: 'slow', credits: 2, job: { ms: Number.POSITIVE_INFINITY } },
      { action_id: 'sync', credits: 2, mode: 'sync' },
    ],
  });
  const { connect, begins } = transports[name];
  const peer = await connect(started, options);
  if (begins) {
    await peer.ask(initialize);
    await peer.tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  let lastId = firstId - 1;
  const ask = async (method: string, params: Message) => {
    lastId += 1;
    const _meta = begins ? undefined : statelessMeta;
    const answer = await peer.ask({ jsonrpc: '2.0', id: lastId, method, params: { _meta, ...params } });
    return object(answer.result);
  };
  return {
    ...started,
    ask,
    call: async (args: Message, tool = 'run_action') =>
      object((await ask('tools/call', { name: tool, arguments: args })).structuredContent),
    /** The client gives up a call that was answered, the last one unless another is named, so long after the answer. */
    cancel: async (afterMs: number, requestId = lastId) => {
      await delay(afterMs);
      await peer.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    },
    paid: () => started.upstream.requestsTo('submitTask').length,
  };
}

const calls = {
  'a run': { action_id: 'quick', params: { q: 1 } },
  'a sync run': { action_id: 'sync', params: { q: 1 } },
  'a batch': { action_id: 'quick', batch: [{ q: 1 }, { q: 2 }] },
};

describe.each(names)('over %s', (name) => {
  it.each(Object.entries(calls))('%s whose answer crossed its cancel is joined', async (_, args) => {
    const { call, cancel, paid } = await start(name);
    expect(await call(args)).toMatchObject({ status: 'completed' });
    const runs = paid();
    await cancel(200);
    // A client that is still there, and works on: neither says that it read that answer.
    await delay(200);
    expect(await call(args)).toMatchObject({ status: 'completed', attached: true });
    expect(paid()).toBe(runs);
    await delay(200);
    expect(await call(args)).not.toHaveProperty('attached');
    expect(paid()).toBe(2 * runs);
  });

  it.each(Object.entries(calls))(
    '%s is joined where a busy client sent more before that cancel',
    async (_, args) => {
      const { call, cancel, ask, paid } = await start(name);
      const { credits_used } = await call(args);
      const runs = paid();
      await delay(150);
      await ask('tools/list', {});
      await cancel(0, firstId);
      // Whoever adds up what was read counts it once.
      expect(await call(args)).toMatchObject({ status: 'completed', attached: true, credits_used });
      expect(paid()).toBe(runs);
    },
  );

  it('an answer counts as read with any other message, also a cancel of another call', async () => {
    const { call, cancel, ask, paid } = await start(name);
    await call(calls['a run']);
    await delay(150);
    await ask('tools/list', {});
    await cancel(0);
    expect(await call(calls['a run'])).not.toHaveProperty('attached');
    expect(paid()).toBe(2);
  });
});

describe.each(['stdio, with a session', 'stdio, stateless'] as const)('over %s', (name) => {
  it.each(Object.entries(calls))('%s repeated at once joins, and costs nothing more', async (_, args) => {
    // No time passes after an answer: whatever the client sends was on its way before.
    const clock = { now: Date.now, monotonic: () => 1 };
    const { call, cancel, paid } = await start(name, { clock });
    const { credits_used, job_credits } = await call(args);
    expect(credits_used).toBe(2 * paid());
    expect(job_credits).toBe(credits_used);
    expect(await call(args)).toMatchObject({ attached: true, credits_used: 0, job_credits });
    expect(await call(args)).toMatchObject({ attached: true, credits_used: 0, job_credits });
    await cancel(0);
    expect(await call(args)).toMatchObject({ attached: true, credits_used: 0, job_credits });
  });

  it('the cost is told again where the answer that told it was not read', async () => {
    const clock = { now: Date.now, monotonic: () => 1 };
    const { call, cancel } = await start(name, { clock });
    await call(calls['a run']);
    await cancel(0);
    const cost = { credits_used: 2, job_credits: 2 };
    expect(await call(calls['a run'])).toMatchObject({ attached: true, ...cost });
  });
});

describe('an answer that ends a wait', () => {
  const slow = { action_id: 'slow', params: { q: 1 } };
  const finish = ({ upstream }: Pick<Started, 'upstream'>) => {
    for (const job of upstream.service.jobs.values()) job.script = { data: 'paid' };
  };

  it('is not read where its get_job is cancelled', async () => {
    const { call, cancel, paid, upstream } = await start('stdio, with a session', { waitSeconds: 1 });
    const { job_id } = await call(slow);
    finish({ upstream });
    expect(await call({ job_id, wait_seconds: 5 }, 'get_job')).toMatchObject({ data: 'paid' });
    await cancel(200);
    expect(await call(slow)).toMatchObject({ attached: true, data: 'paid' });
    expect(paid()).toBe(1);
  });

  it('is not read where its tasks/get is cancelled', async () => {
    const { call, ask, cancel, paid, upstream } = await start('stdio, stateless', { waitSeconds: 1 });
    const _meta = { ...statelessMeta, 'io.modelcontextprotocol/clientCapabilities': takesTasks };
    const { taskId } = await ask('tools/call', { name: 'run_action', arguments: slow, _meta });
    finish({ upstream });
    await expect.poll(() => ask('tasks/get', { taskId, _meta }), { timeout: 5_000 }).toHaveProperty('result');
    await cancel(200);
    expect(await call(slow)).toMatchObject({ attached: true, data: 'paid' });
    expect(paid()).toBe(1);
  });
});
