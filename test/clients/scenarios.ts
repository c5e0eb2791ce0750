/** What each client is taken through: the scripted model's moves, and what must have come of them. */
import type { Upstream } from '../support/upstream.ts';
import type { Move, Script, Turn } from './model.ts';

interface Outcome {
  readonly turns: readonly Turn[];
  /** What the model read, call by call. */
  readonly results: readonly string[];
  readonly upstream: Upstream;
}

export interface Scenario {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly env?: Readonly<Record<string, string>>;
  readonly script: (hooks: { restart: () => void }) => Script;
  /** `ok`, or in a few words what was different. */
  readonly judge: (outcome: Outcome) => string;
}

/** The client's own name for a tool of the server: prefixes differ. */
const findTool = (turn: Turn, name: string): string | undefined =>
  turn.tools.find(
    (tool) => tool === name || ['__', '_', '-', '::', '.'].some((mark) => tool.endsWith(mark + name)),
  );

const deferredSearch = {
  ToolSearch: {
    query: 'select:mcp__svc__search_actions,mcp__svc__run_action,mcp__svc__get_job,mcp__svc__login',
    max_results: 5,
  },
  tool_search: { query: 'search_actions run_action get_job login', limit: 8 },
};
const qwenSearch = {
  query: 'select:mcp__svc__search_actions,mcp__svc__run_action,mcp__svc__get_job,mcp__svc__login',
  max_results: 5,
};

/** Plays the calls in their order; a client that defers tools is asked for them first. */
function play(
  steps: readonly ((results: readonly string[]) => { tool: string; args: Record<string, unknown> })[],
): Script {
  let done = 0;
  let searched = false;
  return (turn): Move => {
    const results = ownResults(turn);
    const step = steps[done];
    if (step === undefined) return { say: 'Done.' };
    const { tool, args } = step(results);
    const name = findTool(turn, tool);
    if (name !== undefined) {
      done += 1;
      return { call: name, args };
    }
    // Qwen Code shows a deferred tool's schema, and calls it by a tool of its own.
    if (turn.tools.includes('tool_call') && turn.results.some((text) => text.includes('<function'))) {
      done += 1;
      return { call: 'tool_call', args: { name: `mcp__svc__${tool}`, arguments: args } };
    }
    const search = Object.entries(deferredSearch).find(([searchTool]) => turn.tools.includes(searchTool));
    if (searched || search === undefined) return { say: `There is no tool ${tool}.` };
    searched = true;
    return { call: search[0], args: turn.tools.includes('tool_call') ? qwenSearch : search[1] };
  };
}

/** Without the answers of a client's own search for tools. */
export const ownResults = (turn: Turn): string[] =>
  turn.results.filter(
    (text) => /status|results|error/.test(text) && !/tool_reference|"parameters"|<functions?>/.test(text),
  );

const jobId = (text = '') => /job_id\\?"\s*:\s*\\?"([^"\\]+)/.exec(text)?.[1] ?? 'missing';
const run = (action_id: string) => () => ({ tool: 'run_action', args: { action_id, params: {} } });
const paid = ({ upstream }: Outcome) => upstream.requestsTo('submitTask').length;
const has = (text: string | undefined, ...parts: string[]) =>
  parts.every((part) => text?.replaceAll('\\"', '"').includes(part) === true);
const expectations = (checks: readonly (readonly [boolean, string])[]) =>
  checks
    .filter(([holds]) => !holds)
    .map(([, what]) => what)
    .join('; ') || 'ok';

export const scenarios: readonly Scenario[] = [
  {
    name: 'list',
    transport: 'stdio',
    script: () => play([() => ({ tool: 'search_actions', args: { q: 'list' } })]),
    judge: ({ results }) => expectations([[has(results[0], 'shop_list'), 'search_actions found nothing']]),
  },
  {
    name: 'run',
    transport: 'stdio',
    script: () => play([run('shop_list')]),
    judge: (outcome) =>
      expectations([
        [has(outcome.results[0], '"completed"', 'lamp'), 'no result'],
        [paid(outcome) === 1, `${paid(outcome)} payments`],
      ]),
  },
  {
    name: 'long job',
    transport: 'stdio',
    env: { SVC_WAIT_SECONDS: '2' },
    script: () =>
      play([
        run('shop_slow'),
        (results) => ({ tool: 'get_job', args: { job_id: jobId(results[0]), wait_seconds: 20 } }),
      ]),
    judge: (outcome) =>
      expectations([
        [has(outcome.results[0], '"processing"', 'get_job'), 'no handle'],
        [has(outcome.results[1], '"completed"'), 'the job was not read'],
        [paid(outcome) === 1, `${paid(outcome)} payments`],
      ]),
  },
  {
    name: 'sign-in',
    transport: 'stdio',
    script: () => play([() => ({ tool: 'login', args: { catalog: 'shop', wait_seconds: 3 } })]),
    judge: ({ results }) =>
      expectations([[has(results[0], 'login_url', 'http://127.0.0.1'), 'the person gets no link']]),
  },
  {
    name: 'confirmation',
    transport: 'stdio',
    env: { SVC_CONFIRM_ABOVE_CREDITS: '1' },
    script: () => play([run('shop_list')]),
    judge: (outcome) =>
      expectations([
        [has(outcome.results[0], 'CONFIRMATION_UNAVAILABLE'), 'no CONFIRMATION_UNAVAILABLE'],
        [paid(outcome) === 0, `${paid(outcome)} payments`],
      ]),
  },
  {
    name: 'large result',
    transport: 'stdio',
    script: () => play([run('shop_large')]),
    judge: (outcome) =>
      expectations([
        [
          has(outcome.results[0]?.slice(0, 4_000), '"completed"', '"truncated"', 'get_job'),
          'no way to the rest',
        ],
        [paid(outcome) === 1, `${paid(outcome)} payments`],
      ]),
  },
  {
    name: 'restart (HTTP)',
    transport: 'http',
    script: ({ restart }) =>
      play([
        run('shop_list'),
        () => {
          restart();
          return { tool: 'search_actions', args: { q: 'list' } };
        },
      ]),
    judge: ({ results }) =>
      expectations([
        [has(results[0], '"completed"'), 'no result before the restart'],
        [has(results[1], 'shop_list'), 'nothing works after the restart'],
      ]),
  },
];
