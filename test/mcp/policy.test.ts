/** Each `next` names a tool that exists with arguments that it takes, and never spends credits without saying so. */
import { afterEach, expect, it } from 'vitest';
import { gatewayErrors } from '../../src/gateway/error-codes.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { JsonObject } from '../../src/gateway/outcomes.ts';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { callContext, closeGateways, deliver, startGateway } from '../support/gateway.ts';

afterEach(closeGateways);

const names = staticTools.map(({ name }) => name);
const toolNames = new RegExp(`\\b(${names.join('|')})\\b`, 'g');

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
    await get({ job_id, path: 'rows' }),
    await get({ job_id, path: 'row' }),
    await get({ job_id, path: 'rows[' }),
    await get({ job_id, format: 'csv' }),
    await get({ job_id, path: 'rows', limit: 5, format: 'csv' }),
    (await gateway.listIdentities({}, context())).body,
    (await gateway.listIdentities({ catalog_slug: 'shop' }, context())).body,
    (await gateway.login({ catalog_slug: 'open' }, context())).body,
    (await gateway.login({ catalog_slug: 'shop', params: { wrong: 'x' } }, context())).body,
    (await gateway.login({ catalog_slug: 'shpo' }, context())).body,
    (await gateway.searchActions({ q: 'zebra' }, context())).body,
    (await gateway.listBuildRequests({ id: 'nobody' }, context())).body,
    (await gateway.listBuildRequests({}, context())).body,
  ];
}

const sentencesOf = (body: JsonObject): string[] =>
  [body.next, Object(body.truncated).next].filter((text) => typeof text === 'string');

it('next names calls that the tools take, and following it literally never spends unsaid', async () => {
  const { gateway, upstream } = await startGateway(script, { resultChars: 2_000 });
  const sentences = (await answers(gateway)).flatMap(sentencesOf);
  expect(sentences.length).toBeGreaterThan(20);
  expect(sentences.flatMap(callsIn).length).toBeGreaterThan(10);
  const spent = upstream.requestsTo('submitTask').length;
  for (const sentence of sentences) {
    for (const { tool, args } of callsIn(sentence)) {
      const named = staticTools.find(({ name }) => name === tool);
      if (named === undefined) return expect.fail(sentence);
      expect([sentence, named.input.safeParse(args).success]).toEqual([sentence, true]);
      if (tool === 'run_action' || tool === 'request_build') {
        expect(sentence).toMatch(/credit|cost|paid|paying/);
        continue;
      }
      const { wait_seconds: _wait, ...input } = args;
      await named.run(gateway, named.input.parse(input), callContext({ waitMs: 0 }));
    }
  }
  expect(upstream.requestsTo('submitTask')).toHaveLength(spent);
  expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
}, 60_000);

it('errors and descriptions name no tool that does not exist', () => {
  const texts = [
    ...Object.values(gatewayErrors).flatMap(({ meaning, next }) => [meaning, next]),
    ...staticTools.map(({ description }) => description),
  ];
  const verbs = /\b(?:search|browse|run|get|list|request)_[a-z_]+\b/g;
  for (const text of texts) for (const [name] of text.matchAll(verbs)) expect(names).toContain(name);
});

it('no sentence asks for a password in a call', async () => {
  const { gateway } = await startGateway(script);
  for (const sentence of (await answers(gateway)).flatMap(sentencesOf)) {
    expect(sentence).not.toMatch(/login (with|\{[^}]*)\W*params/);
  }
}, 60_000);
