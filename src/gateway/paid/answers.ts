/** What answers say of a paid row beside its result. */
import { creditsText } from '../../contract/price.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import type { Attachment } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';
import { toJobId } from './call.ts';

/** Marks an answer from an earlier run of the same call. With `repeatCosts` it says that a further run is paid again. */
export const toAttachment = (row: PaidRow, repeatCosts?: string): Attachment => ({
  attached: true,
  submitted_at: new Date(row.submitted_at ?? row.created_at).toISOString(),
  ...(repeatCosts !== undefined &&
    row.kind === 'run' && {
      next: `This is the answer to an earlier identical call; it cost nothing more. Calling again runs the action again for ${repeatCosts}.`,
    }),
});

/** States of a row that the service has taken. */
const takenStates: readonly string[] = ['submitted', 'finished', 'delivered', 'lost'];

/** Adds a note that the service accepted two submissions of the call, because a person resubmitted one in doubt. */
export function withOther(outcome: Outcome, other: PaidRow | undefined): Outcome {
  if (other === undefined || !takenStates.includes(other.state)) return outcome;
  const job_id = toJobId(other);
  const also_submitted = {
    job_id,
    credits: other.charged,
    message: `This call was submitted twice, because it was repeated while it was not known whether the service had accepted it. Both were charged; the other one is ${job_id}.`,
  };
  return { ...outcome, body: { also_submitted, ...outcome.body } };
}

/** Adds a note if a run cost more than was reserved for it. `charged` is undefined if an earlier answer said so. */
export function withExcess(
  body: JsonObject,
  { charged: reserved }: PaidRow,
  charged: number | undefined,
): JsonObject {
  if (charged === undefined || charged <= reserved) return body;
  const note = `It cost ${creditsText(charged)}, more than the ${reserved} that were reserved for it.`;
  const { data, ...facts } = body;
  const notes = typeof facts.note === 'string' ? `${facts.note} ${note}` : note;
  return { ...facts, note: notes, ...('data' in body && { data }) };
}
