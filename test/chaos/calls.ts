/** The calls there are: actions of the service with their params, and what they cost. */
import { buildCredits } from '../../src/contract/limits.ts';
import type { ActionScript, JobScript } from '../support/upstream-script.ts';

export const actions = [
  { action_id: 'quick', credits: 3 },
  { action_id: 'slow', credits: 5, job: { polls: 2, ms: 80, creditsUsed: 4 } },
  { action_id: 'endless', credits: 7, job: { ms: Number.POSITIVE_INFINITY } },
  { action_id: 'failing', credits: 2, job: { polls: 1, error: { code: 'EXECUTION_FAILED', message: 'No' } } },
  { action_id: 'inline', credits: 4, mode: 'sync' },
  // Computed prices: one that nothing bounds, and one with a bound.
  { action_id: 'metered', credits: 3, job: { creditsUsed: 8 }, overrides: { credits_computed: true } },
  {
    action_id: 'bounded',
    credits: 2,
    job: { polls: 1, ms: 60, creditsUsed: 6 },
    overrides: { credits_computed: true, credits_max: 6 },
  },
  // Costs that say nothing, so that the reserve counts, and one below a thousandth.
  { action_id: 'negative', credits: 3, job: { creditsUsed: -5 } },
  { action_id: 'unsaid', credits: 2, mode: 'sync', job: { creditsUsed: Number.NaN } },
  { action_id: 'dust', credits: 1, job: { polls: 1, creditsUsed: 0.0004 } },
  // A person confirms it, where a run asks for that.
  { action_id: 'dear', credits: 40 },
] as const satisfies readonly ActionScript[];

/** A call is an action with its params; the same name is the same call. */
export const calls = [
  'quick 0',
  'quick 1',
  'slow 0',
  'endless 0',
  'failing 0',
  'inline 0',
  'metered 0',
  'metered 1',
  'bounded 0',
  'bounded 1',
  'bounded 2',
  'negative 0',
  'unsaid 0',
  'dust 0',
  'dear 0',
  'dear 1',
  'build 0',
] as const;
export type CallName = (typeof calls)[number];

/** Calls that a person confirms, one by one or together. */
export const dearCalls = ['dear 0', 'dear 1'] as const satisfies readonly CallName[];
const syncCalls: readonly CallName[] = ['inline 0', 'unsaid 0'];
/** Whether its job has no id of the service's. */
export const isSync = (call: CallName): boolean => syncCalls.includes(call);

/** What costs more is confirmed by a person, where a run asks for that: just the dear calls. */
export const confirmAboveCredits = 30;

export const getActionId = (call: CallName): string => call.split(' ')[0] ?? call;

/** What a call costs, and how its job goes. */
export function scriptOf(call: CallName): { readonly credits: number; readonly job?: JobScript } {
  if (call === 'build 0') return { credits: buildCredits };
  const script = actions.find((action) => action.action_id === getActionId(call));
  if (script === undefined) throw new Error(`No action for ${call}`);
  return script;
}

/** Runs of one action that may be asked for in one call. */
export const batches = [
  ['quick 0', 'quick 1'],
  ['slow 0'],
  ['endless 0'],
  ['failing 0'],
  ['inline 0'],
  ['metered 0', 'metered 1'],
  ['bounded 0', 'bounded 1', 'bounded 2'],
  ['negative 0'],
  ['unsaid 0'],
  ['dust 0'],
] as const satisfies readonly (readonly CallName[])[];

/** Two gateways on one data folder. */
export const slots = [0, 1] as const;
export type Slot = (typeof slots)[number];

/** What a run of the call costs in the end. */
export function costOf(call: CallName): number {
  const { credits, job = {} } = scriptOf(call);
  if (job.error !== undefined) return 0;
  const { creditsUsed = credits } = job;
  return creditsUsed >= 0 ? Math.ceil(creditsUsed * 1000) / 1000 : credits;
}

/** By how much the first run passes a limit where nothing says what it costs. */
export const excessOf = (call: CallName): number =>
  getActionId(call) === 'metered' ? costOf(call) - scriptOf(call).credits : 0;
