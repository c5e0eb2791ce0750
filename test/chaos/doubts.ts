/** Whether each doubt about a paid request was said, and nothing else was called one. */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { ownJobId } from '../../src/gateway/paid/call-identity.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import { type Asked, isOpen } from './asked.ts';
import { ChaosFailure } from './chaos-failure.ts';
import type { RunRecord } from './run-record.ts';
import { jobsOf, requestsOf, type Story } from './story.ts';

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
  'request-timeout',
  'error-with-200',
]);

const isDoubtful = ({ fault }: PaidRequest) => fault !== undefined && doubtful.has(fault);
const isPlainAnswer = ({ fault, answered }: PaidRequest) => fault === undefined && answered === true;

/** Every doubt is an intent that is `unknown`, was said at once where the client was there, and is listed. */
export function checkDoubts(
  { call, intents, posts, asked }: Story,
  record: RunRecord,
  listed: JsonObject | undefined,
): void {
  const undecided = intents.find(({ state }) => state === 'intended');
  if (undecided !== undefined) throw new ChaosFailure('unreported doubt', call, `${undecided.id} undecided`);
  const unknown = intents.filter(({ state }) => state === 'unknown');
  const requests = requestsOf(posts);
  // The service's list of builds settles a doubt about one that it has.
  const mayBeSettled = (post: PaidRequest) => call === 'build 0' && post.forwarded;
  const sure = requests.filter((own) => own.every((post) => isDoubtful(post) && !mayBeSettled(post)));
  const possible = requests.filter((own) => own.some(isDoubtful) && !own.some(isPlainAnswer));
  // A machine under load may be late.
  const late = posts.filter((post) => post.answered !== true || record.wasLate(call, post)).length;
  const most = possible.length + record.interruptions + late;
  if (unknown.length < sure.length || unknown.length > most) {
    throw new ChaosFailure(
      'unreported doubt',
      call,
      `${sure.length} doubts, at most ${most}, but ${unknown.length} are unknown`,
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
  const mayBeInDoubt = (one: Asked) => isOpen(one) || one.body?.status === 'unknown';
  for (const request of requestsOf(posts)) {
    if (!request.every(isDoubtful)) continue;
    // Of several calls that ran, one has sent it: not before the previous request, after which it was new. What is sent
    // again with its key is the same request.
    const previousAt = posts[posts.findIndex((post) => request.includes(post)) - 1]?.at ?? 0;
    for (const { at, fault } of request) {
      const senders = own.filter(
        ({ from, to, body }) => from <= at && (body === undefined || (to ?? at) >= previousAt),
      );
      if (senders.some(mayBeInDoubt)) continue;
      const bodies = JSON.stringify(senders.map(({ body }) => body));
      throw new ChaosFailure('unreported doubt', call, `${fault} was said to nobody of ${bodies}`);
    }
  }
  for (const one of own) {
    if (!one.alone || one.to === undefined || mayBeInDoubt(one)) continue;
    const [post, ...others] = posts.slice(one.postsBefore).filter(({ at }) => at <= (one.to ?? 0));
    if (post === undefined || others.length > 0 || !isDoubtful(post)) continue;
    throw new ChaosFailure(
      'unreported doubt',
      call,
      `${post.fault} was answered with ${JSON.stringify(one.body)}`,
    );
  }
}
