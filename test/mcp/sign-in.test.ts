/** A page to sign in, shown by clients of every era; what the page does is the gateway's. */
import { once } from 'node:events';
import type { ElicitResult, JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { GatewayError } from '../../src/gateway/foundation/errors.ts';
import { completed, FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { closeGateways, openGateway, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { closeHttp, serveHttp, standalone } from '../support/http.ts';
import {
  type ConnectOptions,
  connectPiped,
  endAllPipes,
  eras,
  modeOf,
  servePiped,
} from '../support/mcp-pipe.ts';
import { closePages, createPages } from '../support/sign-in-pages.ts';

afterEach(async () => {
  passedMs = 0;
  await endAllPipes();
  await closeGateways();
  await closePages();
  await closeHttp();
});

const offer = {
  id: 'page-1',
  url: 'http://127.0.0.1:7/sign-in/secret-address',
  catalogSlug: 'shop',
  message: 'Sign in to shop',
};

const question = { kind: 'sign-in', offer } as const;

/** Behaves as the gateway does for an action whose account is missing until the person has signed in. */
class SignedOutGateway extends FakeGateway {
  signedIn = false;
  readonly runs: unknown[] = [];

  constructor() {
    super(listedTool('shop_a'), listedTool('shop_b'));
    this.onRun = async ({ context: { signIn } }) => {
      if (this.signedIn) {
        this.runs.push(signIn);
        return { body: completed };
      }
      const code = typeof signIn === 'object' ? `SEEN_${signIn.answer}` : 'CANNOT_SHOW';
      const { body } = new GatewayError(
        { service: code },
        'No',
        { kind: 'retry', when: 'now' },
        { login_url: offer.url },
      );
      return signIn === 'unasked' ? { body, question } : { body };
    };
    this.onAwaitSignIn = async () => {
      this.signedIn = true;
      return 'verified';
    };
  }
}

/** The server's clock. It stands still until somebody takes their time. */
let passedMs = 0;
const startedAt = Date.now();
const clock = { now: () => startedAt + passedMs, monotonic: () => passedMs };
/** As long as a person needs to see that a page is asked for. */
const readingMs = 1_000;

interface Shown {
  readonly params: unknown[];
  readonly completed: string[];
}

function showing(
  action: ElicitResult['action'],
  shown: Shown = { params: [], completed: [] },
  afterMs = readingMs,
): ConnectOptions {
  return {
    server: { clock },
    capabilities: { elicitation: { url: {} } },
    prepare: (client) => {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        shown.params.push(params);
        passedMs += afterMs;
        return { action };
      });
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
        shown.completed.push(params.elicitationId);
      });
    },
  };
}

const Params = z.looseObject({ elicitationId: z.string() });

describe.each(eras)('a sign-in in the %s era', (era) => {
  const mode = modeOf(era);

  it('is shown as a page, and the same call goes on', async () => {
    const gateway = new SignedOutGateway();
    const shown: Shown = { params: [], completed: [] };
    const { client } = await connectPiped(gateway, mode, showing('accept', shown));
    const result = await client.callTool({ name: 'shop_a', arguments: { q: 'x' } });
    expect(result.structuredContent).toEqual(completed);
    expect(shown.params).toMatchObject([{ mode: 'url', url: offer.url, message: offer.message }]);
    expect(gateway.runs).toEqual([{ id: offer.id, answer: 'accepted' }]);
    expect(JSON.stringify(result)).not.toContain('secret-address');
    if (era === 'stateful') {
      const { elicitationId } = Params.parse(shown.params[0]);
      await vi.waitUntil(() => shown.completed.length > 0, 20_000);
      expect(shown.completed).toEqual([elicitationId]);
    }
  });

  it.each(['decline', 'cancel'] as const)('that the user does not want runs nothing (%s)', async (action) => {
    const gateway = new SignedOutGateway();
    gateway.onAwaitSignIn = async () => 'pending';
    const { client } = await connectPiped(gateway, mode, showing(action));
    const result = await client.callTool({ name: 'run_action', arguments: { action_id: 'a' } });
    expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_declined' } });
    expect(gateway.runs).toEqual([]);
  });

  it('is also offered by login', async () => {
    const gateway = new SignedOutGateway();
    gateway.onCall = async ({ context: { signIn } }) => {
      if (signIn === 'unasked') return { body: {}, question };
      return { body: { status: 'verified', signIn } };
    };
    const { client } = await connectPiped(gateway, mode, showing('accept'));
    const result = await client.callTool({ name: 'login', arguments: { catalog: 'shop' } });
    expect(result.structuredContent).toEqual({
      status: 'verified',
      signIn: { id: offer.id, answer: 'accepted' },
    });
  });

  it.each<[string, ConnectOptions]>([
    ['nothing', {}],
    ['forms only', { capabilities: { elicitation: { form: {} } } }],
    ['elicitation without a mode, which means forms', { capabilities: { elicitation: {} } }],
  ])('is in the answer for a client that declares %s', async (_, options) => {
    const gateway = new SignedOutGateway();
    const { client } = await connectPiped(gateway, mode, options);
    const result = await client.callTool({ name: 'shop_a' });
    expect(result.structuredContent).toMatchObject({ error: { code: 'CANNOT_SHOW', login_url: offer.url } });
  });

  it('may be followed by a question about the price', async () => {
    const gateway = new SignedOutGateway();
    const { onRun } = gateway;
    gateway.onRun = async (call) => {
      if (gateway.signedIn && call.context.confirmation === 'unasked') {
        const confirmation = { actionId: 'a', actionName: 'A', credits: 9, cost: '9 credits', spentToday: 0 };
        const { body } = new GatewayError({ service: 'ASKED' }, 'No', { kind: 'retry', when: 'now' });
        return { body, question: { kind: 'confirmation', confirmation } };
      }
      return onRun(call);
    };
    const asked: unknown[] = [];
    const { client } = await connectPiped(gateway, mode, {
      capabilities: { elicitation: { url: {}, form: {} } },
      prepare: (made) =>
        made.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.mode ?? 'form');
          return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: {} };
        }),
    });
    expect((await client.callTool({ name: 'shop_a' })).structuredContent).toEqual(completed);
    expect(asked).toEqual(['url', 'form']);
  });

  it('that is not finished in time leaves the call with an answer, before the client gives up', async () => {
    const gateway = new SignedOutGateway();
    const timeouts: number[] = [];
    gateway.onAwaitSignIn = async (_, { timeoutMs }) => {
      timeouts.push(timeoutMs);
      return 'pending';
    };
    const { client } = await connectPiped(gateway, mode, showing('accept'));
    const result = await client.callTool({ name: 'shop_a' });
    expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_accepted' } });
    const ofCall = timeouts.filter((ms) => ms < 60_000);
    for (const ms of ofCall) expect(ms).toBeGreaterThan(40_000);
    // A stateless client comes back with its whole time-out again; a stateful one has only one call.
    expect(ofCall).toHaveLength(era === 'stateless' ? 8 : 1);
  });
});

it('progress is whole numbers, from the wait for the person to the run', async () => {
  const gateway = new SignedOutGateway();
  const { onRun } = gateway;
  gateway.onRun = async (call) => {
    if (gateway.signedIn) call.context.progress({ progress: 0, message: 'Running for 3 credits' });
    return onRun(call);
  };
  const { client } = await connectPiped(gateway, modeOf('stateful'), showing('accept'));
  const seen: unknown[] = [];
  await client.callTool(
    { name: 'shop_a' },
    { onprogress: ({ progress, message }) => seen.push([progress, message]) },
  );
  expect(seen).toEqual([
    [1, 'Waiting for the sign-in on the page (0 s)'],
    [2, 'Running for 3 credits'],
  ]);
});

it('time on the page is no part of the wait for the job', async () => {
  const gateway = new SignedOutGateway();
  gateway.onAwaitSignIn = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    gateway.signedIn = true;
    return 'verified';
  };
  const { client } = await connectPiped(gateway, modeOf('stateful'), showing('accept'));
  await client.callTool({ name: 'shop_a' });
  const waits = gateway.calls.map(({ context }) => context.waitMs);
  expect(waits).toHaveLength(2);
  expect(waits[1]).toBeGreaterThan(44_900);
});

it('a client that let its user take longer than its time-out gets its time again', async () => {
  const gateway = new SignedOutGateway();
  const timeouts: number[] = [];
  gateway.onAwaitSignIn = async (_, { timeoutMs }) => {
    timeouts.push(timeoutMs);
    gateway.signedIn = true;
    return 'verified';
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { client } = await connectPiped(gateway, modeOf('stateful'), {
      capabilities: { elicitation: { url: {} } },
      prepare: (made) =>
        made.setRequestHandler('elicitation/create', async () => {
          vi.setSystemTime(Date.now() + 300_000);
          return { action: 'accept' };
        }),
    });
    expect((await client.callTool({ name: 'shop_a' })).structuredContent).toEqual(completed);
  } finally {
    vi.useRealTimers();
  }
  expect(Math.min(...timeouts)).toBeGreaterThan(40_000);
  expect(gateway.calls.at(-1)?.context.waitMs).toBeGreaterThan(40_000);
});

it('is bound to the call, and cannot be made up', async () => {
  const gateway = new SignedOutGateway();
  gateway.onAwaitSignIn = async () => 'pending';
  const { toServer, fromServer } = servePiped(gateway);
  const call = async (params: object): Promise<JSONRPCMessage> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta, ...params } };
    toServer.write(`${JSON.stringify(message)}\n`);
    const [chunk] = await once(fromServer, 'data');
    return JSON.parse(String(chunk));
  };
  const inputResponses = { sign_in: { action: 'accept' } };
  const asked = await call({ name: 'shop_a', arguments: { q: 'x' } });
  const requestState = 'result' in asked ? asked.result.requestState : undefined;
  const asks = { result: { resultType: 'input_required', inputRequests: { sign_in: {} } } };
  for (const other of [
    { name: 'shop_b', arguments: { q: 'x' }, requestState },
    { name: 'shop_a', arguments: { q: 'y' }, requestState },
    { name: 'shop_a', arguments: { q: 'x' } },
  ]) {
    expect(await call({ ...other, inputResponses })).toMatchObject(asks);
  }
  const forged = { name: 'shop_a', arguments: { q: 'x' }, inputResponses, requestState: `${requestState}x` };
  expect(await call(forged)).toMatchObject({ error: { code: -32602 } });
  expect(gateway.calls.every(({ context }) => context.signIn === 'unasked')).toBe(true);

  // The one that was given: it waits, and the client comes back with its state alone.
  const waiting = await call({ ...forged, requestState });
  expect(waiting).toMatchObject({ result: { resultType: 'input_required' } });
  expect(waiting).not.toHaveProperty('result.inputRequests');
  gateway.onAwaitSignIn = async () => {
    gateway.signedIn = true;
    return 'verified';
  };
  const again = 'result' in waiting ? waiting.result.requestState : undefined;
  expect(await call({ name: 'shop_a', arguments: { q: 'x' }, requestState: again })).toMatchObject({
    result: { resultType: 'complete', structuredContent: { status: 'completed' } },
  });
});

it.each([
  ['github-copilot-developer', true],
  ['a-client', false],
])('the current revision has no elicitationId, but %s is sent one: %s', async (name, expected) => {
  const { server } = await serveHttp({
    prepare: (gateway) => {
      const { body } = new GatewayError({ service: 'AUTH_REQUIRED' }, 'No', { kind: 'retry', when: 'now' });
      gateway.onRun = async () => ({ body, question });
    },
  });
  const { body, ...rest } = standalone('tools/call', { name: 'shop_a', arguments: {} });
  const sent = body
    .replace('clientCapabilities":{}', 'clientCapabilities":{"elicitation":{"url":{}}}')
    .replace('"a-test"', JSON.stringify(name));
  // The client of the SDK drops what its revision does not know.
  const text = await (await fetch(`${server.origin}/mcp`, { ...rest, body: sent })).text();
  expect(text).toContain(offer.url);
  expect(text.includes('elicitationId')).toBe(expected);
});

it('a client without a handler for pages gets the address in its answers', async () => {
  const gateway = new SignedOutGateway();
  gateway.onAwaitSignIn = async () => 'pending';
  const { client } = await connectPiped(gateway, 'legacy', { capabilities: { elicitation: { url: {} } } });
  for (const _ of [1, 2]) {
    const result = await client.callTool({ name: 'shop_a', arguments: { q: 'x' } });
    expect(result.structuredContent).toMatchObject({ error: { code: 'CANNOT_SHOW', login_url: offer.url } });
  }
});

describe.each(eras)('a client of the %s era that declines a page by itself', (era) => {
  it('is asked once, gets the address in every answer, and may wait with login for the person', async () => {
    const shown: Shown = { params: [], completed: [] };
    const { gateway, person } = await signedOutService();
    const { client } = await connectPiped(gateway, modeOf(era), {
      ...showing('decline', shown, 20),
      name: 'codex-mcp-client',
    });
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      Object((await client.callTool({ name, arguments: args })).structuredContent);
    const first = await call('shop-buy');
    expect(first).toMatchObject({ error: { code: 'AUTH_REQUIRED', login_url: expect.any(String) } });
    const { login_url } = first.error;
    expect(await call('shop-buy')).toMatchObject({ error: { code: 'AUTH_REQUIRED', login_url } });
    expect(await call('login', { catalog: 'shop' })).toMatchObject({ status: 'sign_in_required', login_url });
    const waiting = call('login', { catalog: 'shop', wait_seconds: 30 });
    await person.signIn(login_url);
    expect(await waiting).toMatchObject({ status: 'verified' });
    expect(await call('shop-buy')).toMatchObject({ status: 'completed' });
    expect(shown.params).toHaveLength(1);
  });
});

/** A gateway over a scripted service whose action needs an account, and the person at the page. */
async function signedOutService() {
  const upstream = await scriptedUpstream({
    catalogs: [
      {
        slug: 'shop',
        auth_types: ['credentials'],
        login_input_schema: [{ name: 'email', type: 'string', required: true, description: 'Email' }],
      },
    ],
    actions: [{ action_id: 'shop-buy', catalog_slug: 'shop', auth_mode: 'required' }],
  });
  const pages = createPages();
  const signIn = {
    pages,
    apiKey: upstream.apiKey,
    getAddress: async ({ id }: { id: string }) => `http://127.0.0.1:1/sign-in/${id}`,
  };
  const { gateway } = openGateway(upstream, await temporaryFolder(), {}, upstream.apiKey, { signIn });
  const person = {
    async signIn(url: unknown) {
      const page = await pages.find(String(url).split('/').at(-1) ?? '');
      await page?.submit({ email: 'a@b.example' });
    },
  };
  return { gateway, person };
}
