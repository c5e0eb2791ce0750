import type { ElicitResult, JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/gateway/foundation/errors.ts';
import { completed, FakeGateway, listedTool } from '../support/fake-gateway.ts';
import {
  type ConnectOptions,
  connectPiped,
  endAllPipes,
  eras,
  modeOf,
  servePiped,
} from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

/** The server's clock. It stands still until somebody takes their time. */
let passedMs = 0;
const startedAt = Date.now();
const clock = { now: () => startedAt + passedMs, monotonic: () => passedMs };
/** As long as a person needs to read a question. */
const readingMs = 1_000;

const refused = (seen: string) => ({
  body: new GatewayError({ service: `SEEN_${seen}` }, 'No', { kind: 'retry', when: 'now' }).body,
});

/** Behaves as the gateway does above the configured price. */
class PricedGateway extends FakeGateway {
  credits = 50;
  readonly spent: number[] = [];

  constructor() {
    super(listedTool('shop_a'), listedTool('shop_b'));
    this.onRun = async ({ context: { confirmation } }) => {
      const { credits } = this;
      if (confirmation === 'unasked') {
        return this.#question();
      }
      if (confirmation === 'cannot-ask') return refused(confirmation);
      if (confirmation.credits !== credits) return this.#question();
      if (confirmation.answer === 'declined') return refused('declined');
      this.spent.push(credits);
      return { body: completed };
    };
  }

  #question() {
    const { credits } = this;
    const confirmation = {
      actionId: 'a',
      actionName: 'Big "shop"',
      site: 'The Shop',
      account: 'home',
      credits,
      cost: `${credits} credits`,
      spentToday: 7,
    };
    return { ...refused('asked'), question: { kind: 'confirmation', confirmation } as const };
  }
}

const answering = (
  action: ElicitResult['action'],
  messages: string[] = [],
  afterMs = readingMs,
): ConnectOptions => ({
  server: { clock },
  capabilities: { elicitation: { form: {} } },
  prepare: (client) =>
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      messages.push(params.message);
      passedMs += afterMs;
      return action === 'accept' ? { action, content: {} } : { action };
    }),
});

describe.each(eras)('a confirmation in the %s era', (era) => {
  const mode = modeOf(era);

  it('names action, price and what was spent, and runs once when accepted', async () => {
    const gateway = new PricedGateway();
    const messages: string[] = [];
    const { client } = await connectPiped(gateway, mode, answering('accept', messages));
    const result = await client.callTool({ name: 'shop_a', arguments: { q: 'x' } });
    expect(result.structuredContent).toEqual(completed);
    expect(gateway.spent).toEqual([50]);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^Spend 50 credits .*Big 'shop'.*The Shop" as "home".*7 credits/);
  });

  it.each(['decline', 'cancel'] as const)('is a refusal on %s', async (action) => {
    const gateway = new PricedGateway();
    const { client } = await connectPiped(gateway, mode, answering(action));
    const result = await client.callTool({ name: 'run_action', arguments: { action_id: 'a' } });
    expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_declined' } });
    expect(gateway.spent).toEqual([]);
  });

  it.each(['accept', 'decline', 'cancel'] as const)(
    'that is answered by %s at once counts as not shown to anybody',
    async (action) => {
      const gateway = new PricedGateway();
      const { client } = await connectPiped(gateway, mode, answering(action, [], readingMs - 1));
      const result = await client.callTool({ name: 'shop_a' });
      expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_cannot-ask' } });
      expect(gateway.spent).toEqual([]);
    },
  );

  it('gives each answer a name of its own', async () => {
    const gateway = new PricedGateway();
    const { client } = await connectPiped(gateway, mode, answering('accept'));
    for (const _ of [1, 2]) await client.callTool({ name: 'shop_a' });
    const consents = gateway.calls.flatMap(({ context: { confirmation } }) =>
      typeof confirmation === 'object' ? [confirmation.consent] : [],
    );
    expect(consents).toEqual([expect.stringMatching(/^[\w-]{24}$/), expect.stringMatching(/^[\w-]{24}$/)]);
    expect(new Set(consents).size).toBe(2);
  });

  it('shows the params of the call, one a line', async () => {
    const messages: string[] = [];
    const gateway = new PricedGateway();
    gateway.onCall = gateway.onRun;
    const { client } = await connectPiped(gateway, mode, answering('accept', messages));
    await client.callTool({ name: 'shop_a', arguments: { q: 'books', max: 3 } });
    await client.callTool({ name: 'run_action', arguments: { action_id: 'a', params: { q: 'maps' } } });
    const batch = Array.from({ length: 22 }, (_, index) => ({ q: `map\n${index}` }));
    await client.callTool({ name: 'run_action', arguments: { action_id: 'a', batch } });
    const lines = messages.map((message) => message.split('\n').slice(1));
    expect(lines[0]).toEqual(['q: "books"', 'max: 3']);
    expect(lines[1]).toEqual(['q: "maps"']);
    expect(lines[2]).toHaveLength(21);
    expect(lines[2]?.slice(0, 2)).toEqual(['1. {"q":"map\\n0"}', '2. {"q":"map\\n1"}']);
    expect(lines[2]?.at(-1)).toBe('… and 2 more');
  });

  it('is not asked of a client that cannot', async () => {
    const gateway = new PricedGateway();
    const { client } = await connectPiped(gateway, mode);
    const result = await client.callTool({ name: 'shop_a' });
    expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_cannot-ask' } });
    expect(gateway.calls.map(({ context }) => context.confirmation)).toEqual(['cannot-ask']);
  });

  it('is not asked of a client that can only open pages', async () => {
    const gateway = new PricedGateway();
    const { client } = await connectPiped(gateway, mode, { capabilities: { elicitation: { url: {} } } });
    const result = await client.callTool({ name: 'shop_a' });
    expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_cannot-ask' } });
  });

  it('is asked again when the price rose meanwhile', async () => {
    const gateway = new PricedGateway();
    const messages: string[] = [];
    const { client } = await connectPiped(gateway, mode, {
      server: { clock },
      capabilities: { elicitation: { form: {} } },
      prepare: (prepared) =>
        prepared.setRequestHandler('elicitation/create', async ({ params }) => {
          messages.push(params.message);
          passedMs += readingMs;
          gateway.credits = 80;
          return { action: 'accept', content: {} };
        }),
    });
    await client.callTool({ name: 'shop_a' });
    expect(messages.map((message) => message.match(/^Spend (\d+) credits/)?.[1])).toEqual(['50', '80']);
    expect(gateway.spent).toEqual([80]);
  });

  it('ends with the call when that is cancelled', async () => {
    const gateway = new PricedGateway();
    const cancel = new AbortController();
    const { client } = await connectPiped(gateway, mode, {
      capabilities: { elicitation: { form: {} } },
      prepare: (prepared) =>
        prepared.setRequestHandler('elicitation/create', async () => {
          cancel.abort();
          return { action: 'accept', content: {} };
        }),
    });
    await expect(client.callTool({ name: 'shop_a' }, { signal: cancel.signal })).rejects.toThrow('aborted');
    // The connection goes on, and nothing was spent.
    await client.listTools();
    expect(gateway.spent).toEqual([]);
  });
});

it('a confirmation that a client fails to show spends nothing', async () => {
  const gateway = new PricedGateway();
  const { client } = await connectPiped(gateway, 'legacy', {
    capabilities: { elicitation: { form: {} } },
    prepare: (prepared) =>
      prepared.setRequestHandler('elicitation/create', async () => {
        throw new Error('no window');
      }),
  });
  expect(await client.callTool({ name: 'shop_a' })).toMatchObject({ isError: true });
  expect(gateway.spent).toEqual([]);
});

it('a confirmation counts the time of asking if the client waits for its call meanwhile', async () => {
  const gateway = new PricedGateway();
  const { client } = await connectPiped(gateway, 'legacy', {
    capabilities: { elicitation: { form: {} } },
    server: { clock, waitSeconds: 10 },
    prepare: (prepared) =>
      prepared.setRequestHandler('elicitation/create', async () => {
        passedMs += 1_500;
        return { action: 'accept', content: {} };
      }),
  });
  await client.callTool({ name: 'shop_a' });
  expect(gateway.calls.map(({ context }) => context.waitMs)).toEqual([10_000, 8_500]);
});

describe('the state of a question', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
  const accepted = { confirm: { action: 'accept', content: {} } };

  function rawConnection(gateway: FakeGateway) {
    const { toServer, fromServer } = servePiped(gateway, { clock });
    let id = 0;
    return async (params: object) => {
      id += 1;
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { _meta: envelope, ...params } };
      const answer = new Promise<JSONRPCMessage>((resolve) =>
        fromServer.once('data', (chunk: Buffer) => resolve(JSON.parse(chunk.toString()))),
      );
      toServer.write(`${JSON.stringify(message)}\n`);
      return answer;
    };
  }

  it('is bound to the call, and cannot be made up', async () => {
    const gateway = new PricedGateway();
    const call = rawConnection(gateway);
    const asked = await call({ name: 'shop_a', arguments: { q: 'x' } });
    expect(asked).toMatchObject({
      result: { resultType: 'input_required', requestState: expect.any(String) },
    });
    const requestState = 'result' in asked ? asked.result.requestState : undefined;
    passedMs += readingMs;

    // An answer without its question.
    expect(await call({ name: 'shop_a', arguments: { q: 'x' }, inputResponses: accepted })).toMatchObject({
      result: { resultType: 'input_required' },
    });
    // The answer to another call.
    for (const other of [
      { name: 'shop_b', arguments: { q: 'x' } },
      { name: 'shop_a', arguments: { q: 'y' } },
    ]) {
      expect(await call({ ...other, inputResponses: accepted, requestState })).toMatchObject({
        result: { resultType: 'input_required' },
      });
    }
    // An answer that is no member of the answers.
    const inherited = JSON.parse(`{"__proto__": ${JSON.stringify(accepted)}}`);
    expect(
      await call({ name: 'shop_a', arguments: { q: 'x' }, inputResponses: inherited, requestState }),
    ).toMatchObject({ result: { resultType: 'input_required' } });
    // A forged one.
    expect(
      await call({
        name: 'shop_a',
        arguments: { q: 'x' },
        inputResponses: accepted,
        requestState: `${requestState}x`,
      }),
    ).toMatchObject({ error: { code: -32602 } });
    expect(gateway.spent).toEqual([]);

    // The one that was given.
    expect(
      await call({ name: 'shop_a', arguments: { q: 'x' }, inputResponses: accepted, requestState }),
    ).toMatchObject({ result: { resultType: 'complete', structuredContent: { status: 'completed' } } });
    expect(gateway.spent).toEqual([50]);
  });

  it('is not needed to declare that forms are meant', async () => {
    const call = rawConnection(new PricedGateway());
    const bare = { ...envelope, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    expect(await call({ name: 'shop_a', _meta: bare })).toMatchObject({
      result: { resultType: 'input_required' },
    });
  });

  it('is refused if another process made it', async () => {
    const asked = await rawConnection(new PricedGateway())({ name: 'shop_a' });
    const requestState = 'result' in asked ? asked.result.requestState : undefined;
    const gateway = new PricedGateway();
    const call = rawConnection(gateway);
    expect(await call({ name: 'shop_a', inputResponses: accepted, requestState })).toMatchObject({
      error: { code: -32602 },
    });
    expect(gateway.spent).toEqual([]);
  });
});

it('a confirmation does not count as declined if the client declares questions but has no handler for them', async () => {
  const gateway = new PricedGateway();
  const { client } = await connectPiped(gateway, 'legacy', { capabilities: { elicitation: { form: {} } } });
  const result = await client.callTool({ name: 'shop_a' });
  expect(result.structuredContent).toMatchObject({ error: { code: 'SEEN_cannot-ask' } });
});
