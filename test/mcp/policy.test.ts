/** Each `next` names a tool that exists with arguments that it takes, and never spends credits without saying so. */
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { gatewayErrors } from '../../src/gateway/foundation/error-codes.ts';
import type { Gateway } from '../../src/gateway/interface/gateway.ts';
import type { JsonObject, Outcome } from '../../src/gateway/interface/outcomes.ts';
import { instructionsFor } from '../../src/mcp/server.ts';
import { withSentences } from '../../src/mcp/steps/next-steps.ts';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { staticToolList } from '../../src/mcp/tools/tool-list.ts';
import { callContext, closeGateways, deliver, startGateway } from '../support/gateway.ts';
import { envelope } from '../support/upstream-faults.ts';
import type { UpstreamScript } from '../support/upstream-script.ts';

afterEach(closeGateways);

const names = staticTools.map(({ name }) => name);
const toolNames = new RegExp(`\\b(${names.join('|')})\\b`, 'g');

const toolsIn = (text: string) =>
  [...text.matchAll(/\b(?:search|browse|run|get|list|request)_[a-z_]+\b/g)].map(([name]) => name);

interface NamedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** The calls with arguments that a sentence names. */
function callsIn(sentence: string): NamedCall[] {
  return [...sentence.matchAll(toolNames)].flatMap(({ 0: tool, index }) => {
    const rest = sentence.slice(index + tool.length);
    if (!rest.startsWith(' {"')) return [];
    for (let end = rest.indexOf('}'); end >= 0; end = rest.indexOf('}', end + 1)) {
      try {
        return [{ tool, args: JSON.parse(rest.slice(1, end + 1)) }];
      } catch {
        // A brace inside of it.
      }
    }
    return expect.fail(`Unreadable arguments in: ${sentence}`);
  });
}

const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `Row ${id}` }));
const script = {
  catalogs: [{ slug: 'shop', auth_types: ['credentials'] }, { slug: 'open' }],
  actions: [
    { action_id: 'shop-rows', catalog_slug: 'shop', job: { data: { rows } } },
    { action_id: 'shop-slow', catalog_slug: 'shop', job: { ms: Number.POSITIVE_INFINITY } },
    {
      action_id: 'shop-fails',
      catalog_slug: 'shop',
      job: { error: { code: 'EXECUTION_FAILED', message: 'No' } },
    },
    { action_id: 'shop-orders', catalog_slug: 'shop', auth_mode: 'required' },
    { action_id: 'open-strict', catalog_slug: 'open', parameters: { type: 'object', required: ['q'] } },
  ],
};

/** What an agent may do, right or wrong; each answer's sentences are checked. */
async function answers(gateway: Gateway): Promise<JsonObject[]> {
  const context = () => callContext({ waitMs: 50 });
  const run = async (input: Parameters<Gateway['runAction']>[0]) =>
    (await deliver(gateway.runAction(input, callContext()))).body;
  const large = await run({ action_id: 'shop-rows' });
  const job_id = String(large.job_id);
  const get = async (input: JsonObject) => (await gateway.getJob(input, context())).body;
  return [
    large,
    await run({ action_id: 'shop-rows', select: 'rows' }),
    await run({ action_id: 'shop-rows', select: 'rows[*].nam' }),
    await run({ action_id: 'shop-rows', select: 'nothing' }),
    await run({ action_id: 'shop-rows', select: 'length(rows[0])', format: 'csv' }),
    await run({ action_id: 'shop-rows', select: 'rows[' }),
    await run({ action_id: 'shop-rows', format: 'csv' }),
    await run({ action_id: 'shop-row' }),
    await run({ action_id: 'shop-fails' }),
    await run({ action_id: 'shop-orders' }),
    await run({ action_id: 'shop-orders', identity: 'work' }),
    await run({ action_id: 'open-strict', params: {} }),
    (await gateway.runAction({ action_id: 'shop-slow', select: 'rows' }, context())).body,
    await get({}),
    await get({ limit: 1 }),
    await get({ job_id: 'nobody' }),
    await get({ job_id: 'local-nobody' }),
    await get({ job_id, select: 'rows' }),
    await get({ job_id, select: 'row' }),
    await get({ job_id, select: 'rows[' }),
    await get({ job_id, format: 'csv' }),
    await get({ job_id, select: 'rows', limit: 5, format: 'csv' }),
    (await gateway.listIdentities({}, context())).body,
    (await gateway.listIdentities({ catalog: 'shop' }, context())).body,
    (await gateway.login({ catalog: 'open' }, context())).body,
    (await gateway.login({ catalog: 'shop', params: { wrong: 'x' } }, context())).body,
    (await gateway.login({ catalog: 'shpo' }, context())).body,
    (await gateway.searchActions({ q: 'zebra' }, context())).body,
    (await gateway.listBuildRequests({ id: 'nobody' }, context())).body,
    (await gateway.listBuildRequests({}, context())).body,
  ];
}

/** An account of the catalog `shop` of these scripts. */
const account = (name: string, status: string) => ({
  id: `identity-${name}`,
  catalog_id: 'shop-id',
  name,
  is_default: false,
  created_at: '2026-01-01T00:00:00Z',
  credentials: [
    {
      id: `credential-${name}`,
      identity_id: `identity-${name}`,
      credential_type: 'credentials',
      status,
      last_used_at: null,
      created_at: '2026-01-01T00:00:00Z',
    },
  ],
});
const accountScript = {
  catalogs: [{ slug: 'shop', id: 'shop-id', auth_types: ['credentials'] }],
  actions: [
    { action_id: 'shop-orders', catalog_slug: 'shop', auth_mode: 'required' },
    { action_id: 'shop-offers', catalog_slug: 'shop', auth_mode: 'optional' },
  ],
  identities: [account('anna', 'active'), account('bert', 'active'), account('old', 'expired')],
};

/** What goes wrong only in a certain state of the service. */
const situations: Readonly<Record<string, { readonly script?: UpstreamScript; readonly run: Situation }>> = {
  'a submission whose answer was lost': {
    run: async ({ gateway, upstream }) => {
      const call = () => gateway.runAction({ action_id: 'shop-rows', params: { n: 1 } }, callContext());
      upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
      const outcomes: Outcome[] = [await call(), await call()];
      upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
      const batch = [{ n: 2 }, { n: 3 }];
      outcomes.push(await gateway.runBatch({ action_id: 'shop-rows', batch }, callContext()));
      upstream.fail('requestBuild', { kind: 'reset', carriedOut: true }, { times: 1 });
      const build = { website_url: 'https://new.example/', goal: 'List the prices' };
      return [...outcomes, await gateway.requestBuild(build, callContext())];
    },
  },
  'a batch that outlasts its call, or ends early': {
    script: { ...script, balance: 3 },
    run: async ({ gateway, upstream }) => {
      const early = Array.from({ length: 9 }, (_, n) => ({ n }));
      const ended = await gateway.runBatch({ action_id: 'shop-rows', batch: early }, callContext());
      upstream.service.balance = 100;
      const slow = { action_id: 'shop-slow', batch: [{ n: 1 }] };
      return [ended, await gateway.runBatch(slow, callContext({ waitMs: 50 }))];
    },
  },
  'a price above what may be spent, or above the one that was listed': {
    run: async ({ gateway, upstream }) => {
      const call = { action_id: 'shop-rows', max_credits: 0 };
      await gateway.listing();
      const refused = await gateway.runAction(call, callContext());
      upstream.service.addAction({ action_id: 'shop-fails', catalog_slug: 'shop', credits: 9 });
      upstream.fail('submitTask', envelope(402, 'INSUFFICIENT_CREDITS', 'No', { balance: 1, required: 9 }));
      return [refused, await gateway.runAction({ action_id: 'shop-fails' }, callContext())];
    },
  },
  'several accounts, an unknown and an expired one': {
    script: accountScript,
    run: async ({ gateway }) => {
      const run = (action_id: string, identity?: string) =>
        gateway.runAction({ action_id, identity }, callContext());
      return [
        await run('shop-orders'),
        await run('shop-orders', 'nobody'),
        await run('shop-orders', 'old'),
        await run('shop-offers'),
      ];
    },
  },
  'builds: under way, failed, done, existing and previewed': {
    run: async ({ gateway, upstream }) => {
      const request = (host: string) =>
        gateway.requestBuild(
          { website_url: `https://${host}/`, goal: 'List it' },
          callContext({ waitMs: 50 }),
        );
      const pending = [await request('one.example'), await request('two.example')];
      const [one, two] = upstream.service.builds;
      upstream.service.finishBuild(one?.id ?? '', { action_id: 'one-list', catalog_slug: 'one', credits: 2 });
      upstream.service.finishBuild(two?.id ?? '');
      const ended = [one, two].map((build) => gateway.listBuildRequests({ id: build?.id }, callContext()));
      const preview = { website_url: 'https://shop.example/' };
      return [
        ...pending,
        ...(await Promise.all(ended)),
        await request('shop.example'),
        await gateway.previewBuild(preview, callContext()),
        await gateway.listBuildRequests({}, callContext()),
      ];
    },
  },
};

type Situation = (started: Awaited<ReturnType<typeof startGateway>>) => Promise<readonly Outcome[]>;

/** Every `next` of a body, of its rows too; what a service returned as data is none of ours. */
const sentencesOf = (body: JsonObject): string[] => nextOf(withSentences(body).body);

function nextOf(body: JsonObject): string[] {
  return Object.entries(body).flatMap(([key, value]) => {
    if (key === 'next' && typeof value === 'string') return [value];
    if (key === 'data' || key === 'params' || typeof value !== 'object' || value === null) return [];
    return nextOf({ ...value });
  });
}

const spends = ['run_action', 'request_build'];
const saysCost = /credit|cost|paid|paying|price/;

/** Makes the calls of the sentences that cost nothing; checks that the others say that they cost. */
async function follow(sentences: readonly string[], gateway: Gateway): Promise<void> {
  for (const sentence of sentences) {
    if (spends.some((tool) => new RegExp(`\\b${tool}\\b`).test(sentence.replace(/list_build_requests/g, ''))))
      expect(sentence).toMatch(saysCost);
    for (const { tool, args } of callsIn(sentence)) {
      const named = staticTools.find(({ name }) => name === tool);
      if (named === undefined) return expect.fail(sentence);
      expect([sentence, named.input.safeParse(args).success]).toEqual([sentence, true]);
      if (spends.includes(tool)) continue;
      const { wait_seconds: _wait, ...input } = args;
      await named.run(gateway, named.input.parse(input), callContext({ waitMs: 0 }));
    }
  }
}

it('next names calls that the tools accept, and following it literally never spends without saying so', async () => {
  const { gateway, upstream } = await startGateway(script, { resultChars: 2_000 });
  const sentences = (await answers(gateway)).flatMap(sentencesOf);
  expect(sentences.length).toBeGreaterThan(20);
  expect(sentences.flatMap(callsIn).length).toBeGreaterThan(10);
  const spent = upstream.requestsTo('submitTask').length;
  await follow(sentences, gateway);
  expect(upstream.requestsTo('submitTask')).toHaveLength(spent);
  expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
}, 60_000);

it.each(Object.entries(situations))(
  'next after %s spends nothing without saying so and changes no account',
  async (_, { script: of = script, run }) => {
    const started = await startGateway(of);
    const { gateway, upstream } = started;
    const outcomes = await run(started);
    const sentences = outcomes.flatMap(({ body }) => sentencesOf(body));
    expect(sentences.length).toBeGreaterThanOrEqual(outcomes.length - 1);
    const requests = () =>
      (['submitTask', 'requestBuild'] as const).map((name) => upstream.requestsTo(name).length);
    const before = [requests(), structuredClone(upstream.service.identities)];
    await follow(sentences, gateway);
    expect([requests(), upstream.service.identities]).toEqual(before);
  },
  60_000,
);

it('an unknown or expired account leads to a sign-in of that account, never to another one', async () => {
  const { gateway } = await startGateway(accountScript);
  for (const identity of ['nobody', 'old']) {
    const { body } = await gateway.runAction({ action_id: 'shop-orders', identity }, callContext());
    const calls = sentencesOf(body).flatMap(callsIn);
    expect(calls).toEqual([{ tool: 'login', args: { catalog: 'shop', identity_name: identity } }]);
  }
});

it('descriptions, errors and instructions name no tool that does not exist', () => {
  const texts = [
    ...Object.values(gatewayErrors).flatMap(({ meaning, next }) => [meaning, next]),
    JSON.stringify(staticToolList.map(({ description, inputSchema }) => [description, inputSchema])),
    instructionsFor(['shop']),
  ];
  for (const text of texts) for (const name of toolsIn(text)) expect(names).toContain(name);
});

it('no sentence in the sources names a tool that does not exist, or a paid one without its cost', async () => {
  let sentences = 0;
  for (const room of ['gateway', 'mcp']) {
    const folder = new URL(`../../src/${room}/`, import.meta.url);
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const lines = (await readFile(new URL(file, folder), 'utf8')).split('\n');
      for (const line of lines.filter((one) => !/^\s*(\/?\*|\/\/)/.test(one))) {
        for (const [, name = ''] of line.matchAll(/\b[Cc]all ([a-z]+_[a-z_]+)/g)) {
          sentences += 1;
          expect(names, `${file}: ${line}`).toContain(name);
          if (spends.includes(name)) expect(line, file).toMatch(/credit|[Cc]ost|paid|paying|price|preview:/);
        }
      }
    }
  }
  expect(sentences).toBeGreaterThan(30);
});

it('no sentence asks for a password in a call', async () => {
  const { gateway } = await startGateway(script);
  for (const sentence of (await answers(gateway)).flatMap(sentencesOf)) {
    expect(sentence).not.toMatch(/login (with|\{[^}]*)\W*params/);
  }
}, 60_000);
