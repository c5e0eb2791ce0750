/**
 * What must be true after any run, judged by what the service really accepted. The model of a call: it is paid
 * once until its answer was delivered, its doubt was overridden, or its time passed.
 */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { ownJobId } from '../../src/gateway/paid/call-identity.ts';
import type { PaidRow } from '../../src/gateway/store/schema.ts';
import { type Asked, isHandle, jobIdOf, sentAfterLeavingMs } from './asked.ts';
import { type CallName, calls, isSync } from './calls.ts';
import { ChaosFailure } from './chaos-failure.ts';
import { checkDoubts } from './doubts.ts';
import { checkAllowances, checkBudget, checkConsents, checkLowered } from './money.ts';
import type { Run } from './run.ts';
import type { Accepted, RunRecord } from './run-record.ts';
import type { StandstillWatch } from './standstills.ts';
import { describeStory, jobsOf, requestsOf, type Story, tell, tellsTheEnd } from './story.ts';

/** Throws a `ChaosFailure` where a promise was broken. */
export async function judge(run: Run): Promise<void> {
  await comeBack(run, ({ open }) => open === 1);
  await run.record.decided();
  const { listed, stories } = await tellAll(run);
  for (const story of stories) {
    try {
      checkAnswers(story, run.record);
      checkCharges(story, run.record);
      checkConsents(story, run.record.place.confirmAboveCredits !== undefined);
      checkLowered(story, run.record);
      checkStayers(story, run.record);
      checkDoubts(story, run.record, listed);
      checkJobs(story, listed);
    } catch (error) {
      if (error instanceof ChaosFailure) error.message += `\n${describeStory(story)}`;
      throw error;
    }
  }
  checkBudget(stories, run.record, listed);
  checkAllowances(stories, await run.record.groupRows());
  for (const story of stories) await checkResults(story, run);
}

/**
 * A job may be given up after the wait for it has ended, at any time: whoever has the handle asks once more. Where its loss was
 * told already, that pays anew, so the list is read again too.
 */
async function tellAll(run: Run): Promise<{ listed: JsonObject; stories: readonly Story[] }> {
  const isUntold = ({ open, state }: PaidRow) => open === 1 && state === 'lost';
  for (let time = 0; ; time += 1) {
    const listed = await listJobs(run);
    const stories = await Promise.all(calls.map((call) => tell(run.record, call)));
    if (time === 3 || !stories.some(({ intents }) => intents.some(isUntold))) return { listed, stories };
    await comeBack(run, isUntold);
  }
}

/** What the gateway lists; the rows of a batch are part of its entry. */
async function listJobs(run: Run): Promise<JsonObject> {
  const { body } = await run.asks.ask({ slot: 0, call: undefined, jobId: undefined });
  const jobs = jobsOf(body);
  const grouped = (await run.record.groupRows()).filter(({ group_id }) =>
    jobs.some(({ job_id }) => job_id === group_id),
  );
  const rows = await Promise.all(
    grouped.map(async ({ id, job_id, state }) => {
      const own = job_id ?? ownJobId(id);
      if (state !== 'unknown') return { job_id: own };
      const read = await run.asks.ask({ slot: 0, call: undefined, jobId: own });
      return { job_id: own, status: read.body?.status };
    }),
  );
  return { ...body, jobs: [...jobs, ...rows] };
}

/** The client comes back for everything that it has no answer to. */
async function comeBack(run: Run, isWanted: (row: PaidRow) => boolean): Promise<void> {
  for (const call of calls) {
    for (;;) {
      const open = (await run.record.intents(call)).find(isWanted);
      if (open === undefined) break;
      const asked = await run.asks.ask({ slot: 1, call, jobId: undefined }, { waitMs: 3_000 });
      // Another gateway may still be sending it; everything else ends the question.
      const jobId = jobIdOf(asked.body);
      if (!isHandle(asked.body) || (jobId !== undefined && jobId !== ownJobId(open.id))) {
        checkLastAnswer(call, open, asked);
        break;
      }
    }
  }
}

function checkLastAnswer(call: CallName, open: PaidRow, { body, failure }: Asked): void {
  if (body === undefined)
    throw new ChaosFailure('wrong answer', call, `no answer, nothing being broken: ${failure}`);
  if (body.status !== 'unknown') return;
  const { error } = body;
  const stake =
    typeof error === 'object' && error !== null && 'credits_at_stake' in error && error.credits_at_stake;
  if (stake !== open.price || body.next === undefined) {
    throw new ChaosFailure('unreported doubt', call, `the amount is not said: ${JSON.stringify(body)}`);
  }
}

/** A result is the one of the call that was made. */
function checkAnswers({ call, asked }: Story, record: RunRecord): void {
  const own = JSON.stringify({ params: record.params(call) });
  for (const { call: made, body } of asked) {
    if (made !== call || body?.status !== 'completed' || JSON.stringify(body.data) === own) continue;
    throw new ChaosFailure('wrong answer', call, JSON.stringify(body));
  }
}

/** No intent is submitted twice, and no call is paid again without a reason of the client's. */
export function checkCharges(
  { call, intents, posts, accepted, asked }: Story,
  record: {
    readonly jumps: readonly number[];
    readonly lane: { readonly standstills: Pick<StandstillWatch, 'during'>; crossed: number };
  },
): void {
  const requests = requestsOf(posts).length;
  // A planned row was never sent.
  const sendable = intents.filter(({ state }) => state !== 'planned').length;
  if (requests > sendable)
    throw new ChaosFailure('double charge', call, `${requests} requests for ${sendable} rows`);
  for (const [index, next] of accepted.entries()) {
    const previous = accepted[index - 1];
    if (previous === undefined) continue;
    const isReason = (one: Asked) =>
      one.to !== undefined &&
      ((tellsTheEnd(one, previous) && one.to >= previous.startedAt && one.to <= next.startedAt) ||
        (one.call === call &&
          one.resubmit &&
          one.from <= next.startedAt &&
          (lastSentAt(one, one.to) >= next.startedAt || isHandleOf(one, next, intents))));
    // It may be sent a moment after its client has gone.
    const lastSentAt = ({ body }: Asked, to: number) =>
      body !== undefined ? to : to + sentAfterLeavingMs + record.lane.standstills.during(to, next.startedAt);
    const jumped = record.jumps.some((at) => at >= previous.startedAt && at <= next.startedAt);
    if (jumped || asked.some(isReason)) continue;
    // Written to a client that gave up at that moment: delivered by the definition, and counted apart. What was written
    // to a connection that was reset is not.
    const isDelivered = intents.some(({ state, job_id }) => state === 'delivered' && job_id === previous.id);
    const gaveUp = asked.some(
      (one) => one.body === undefined && one.isUnread !== true && (one.to ?? 0) >= previous.startedAt,
    );
    if (isDelivered && gaveUp) record.lane.crossed += 1;
    else {
      throw new ChaosFailure(
        'double charge',
        call,
        `${next.id} after ${previous.id}, whose end was not told`,
      );
    }
  }
}

/** Who stays is not told that somebody else was cancelled, and nothing of its batch is left without a reason. */
export function checkStayers(
  { call, asked }: Pick<Story, 'call' | 'asked'>,
  { hadStoreFault }: Pick<RunRecord, 'hadStoreFault'>,
): void {
  for (const { call: own, hasStayed, body } of asked) {
    if (own !== call || hasStayed !== true || body === undefined) continue;
    const codes = [body.error, body.stopped].map((error) => Object(error).code);
    const isUnsent = body.status === 'not_sent' && codes.every((code) => code === undefined);
    if (codes.includes('CANCELLED') || (isUnsent && !hadStoreFault))
      throw new ChaosFailure('wrong answer', call, `to one that stayed: ${JSON.stringify(body)}`);
  }
}

/**
 * Whether the answer was the handle of the new intent by which the job was submitted: under load it is sent later. A job
 * that has no name, because its submission is in doubt, may be of any such intent but the first.
 */
function isHandleOf({ body }: Asked, job: Accepted, intents: readonly PaidRow[]): boolean {
  if (body?.status !== 'processing') return false;
  const intent = intents.find(({ id }) => ownJobId(id) === body.job_id);
  if (intents.some(({ job_id }) => job_id === job.id)) return intent?.job_id === job.id;
  const isNamed = intent?.job_id != null && intent.job_id !== ownJobId(intent.id);
  return intent !== undefined && !isNamed && intents.indexOf(intent) > 0;
}

/** Every accepted job is known by its id and listed, or is one whose fate was said to be unknown. */
function checkJobs({ call, intents, accepted, asked }: Story, listed: JsonObject | undefined): void {
  if (isSync(call)) {
    const known = intents.filter(({ state }) => state !== 'refused').length;
    if (accepted.length > known) {
      throw new ChaosFailure('lost job', call, `${accepted.length} accepted, ${known} known`);
    }
    return;
  }
  const nameless = accepted.filter((job) => !intents.some((intent) => intent.job_id === job.id));
  const unknown = intents.filter(({ state }) => state === 'unknown').length;
  if (nameless.length > unknown) {
    throw new ChaosFailure('lost job', call, `${nameless.length} accepted without an id, ${unknown} unknown`);
  }
  for (const job of accepted) {
    if (nameless.includes(job)) continue;
    if (!jobsOf(listed).some((shown) => shown.job_id === job.id)) {
      throw new ChaosFailure('lost job', call, `${job.id} is not listed`);
    }
  }
  for (const intent of intents.filter(({ state }) => state === 'lost')) {
    const job = accepted.find(({ id }) => id === intent.job_id);
    if (job === undefined || !asked.some((one) => tellsTheEnd(one, job))) {
      throw new ChaosFailure('lost job', call, `${intent.job_id} was given up, and nobody was told`);
    }
  }
}

/** Whatever ended can be read again, also where the service does not know it any more. */
async function checkResults({ call, intents }: Story, run: Run): Promise<void> {
  if (call === 'build 0') return checkBuilds(intents, run);
  run.record.forget(call);
  for (const { state, outcome, job_id } of intents) {
    if ((state !== 'finished' && state !== 'delivered') || job_id === null) continue;
    const { body } = await run.asks.ask({ slot: 0, call: undefined, jobId: job_id });
    const right =
      body?.status === outcome &&
      (outcome === 'failed' ||
        JSON.stringify(body?.data) === JSON.stringify({ params: run.record.params(call) }));
    if (!right)
      throw new ChaosFailure('lost result', call, `${job_id} (${outcome}): ${JSON.stringify(body)}`);
  }
}

/** The service keeps what a build made. */
async function checkBuilds(intents: readonly PaidRow[], run: Run): Promise<void> {
  for (const { state, job_id } of intents) {
    if ((state !== 'finished' && state !== 'delivered') || job_id === null) continue;
    const body = await run.asks.readBuild(job_id);
    const [build]: { status?: unknown }[] = Array.isArray(body?.build_requests) ? body.build_requests : [];
    if (build?.status !== 'success')
      throw new ChaosFailure('lost result', 'build 0', `${job_id}: ${JSON.stringify(body)}`);
  }
}
