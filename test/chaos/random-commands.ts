/** Random sequences of commands, and how likely each command is. */
import fc from 'fast-check';
import type { Engine } from '../../src/store/database.ts';
import type { FaultKind } from '../support/fault-proxy.ts';
import { batches, calls, getActionId, slots } from './calls.ts';
import type { Command } from './commands.ts';

const slot = fc.constantFrom(...slots);
/** Mostly one call, so that duplicates are common. */
const call = fc.oneof(
  { weight: 2, arbitrary: fc.constant('quick 0' as const) },
  { weight: 1, arbitrary: fc.constant('build 0' as const) },
  { weight: 3, arbitrary: fc.constantFrom(...calls.filter((one) => getActionId(one) !== 'dear')) },
);
const batch = fc.oneof(
  { weight: 2, arbitrary: fc.constant(batches[0]) },
  { weight: 1, arbitrary: fc.constantFrom(...batches) },
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
  'request-timeout',
  'payment-required',
  'forbidden',
  'in-progress',
  'error-with-200',
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

const burst = {
  do: fc.constant('burst' as const),
  count: fc.integer({ min: 2, max: 8 }),
  leaving: fc.integer({ min: 0, max: 3 }),
  giveUpMs: fc.integer({ min: 0, max: 150 }),
};

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
      calls: batch,
      maxCredits: fc.option(fc.integer({ min: 6, max: 20 }), { nil: undefined }),
      giveUpMs,
      background: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(fc.record({ ...burst, call }), fc.record({ ...burst, calls: batch })),
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
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('hide' as const),
      call,
      ms: fc.integer({ min: 20, max: 900 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lower limits' as const) }) },
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

/** For gateways within this process, whose clock the test sets, and whose calls bring a person's answer. */
const inProcess = [
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('consent' as const),
      slot,
      consent: fc.integer({ min: 0, max: 1 }),
      giveUpMs,
      background: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('consent to batch' as const),
      slot,
      consent: fc.integer({ min: 0, max: 1 }),
      giveUpMs,
      background: fc.boolean(),
    }),
  },
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

/** Over HTTP of 2026-07-28 nothing but the end of its connection cancels a call. */
const overPipes = [{ weight: 3, arbitrary: fc.record({ do: fc.constant('cross' as const), slot, call }) }];

/** For gateways that are processes, and die like such. */
const processFaults = [
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('freeze' as const),
      slot,
      afterMs: fc.integer({ min: 0, max: 120 }),
      ms: fc.integer({ min: 50, max: 1_500 }),
      isLong: fc.boolean(),
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

const overHttp = [
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('die unread' as const),
      slot,
      call,
      afterMs: fc.integer({ min: 0, max: 900 }),
    }),
  },
];

/** Sequences of what may happen to gateways of a kind on an engine. */
export function commandsFor(
  gateways: 'in-process' | 'spawned' | 'replicas',
  engine: Engine,
): fc.Arbitrary<Command[]> {
  const faults = [
    ...common,
    ...storeFaults,
    ...(engine === 'postgres' ? postgresFaults : []),
    ...(gateways === 'replicas' ? overHttp : overPipes),
  ];
  return gateways === 'in-process'
    ? fc.array(fc.oneof(...faults, ...inProcess), { minLength: 1, maxLength: 12 })
    : fc.array(fc.oneof(...faults, ...processFaults), { minLength: 2, maxLength: 10 });
}
