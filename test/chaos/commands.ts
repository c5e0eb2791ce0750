/** What may happen in a run: the calls there are, the commands that a sequence is made of, and how likely each is. */
import fc from 'fast-check';
import { buildCredits } from '../../src/contract/limits.ts';
import type { Engine } from '../../src/store/database.ts';
import type { FaultKind } from '../support/fault-proxy.ts';
import type { ActionScript, JobScript } from '../support/upstream-script.ts';

export const actions = [
  { action_id: 'quick', credits: 3 },
  { action_id: 'slow', credits: 5, job: { polls: 2, ms: 80, creditsUsed: 4 } },
  { action_id: 'endless', credits: 7, job: { ms: Number.POSITIVE_INFINITY } },
  { action_id: 'failing', credits: 2, job: { polls: 1, error: { code: 'EXECUTION_FAILED', message: 'No' } } },
  { action_id: 'inline', credits: 4, mode: 'sync' },
] as const satisfies readonly ActionScript[];

/** A call is an action with its params; the same name is the same call. */
export const calls = [
  'quick 0',
  'quick 1',
  'slow 0',
  'endless 0',
  'failing 0',
  'inline 0',
  'build 0',
] as const;
export type CallName = (typeof calls)[number];

export const getActionId = (call: CallName): string => call.split(' ')[0] ?? call;

/** What a call costs, and how its job goes. */
export function scriptOf(call: CallName): { readonly credits: number; readonly job?: JobScript } {
  if (call === 'build 0') return { credits: buildCredits };
  const script = actions.find((action) => action.action_id === getActionId(call));
  if (script === undefined) throw new Error(`No action for ${call}`);
  return script;
}

/** Runs of one action that may be asked for in one call. */
const batches = [
  ['quick 0', 'quick 1'],
  ['slow 0'],
  ['endless 0'],
  ['failing 0'],
  ['inline 0'],
] as const satisfies readonly (readonly CallName[])[];

/** Two gateways on one data folder. */
export const slots = [0, 1] as const;
export type Slot = (typeof slots)[number];

export type Command =
  /** `giveUpMs`: the client cancels, or runs into its time-out, after so long. */
  | {
      readonly do: 'call';
      readonly slot: Slot;
      readonly call: CallName;
      readonly resubmit: boolean;
      readonly giveUpMs: number | undefined;
      readonly background: boolean;
    }
  | {
      readonly do: 'batch';
      readonly slot: Slot;
      readonly calls: readonly CallName[];
      readonly giveUpMs: number | undefined;
      readonly background: boolean;
    }
  | { readonly do: 'burst'; readonly call: CallName; readonly count: number }
  | { readonly do: 'list jobs'; readonly slot: Slot }
  /** The job that was named last, delivered or not. */
  | { readonly do: 'get job'; readonly slot: Slot; readonly giveUpMs: number | undefined }
  | { readonly do: 'settle' }
  | {
      readonly do: 'fault';
      readonly route: 'task' | 'job' | 'connection';
      readonly kind: FaultKind;
      readonly times: number;
    }
  | { readonly do: 'refuse connections'; readonly ms: number }
  | { readonly do: 'restart'; readonly slot: Slot }
  /** The client ends without reading what was written to it, and comes back as another one. */
  | { readonly do: 'leave'; readonly slot: Slot; readonly afterMs: number }
  | { readonly do: 'kill'; readonly slot: Slot; readonly afterMs: number }
  /** The process is stopped (SIGSTOP) and goes on later, with whatever it was about to do. */
  | { readonly do: 'freeze'; readonly slot: Slot; readonly afterMs: number; readonly ms: number }
  /** Another process holds the write lock of the SQLite file, or of the table. */
  | { readonly do: 'lock store'; readonly ms: number }
  /** PostgreSQL is not heard any more, as behind a dead router; what was connected stays silent afterwards. */
  | { readonly do: 'silence store'; readonly ms: number }
  /** For `ms` milliseconds each commit of PostgreSQL takes as long as `commitMs`. */
  | { readonly do: 'delay commits'; readonly commitMs: number; readonly ms: number }
  /** From now on the wall clock of a gateway is wrong by so much. It decides nothing, because the store has its own. */
  | { readonly do: 'set clock'; readonly slot: Slot; readonly minutesAhead: number }
  /** Changes of intents to this state fail for a while. */
  | { readonly do: 'fail writes'; readonly state: 'submitted' | 'finished' | 'unknown'; readonly ms: number }
  /** The service does not know the jobs of this call any more. */
  | { readonly do: 'forget'; readonly call: CallName }
  | { readonly do: 'hours pass'; readonly hours: number };

const slot = fc.constantFrom(...slots);
/** Mostly one call, so that duplicates are common. */
const call = fc.oneof(
  { weight: 2, arbitrary: fc.constant('quick 0' as const) },
  { weight: 1, arbitrary: fc.constant('build 0' as const) },
  { weight: 3, arbitrary: fc.constantFrom(...calls) },
);
const giveUpMs = fc.option(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 100, max: 400 })), {
  nil: undefined,
  freq: 3,
});

const taskFaults = [
  'reset-before',
  'reset-after',
  'truncate',
  'hang-before',
  'hang-after',
  'execution-failed',
  'undocumented-500',
  'bad-gateway-after',
  'bad-gateway-before',
  'too-many-requests',
  'unreadable',
] as const satisfies readonly FaultKind[];
const jobFaults = [
  'reset-before',
  'reset-after',
  'truncate',
  'hang-before',
  'undocumented-500',
  'bad-gateway-before',
  'too-many-requests',
  'not-found',
  'unreadable',
] as const satisfies readonly FaultKind[];

const common = [
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      slot,
      call,
      resubmit: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
      giveUpMs,
      background: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('batch' as const),
      slot,
      calls: fc.oneof(
        { weight: 2, arbitrary: fc.constant(batches[0]) },
        { weight: 1, arbitrary: fc.constantFrom(...batches) },
      ),
      giveUpMs,
      background: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('burst' as const),
      call,
      count: fc.integer({ min: 2, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list jobs' as const), slot }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get job' as const), slot, giveUpMs }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      route: fc.constant('task' as const),
      kind: fc.constantFrom(...taskFaults),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      route: fc.constant('job' as const),
      kind: fc.constantFrom(...jobFaults),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      route: fc.constant('connection' as const),
      kind: fc.constant('reset-before' as const),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('refuse connections' as const),
      ms: fc.integer({ min: 0, max: 300 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), slot }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const), call }) },
];

/** They happen while other commands go on. */
const storeFaults = [
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('lock store' as const), ms: fc.integer({ min: 20, max: 700 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail writes' as const),
      state: fc.constantFrom('submitted' as const, 'finished' as const, 'unknown' as const),
      ms: fc.integer({ min: 20, max: 500 }),
    }),
  },
];

const postgresFaults = [
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('silence store' as const),
      ms: fc.integer({ min: 20, max: 1_500 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('delay commits' as const),
      // The request's whole time is 3 s within this process.
      commitMs: fc.constantFrom(200, 1_000, 4_000),
      ms: fc.integer({ min: 20, max: 1_500 }),
    }),
  },
];

/** For gateways within this process, whose clock the test sets. */
const clockFaults = [
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('hours pass' as const), hours: fc.constantFrom(0.9, 1.1, 25) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set clock' as const),
      slot,
      minutesAhead: fc.constantFrom(-1_500, -120, -1, 1, 120, 1_500),
    }),
  },
];

/** For gateways that are processes, and die like such. */
const processFaults = [
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('freeze' as const),
      slot,
      afterMs: fc.integer({ min: 0, max: 120 }),
      ms: fc.integer({ min: 50, max: 1_500 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('kill' as const),
      slot,
      afterMs: fc.integer({ min: 0, max: 120 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('leave' as const),
      slot,
      afterMs: fc.integer({ min: 0, max: 120 }),
    }),
  },
];

/** Sequences of what may happen to gateways of a kind on an engine. */
export function commandsFor(gateways: 'in-process' | 'processes', engine: Engine): fc.Arbitrary<Command[]> {
  const faults = [...common, ...storeFaults, ...(engine === 'postgres' ? postgresFaults : [])];
  return gateways === 'in-process'
    ? fc.array(fc.oneof(...faults, ...clockFaults), { minLength: 1, maxLength: 12 })
    : fc.array(fc.oneof(...faults, ...processFaults), { minLength: 2, maxLength: 10 });
}
