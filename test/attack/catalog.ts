/** A service of 40,000 actions: every list stays short, and nobody waits long for the catalog or a search of it. */
import * as z from 'zod';
import { standalone } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { type Attack, callTool, expectTrue, type Family, startTarget, type Target } from './attack.ts';

const actionCount = 40_000;
const catalogCount = 200;
const last = `shop-${(actionCount - 1) % catalogCount}-list-${actionCount - 1}`;
/** By default, with the tools of the server itself. */
const maxTools = 120;
const maxAnswerChars = 60_000;
/** MiB, of which the catalog as text is 30. */
const maxMemory = 700;
/**
 * Milliseconds of processor time for which other requests may wait: while all of it is read, named and indexed, or a service
 * answers a search with all of it; and while one answer is made from what is known.
 */
const maxReadingMs = 1_000;
const maxAnswerMs = 250;

const actions = () =>
  Array.from({ length: actionCount }, (_, n) => ({
    action_id: `shop-${n % catalogCount}-list-${n}`,
    catalog_slug: `shop-${n % catalogCount}`,
    name: `Things of kind ${n}`,
    description: `Lists the things of kind ${n} with name, price and number in stock`,
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words to look for' }, page: { type: 'integer' } },
    },
    job: { data: { n } },
  }));

const Listed = z.object({
  result: z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() }),
});
const Found = z.object({
  result: z.object({
    structuredContent: z.looseObject({
      results: z.array(z.looseObject({ action_id: z.string() })).default([]),
    }),
  }),
});

/** Calls a tool, and rejects where its answer is too long, or others waited for too long. */
async function ask(gateway: Target, name: string, args: object, mostMs: number): Promise<string> {
  let answer = '';
  const held = await gateway.longestHold(async () => {
    answer = (await callTool(gateway.origin, name, args)).text;
  });
  expectTrue(held < mostMs, `others waited for ${Math.round(held)} ms of processor time`);
  expectTrue(answer.length < maxAnswerChars, `an answer of ${answer.length} characters`);
  return answer;
}

const searches = (gateway: Target): readonly Attack[] =>
  [
    'things of kind 1',
    `things of kind ${actionCount - 1}`,
    'kind',
    'x'.repeat(1_000),
    'zebra '.repeat(100),
  ].map((q) => ({
    name: `a search for ${q.slice(0, 30)}`,
    async run() {
      const text = await ask(gateway, 'search_actions', { q }, maxReadingMs);
      const [first] = Found.parse(JSON.parse(text)).result.structuredContent.results;
      if (q.endsWith(`${actionCount - 1}`))
        expectTrue(first?.action_id === last, `found ${first?.action_id}`);
      const memory = gateway.peakMemory();
      expectTrue(memory < maxMemory, `${Math.round(memory)} MiB`);
    },
  }));

export const catalog: Family = {
  name: 'catalog',
  async prepare(closeLater) {
    const upstream = await startUpstream({ balance: 1e6, actions: actions() });
    closeLater(() => upstream.close());
    const gateway = await startTarget('http', {
      SVC_BASE_URL: upstream.origin,
      SVC_API_KEY: upstream.apiKey,
    });
    closeLater(() => gateway.close());
    return [
      ...searches(gateway),
      {
        name: 'the list of tools keeps its budgets, and has one page',
        async run() {
          const answer = await gateway.survive(
            () => fetch(`${gateway.origin}/mcp`, standalone('tools/list')),
            maxAnswerMs,
          );
          const text = await answer.text();
          const { tools, nextCursor } = Listed.parse(JSON.parse(text)).result;
          expectTrue(tools.length <= maxTools && tools.length > 50, `${tools.length} tools`);
          expectTrue(text.length <= maxAnswerChars, `${text.length} characters`);
          expectTrue(nextCursor === undefined, 'a further page');
        },
      },
      {
        name: 'an action that is not listed runs by its id',
        async run() {
          const text = await ask(
            gateway,
            'run_action',
            { action_id: last, params: { query: 'x' } },
            maxAnswerMs,
          );
          expectTrue(text.includes('"status":"completed"'), text.slice(0, 300));
        },
      },
      ...[{}, { catalog: 'shop-7' }].map((args) => ({
        name: `browse_catalogs ${JSON.stringify(args)} keeps the budget of an answer`,
        run: async () => {
          await ask(gateway, 'browse_catalogs', args, maxAnswerMs);
        },
      })),
    ];
  },
};
