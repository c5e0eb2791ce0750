/** The one place that decides what an end has cost. */
import type { PaidRow } from '../store/schema.ts';

/** What the service says of the end of a run or a build. */
export interface ReportedEnd {
  readonly outcome: 'completed' | 'failed';
  /** Credits, where the service states them readably (`ReportedCredits`). */
  readonly reported: number | undefined;
}

/**
 * Credits of an end, in whole thousandths: 0 for a failed one, which the service refunds, whatever it says. A cost that the
 * service does not state readably counts as what was reserved, because less would lift the limits. Undefined only without a row.
 */
export function costOfEnd(end: ReportedEnd, row: PaidRow): number;
export function costOfEnd(end: ReportedEnd, row: PaidRow | undefined): number | undefined;
export function costOfEnd({ outcome, reported }: ReportedEnd, row: PaidRow | undefined): number | undefined {
  // Decided when the end was written.
  if (row !== undefined && row.outcome !== null) return row.charged;
  if (outcome === 'failed') return 0;
  if (reported !== undefined || row === undefined) return reported;
  return row.charged > 0 ? row.charged : row.price;
}
