/**
 * What must be true after any run, judged by what the service really accepted. The model of a call: it is paid
 * once until its answer was delivered, its doubt was overridden, or its time passed.
 */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { ownJobId } from '../../src/gateway/store/job-ids.ts';
import type { IntentRow } from '../../src/gateway/store/schema.ts';
import { startOfDay } from '../../src/gateway/store/terms.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import type { JobScript } from '../support/upstream-script.ts';
import type { ScriptedJob } from '../support/upstream-service.ts';
import { type CallName, calls } from './commands.ts';
import { type Asked, type Run, scriptOf, sentAfterLeavingMs } from './run.ts';
import type { StandstillWatch } from './standstills.ts';

export const failureKinds = [
  'double charge',
  'lost job',
  'lost result',
  'unreported doubt',
  'wrong budget',
  'wrong answer',
] as const;
export type FailureKind = (typeof failureKinds)[number];

export class ChaosFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, call: CallName | 'all', what: string) {
    super(`${kind} (${call}): ${what}`);
    this.name = 'ChaosFailure';
    this.kind = kind;
  }
}

/** Everything known of one call at the end. */
interface Story {
  readonly call: CallName;
  readonly intents: readonly IntentRow[];
  readonly posts: readonly PaidRequest[];
  readonly accepted: readonly ScriptedJob[];
  readonly asked: readonly Asked[];
}

/** After these answers nobody can know whether the service took the request; so say its documents. */
const doubtful = new Set([
  'reset-before',
  'reset-after',
  'truncate',
  'hang-before',
  'hang-after',
  'undocumented-500',
  'bad-gateway-after',
  'bad-gateway-before',
  'unreadable',
]);

/** Throws a `ChaosFailure` where a promise was broken. */
export async function judge(run: Run): Promise<void> {
  await comeBack(run);
  await run.decided();
  const listed = (await run.ask({ slot: 0, call: undefined, jobId: undefined })).body;
  const stories = await Promise.all(calls.map((call) => tell(run, call)));
  for (const story of stories) {
    try {
      checkAnswers(story, run);
      checkCharges(story, run);
      checkDoubts(story, run, listed);
      checkJobs(story, listed);
    } catch (error) {
      if (error instanceof ChaosFailure) error.message += `\n${describeStory(story)}`;
      throw error;
    }
  }
  checkBudget(stories, run, listed);
  for (const story of stories) await checkResults(story, run);
}

/** The client comes back for everything that it has no answer to. */
async function comeBack(run: Run): Promise<void> {
  for (const call of calls) {
    for (;;) {
      const open = (await run.intents(call)).find((intent) => intent.open === 1);
      if (open === undefined) break;
      const asked = await run.ask({ slot: 1, call, jobId: undefined }, { waitMs: 3_000 });
      // Another gateway may still be sending it; everything else ends the question.
      if (asked.body?.status !== 'processing' || String(asked.body.job_id) !== ownJobId(open.id)) {
        checkLastAnswer(call, open, asked);
        break;
      }
    }
  }
}

function checkLastAnswer(call: CallName, open: IntentRow, { body, failure }: Asked): void {
  if (body === undefined)
    throw new ChaosFailure('wrong answer', call, `no answer, nothing being broken: ${failure}`);
  if (body.status !== 'unknown') return;
  const { error } = body;
  const stake =
    typeof error === 'object' && error !== null && 'credits_at_stake' in error && error.credits_at_stake;
  if (stake !== open.price || typeof body.next !== 'string') {
    throw new ChaosFailure('unreported doubt', call, `the amount is not said: ${JSON.stringify(body)}`);
  }
}

async function tell(run: Run, call: CallName): Promise<Story> {
  return {
    call,
    intents: await run.intents(call),
    posts: run.posts(call),
    accepted: run.accepted(call),
    asked: run.asked.filter((asked) => asked.call === call || asked.jobId !== undefined),
  };
}

/** In the order of time: a failure that depends on it may not come again. Milliseconds since the first request. */
function describeStory({ intents, posts, accepted, asked }: Story): string {
  const start = asked[0]?.from ?? 0;
  const at = (time: number | undefined) => (time === undefined ? '' : Math.round(time - start));
  const lines = [
    ...asked.map(({ call, jobId, resubmit, from, to, body, failure }) => ({
      time: from,
      text: `asked ${call ?? `for ${jobId}`}${resubmit ? ' with resubmit' : ''} until ${at(to)}: ${failure ?? JSON.stringify({ ...body, data: undefined, next: undefined })}`,
    })),
    ...posts.map(({ at, fault, forwarded, answered }) => ({
      time: at,
      text: `request ${JSON.stringify({ fault, forwarded, answered })}`,
    })),
    ...accepted.map(({ startedAt, id }) => ({ time: startedAt, text: `the service accepted ${id}` })),
  ].sort((one, other) => one.time - other.time);
  return [
    ...lines.map(({ time, text }) => `    ${at(time)} ${text}`),
    ...intents.map((intent) => `    ${JSON.stringify(intent)}`),
  ].join('\n');
}

/** A result is the one of the call that was made. */
function checkAnswers({ call, asked }: Story, run: Run): void {
  const own = JSON.stringify({ params: run.params(call) });
  for (const { call: made, body } of asked) {
    if (made !== call || body?.status !== 'completed' || JSON.stringify(body.data) === own) continue;
    throw new ChaosFailure('wrong answer', call, JSON.stringify(body));
  }
}

/** No intent is submitted twice, and no call is paid again without a reason of the client's. */
export function checkCharges(
  { call, intents, posts, accepted, asked }: Story,
  run: {
    readonly jumps: readonly number[];
    readonly lane: { readonly standstills: Pick<StandstillWatch, 'during'>; crossed: number };
  },
): void {
  if (posts.length > intents.length) {
    throw new ChaosFailure('double charge', call, `${posts.length} requests for ${intents.length} intents`);
  }
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
      body !== undefined ? to : to + sentAfterLeavingMs + run.lane.standstills.during(to, next.startedAt);
    const jumped = run.jumps.some((at) => at >= previous.startedAt && at <= next.startedAt);
    if (jumped || asked.some(isReason)) continue;
    // Written to a client that gave up at that moment: delivered by the definition, and counted apart.
    const isDelivered = intents.some(({ state, job_id }) => state === 'delivered' && job_id === previous.id);
    const gaveUp = asked.some((one) => one.body === undefined && (one.to ?? 0) >= previous.startedAt);
    if (isDelivered && gaveUp) run.lane.crossed += 1;
    else {
      throw new ChaosFailure(
        'double charge',
        call,
        `${next.id} after ${previous.id}, whose end was not told`,
      );
    }
  }
}

/**
 * Whether the answer was the handle of the new intent by which the job was submitted: under load it is sent later. A job
 * that has no name, because its submission is in doubt, may be of any such intent but the first.
 */
function isHandleOf({ body }: Asked, job: ScriptedJob, intents: readonly IntentRow[]): boolean {
  if (body?.status !== 'processing') return false;
  const intent = intents.find(({ id }) => ownJobId(id) === body.job_id);
  if (intents.some(({ job_id }) => job_id === job.id)) return intent?.job_id === job.id;
  const isNamed = intent?.job_id != null && intent.job_id !== ownJobId(intent.id);
  return intent !== undefined && !isNamed && intents.indexOf(intent) > 0;
}

function tellsTheEnd({ body }: Asked, job: ScriptedJob): boolean {
  if (body === undefined) return false;
  const { error } = body;
  if (body.status === 'error') {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'JOB_LOST'
      ? 'job_id' in error && error.job_id === job.id
      : false;
  }
  if (body.status !== 'completed' && body.status !== 'failed') return false;
  // A sync action's job has an id of the gateway's.
  return body.job_id === job.id || String(body.job_id).startsWith('local-');
}

/** Every doubt is an intent that is `unknown`, was said at once where the client was there, and is listed. */
function checkDoubts({ call, intents, posts, asked }: Story, run: Run, listed: JsonObject | undefined): void {
  const undecided = intents.find(({ state }) => state === 'intended');
  if (undecided !== undefined) throw new ChaosFailure('unreported doubt', call, `${undecided.id} undecided`);
  const unknown = intents.filter(({ state }) => state === 'unknown');
  const doubts = posts.filter(({ fault }) => fault !== undefined && doubtful.has(fault));
  // A machine under load may be late.
  const late = posts.filter((post) => post.answered !== true || run.wasLate(call, post)).length;
  const most = doubts.length + run.interruptions + late;
  if (unknown.length < doubts.length || unknown.length > most) {
    throw new ChaosFailure(
      'unreported doubt',
      call,
      `${doubts.length} doubts, at most ${most}, but ${unknown.length} are unknown`,
    );
  }
  for (const { id } of unknown) {
    const shown = jobsOf(listed).find((job) => job.job_id === ownJobId(id));
    if (shown?.status !== 'unknown') {
      throw new ChaosFailure('unreported doubt', call, `${id} is listed as ${JSON.stringify(shown)}`);
    }
  }
  checkAnswersInDoubt({ call, posts, asked });
}

/** Whoever sent a request that came to be in doubt hears of it, unless it left or took a handle before. */
export function checkAnswersInDoubt({ call, posts, asked }: Pick<Story, 'call' | 'posts' | 'asked'>): void {
  const own = asked.filter((one) => one.call === call);
  const mayBeInDoubt = ({ body }: Asked) =>
    body === undefined || body.status === 'unknown' || body.status === 'processing';
  for (const [index, { at, fault }] of posts.entries()) {
    if (fault === undefined || !doubtful.has(fault)) continue;
    // Of several that ran, one has sent it: not before the previous request of the call, after which it was new.
    const previousAt = posts[index - 1]?.at ?? 0;
    const senders = own.filter(
      ({ from, to, body }) => from <= at && (body === undefined || (to ?? at) >= previousAt),
    );
    if (!senders.some(mayBeInDoubt)) {
      const bodies = JSON.stringify(senders.map(({ body }) => body));
      throw new ChaosFailure('unreported doubt', call, `${fault} was said to nobody of ${bodies}`);
    }
  }
  for (const one of own) {
    if (!one.alone || one.to === undefined || mayBeInDoubt(one)) continue;
    const [post, ...others] = posts.slice(one.postsBefore).filter(({ at }) => at <= (one.to ?? 0));
    if (post?.fault === undefined || others.length > 0 || !doubtful.has(post.fault)) continue;
    throw new ChaosFailure(
      'unreported doubt',
      call,
      `${post.fault} was answered with ${JSON.stringify(one.body)}`,
    );
  }
}

/** Every accepted job is known by its id and listed, or is one whose fate was said to be unknown. */
function checkJobs({ call, intents, accepted, asked }: Story, listed: JsonObject | undefined): void {
  if (scriptOf(call).action_id === 'inline') {
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
  run.forget(run.accepted(call));
  for (const { state, outcome, job_id } of intents) {
    if ((state !== 'finished' && state !== 'delivered') || job_id === null) continue;
    const { body } = await run.ask({ slot: 0, call: undefined, jobId: job_id });
    const right =
      body?.status === outcome &&
      (outcome === 'failed' || JSON.stringify(body?.data) === JSON.stringify({ params: run.params(call) }));
    if (!right)
      throw new ChaosFailure('lost result', call, `${job_id} (${outcome}): ${JSON.stringify(body)}`);
  }
}

/** What counts as spent is the price of every doubt, and of every job what it cost in the end. */
function checkBudget(stories: readonly Story[], run: Run, listed: JsonObject | undefined): void {
  const midnight = startOfDay(Date.now());
  let spent = 0;
  for (const { call, intents, accepted } of stories) {
    const script = scriptOf(call);
    const job: JobScript = 'job' in script ? script.job : {};
    const cost = job.error === undefined ? (job.creditsUsed ?? script.credits) : 0;
    for (const { state, created_at, job_id } of intents) {
      if (created_at < midnight || state === 'refused') continue;
      const known =
        state !== 'unknown' && accepted.some(({ id }) => script.action_id === 'inline' || id === job_id);
      spent += known && state !== 'submitted' && state !== 'lost' ? cost : script.credits;
    }
  }
  if (listed?.credits_spent_today !== spent) {
    throw new ChaosFailure('wrong budget', 'all', `${listed?.credits_spent_today} instead of ${spent}`);
  }
  const limit = run.place.maxCreditsPerDay;
  if (limit !== undefined && spent > limit) {
    throw new ChaosFailure('wrong budget', 'all', `${spent} spent, ${limit} allowed`);
  }
}

function jobsOf(listed: JsonObject | undefined): { job_id?: unknown; status?: unknown }[] {
  return Array.isArray(listed?.jobs) ? listed.jobs : [];
}
