/** What becomes of a watch by the outcome of one run. Pure: what is written, and what is told. */
import { TaskFailedError, TaskStoppedError } from '../../workers/errors.ts';
import type { ErrorDetail } from '../interface/outcomes.ts';
import type { ToldKind, WatchRow, WatchRunRow } from '../store/schema.ts';
import type { RunEnd, WatchChange } from '../store/watch-rows.ts';
import type { Compared } from './compare-versions.ts';
import { failingFrom, isServed } from './stored.ts';

/** A second reading, in milliseconds after the first. */
const againMs = 5 * 60_000;

export interface Conclusion {
  readonly end: RunEnd;
  readonly change: WatchChange;
}

interface Facts {
  readonly watch: WatchRow;
  readonly run: WatchRunRow;
  /** The store's clock. */
  readonly now: number;
}

const toldText = (kinds: readonly ToldKind[]): string | null =>
  kinds.length === 0 ? null : JSON.stringify(kinds);

const readChange = (watch: WatchRow, now: number, comparedBy: string): WatchChange => ({
  failures: 0,
  last_run_at: now,
  compared_by: comparedBy,
  ...(watch.state === 'failing' && { state: 'active', problem: null }),
});

/** A run that completed. `isWanted`: whether its news are to be told (`when`). */
export function concludeReading(
  { watch, run, now }: Facts,
  { verdict, comparedBy, unsteady, news }: Omit<Compared, 'rows' | 'missing'>,
  isWanted: boolean,
): Conclusion {
  const isRecovered = watch.state === 'failing';
  const recovered: readonly ToldKind[] = isRecovered ? ['recovered'] : [];
  const end = { difference: null, previous_row: null, summary: isRecovered ? 'It runs again.' : null };
  const base = readChange(watch, now, comparedBy);
  if (verdict.kind === 'suspect') {
    // A second reading of a due time is the last one: the next due time decides.
    const mayReadAgain = isServed(watch) && (run.reason === 'due' || run.reason === 'asked');
    const again = mayReadAgain ? { extra_at: now + againMs, extra_reason: verdict.again } : {};
    return {
      end: { ...end, outcome: 'suspect', told: toldText(recovered), previous_row: watch.base_row },
      change: { ...base, suspect_row: run.row_id, ...again },
    };
  }
  const moved: WatchChange = {
    ...base,
    base_row: run.row_id,
    suspect_row: null,
    unsteady: JSON.stringify(unsteady),
    ...(verdict.kind === 'first' && { first_row: run.row_id }),
  };
  if (news === undefined) {
    const outcome = verdict.kind === 'first' ? 'first' : 'same';
    return { end: { ...end, outcome, told: toldText(recovered) }, change: moved };
  }
  return {
    end: {
      outcome: 'changed',
      told: toldText([...recovered, ...(isWanted ? (['changed'] as const) : [])]),
      summary: news.summary,
      difference: JSON.stringify(news.told),
      previous_row: watch.base_row,
    },
    change: moved,
  };
}

/** The action returns other fields than the version before has: this one is the base, and its rows are not compared. */
export function concludeNewFields({ watch, run, now }: Facts, comparedBy: string, text: string): Conclusion {
  const isRecovered = watch.state === 'failing';
  return {
    end: {
      outcome: 'changed',
      told: toldText([...(isRecovered ? (['recovered'] as const) : []), 'changed']),
      summary: text,
      difference: JSON.stringify({ added: [], removed: [], changed: [] }),
      previous_row: watch.base_row,
    },
    change: {
      ...readChange(watch, now, comparedBy),
      base_row: run.row_id,
      first_row: run.row_id,
      suspect_row: null,
      unsteady: '[]',
    },
  };
}

/** A run that failed, or was refused before it was sent. */
export function concludeFailure({ watch, now }: Facts, error: ErrorDetail, needsPerson: boolean): Conclusion {
  const failures = watch.failures + 1;
  const problem = JSON.stringify(error);
  const stops = needsPerson && isServed(watch);
  const isFailing = !stops && failures === failingFrom && watch.state === 'active';
  return {
    end: {
      outcome: 'failed',
      told: toldText(stops ? ['needs_person'] : isFailing ? ['failing'] : []),
      summary: error.message,
      difference: null,
      previous_row: null,
    },
    change: {
      failures,
      last_run_at: now,
      ...(stops && { state: 'needs_person', problem, extra_at: null, extra_reason: null }),
      ...(isFailing && { state: 'failing' }),
      ...(!stops && (isFailing || watch.state === 'failing') && { problem }),
    },
  };
}

/** A due time that was not paid for: it did not fit a limit, the run before still went on, or nobody sent it in time. */
export const concludeSkip = (message: string, isToldToday: boolean): Conclusion => ({
  end: {
    outcome: 'skipped',
    told: toldText(isToldToday ? [] : ['skipped']),
    summary: message,
    difference: null,
    previous_row: null,
  },
  change: {},
});

/** Nobody knows whether the service took the run; the next due time sends anew. */
export const concludeDoubt = ({ now }: Facts, error: ErrorDetail): Conclusion => ({
  end: {
    outcome: 'unknown',
    told: toldText(['unknown']),
    summary: error.message,
    difference: null,
    previous_row: null,
  },
  change: { last_run_at: now },
});

export const endOf = (why: string): RunEnd => ({
  outcome: 'skipped',
  told: toldText(['ended']),
  summary: why,
  difference: null,
  previous_row: null,
});

/** The end and its result were written together, long ago. */
export const notKept: ErrorDetail = {
  code: 'RESULT_EXPIRED',
  message: 'The result of this run is no longer kept, so it was not compared.',
};

/** Why versions can never be compared. Rethrows what may be another time. */
export function toIncomparable(error: unknown): ErrorDetail {
  const isLasting =
    error instanceof TaskFailedError ||
    (error instanceof TaskStoppedError && (error.reason === 'deadline' || error.reason === 'memory'));
  if (!isLasting) throw error;
  return {
    code: 'SERVICE_ANSWER_UNREADABLE',
    message: `The result cannot be compared with the one before: ${error instanceof TaskStoppedError ? 'it is too large' : 'it cannot be read'}.`,
  };
}
