/** What was seen of one run: what clients asked for, what the proxy passed on, what the service took, what the gateways wrote. */
import { setTimeout as delay } from 'node:timers/promises';
import { defaultTimeLimits } from '../../src/gateway/foundation/time-limits.ts';
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { callHash } from '../../src/gateway/paid/call-identity.ts';
import { clockToleranceMs } from '../../src/gateway/paid/owner.ts';
import type { GroupRow, MemberRow, PaidRow } from '../../src/gateway/store/schema.ts';
import type { Target } from '../../src/store/database.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import type { ScriptedJob } from '../support/upstream-service.ts';
import { type Asked, isEnd, isHandle, jobIdOf, sentAfterLeavingMs } from './asked.ts';
import { type CallName, calls, getActionId, isSync } from './calls.ts';
import { limitsInProcess } from './gateway-in-process.ts';
import type { Lane } from './lane.ts';
import { withStore } from './store-faults.ts';
import { type Place, principalAt, storeAt } from './tested-gateway.ts';

/** A job or a build that the service accepted. */
export interface Accepted {
  readonly id: string;
  /** `performance.now()`. */
  readonly startedAt: number;
}

/** A row that a group points to. */
export type GroupedRow = Pick<PaidRow, 'id' | 'job_id' | 'state' | 'charged' | 'paid_for'> &
  Pick<MemberRow, 'group_id'> &
  Pick<GroupRow, 'allowance'>;

export class RunRecord {
  readonly lane: Lane;
  readonly place: Place;
  readonly number: number;
  /** Whether the gateways are processes. */
  readonly killable: boolean;
  readonly store: Target;
  readonly asked: Asked[] = [];
  /** What waits for its answer. */
  readonly underWay = new Map<Asked, Promise<unknown>>();
  /** Jobs that the service does not know any more. */
  readonly forgotten: ScriptedJob[] = [];
  readonly #forgottenCalls = new Set<CallName>();
  /** When the limits were lowered so that no further call may be paid; `performance.now()`. */
  loweredAt: number | undefined;
  /** When time was moved on, and the day's spending may have begun anew. */
  readonly jumps: number[] = [];
  /** What was accepted may have been written late, or not at all where its gateway ended. */
  hadStoreFault = false;
  /** Requests to a gateway that was ended, or to a service that was cut off: their fate is open. */
  interruptions = 0;

  constructor(lane: Lane, place: Place, killable: boolean) {
    this.lane = lane;
    this.place = place;
    this.number = lane.runs;
    this.killable = killable;
    this.store = storeAt({ dataDir: place.dataDir, databaseUrl: lane.database?.url });
  }

  /** Records that a client asks. */
  begin(
    request: Pick<Asked, 'call' | 'jobId' | 'resubmit' | 'inBatch' | 'consent' | 'isUnread' | 'hasStayed'>,
  ): Asked {
    const { call, inBatch } = request;
    const asked: Asked = {
      ...request,
      from: performance.now(),
      to: undefined,
      body: undefined,
      failure: undefined,
      alone: !inBatch,
      postsBefore: call === undefined ? 0 : this.posts(call).length,
    };
    for (const other of this.asked.filter((one) => one.call === call && this.#maySend(one))) {
      asked.alone = false;
      if (other.to === undefined) other.alone = false;
    }
    this.asked.push(asked);
    return asked;
  }

  /** Its answer is not there or not recorded, or its client left so recently that it may still be sent. */
  #maySend(asked: Asked): boolean {
    const left = asked.body === undefined && performance.now() - (asked.to ?? 0) < sentAfterLeavingMs;
    // A batch goes on after its handle.
    return left || this.underWay.has(asked) || (asked.inBatch && isHandle(asked.body));
  }

  /** Each run has a website of its own. */
  build() {
    return { website_url: `https://run-${this.number}.example/`, goal: 'All rows' };
  }

  params(call: CallName): JsonObject {
    return { run: this.number, version: call.split(' ')[1] };
  }

  /**
   * Whether this process was late for a third of the time that a request has to be answered in: its gateway may have
   * given up an answer that the proxy had written.
   */
  wasLate(call: CallName, { at }: PaidRequest): boolean {
    const { submitMs, syncMs } = this.killable ? defaultTimeLimits : limitsInProcess;
    const ms = isSync(call) ? syncMs : submitMs;
    return this.lane.standstills.during(at - ms, at + ms) >= ms / 3;
  }

  posts(call: CallName): PaidRequest[] {
    return this.lane.proxy.posts.filter((post) => this.#isOf(call, post.body));
  }

  /** What the service really took and charged, oldest first. */
  accepted(call: CallName): Accepted[] {
    return call === 'build 0' ? this.#builds() : this.#jobs(call);
  }

  #builds(): Accepted[] {
    const { builds, buildsAcceptedAt } = this.lane.upstream.service;
    return builds.map(({ id }) => ({ id, startedAt: buildsAcceptedAt.get(id) ?? 0 }));
  }

  #jobs(call: CallName): ScriptedJob[] {
    return [...this.lane.upstream.service.jobs.values(), ...this.forgotten]
      .filter((job) => this.#isOf(call, { action_id: job.actionId, params: job.params }))
      .sort((one, other) => one.startedAt - other.startedAt);
  }

  /** For a while the service does not know the jobs of the call. */
  async hide(call: CallName, ms: number): Promise<void> {
    const { jobs } = this.lane.upstream.service;
    const hidden = this.#jobs(call).filter(({ id }) => jobs.delete(id));
    this.forgotten.push(...hidden);
    await delay(ms);
    for (const job of hidden) {
      const place = this.forgotten.indexOf(job);
      // It may be gone for good by now.
      if (place === -1 || this.#forgottenCalls.has(call)) continue;
      this.forgotten.splice(place, 1);
      jobs.set(job.id, job);
    }
  }

  /** From now on the service does not know the jobs of the call. */
  forget(call: CallName): void {
    this.#forgottenCalls.add(call);
    for (const job of this.#jobs(call))
      if (this.lane.upstream.service.jobs.delete(job.id)) this.forgotten.push(job);
  }

  /** What the gateways wrote of a call, oldest first. */
  async intents(call: CallName): Promise<PaidRow[]> {
    const { website_url, ...build } = this.build();
    const paid =
      call === 'build 0'
        ? ({ kind: 'build', subject: website_url, params: build } as const)
        : ({ kind: 'run', subject: getActionId(call), params: this.params(call) } as const);
    const hash = callHash({ ...paid, credentialId: undefined });
    return withStore(this.store, ({ query }) =>
      query
        .selectFrom('gateway_intent')
        .selectAll()
        .where('principal', '=', principalAt(this.place).id)
        .where('call_hash', '=', hash)
        .orderBy('created_at')
        .execute(),
    );
  }

  /** The rows that groups point to, with their group. */
  groupRows(): Promise<GroupedRow[]> {
    return withStore(this.store, ({ query }) =>
      query
        .selectFrom('gateway_intent as row')
        .innerJoin('gateway_member as member', 'member.row_id', 'row.id')
        .innerJoin('gateway_group as group', 'group.id', 'member.group_id')
        .select(['row.id', 'row.job_id', 'row.state', 'row.charged', 'row.paid_for'])
        .select(['member.group_id', 'group.allowance'])
        .where('row.principal', '=', principalAt(this.place).id)
        .execute(),
    );
  }

  /** Waits until no request is on its way, whose client may have gone, and what was answered is written. */
  async decided(): Promise<void> {
    const told = new Set(this.asked.flatMap(({ body }) => (isEnd(body) ? [jobIdOf(body)] : [])));
    const deadline = performance.now() + 40_000;
    while (performance.now() < deadline) {
      const rows = (await Promise.all(calls.map((call) => this.intents(call)))).flat();
      const now = Date.now();
      // One whose time is over is `unknown` to whoever looks next.
      const isUnwritten = ({ state, job_id, deadline }: PaidRow) =>
        state === 'submitted' || state === 'finished'
          ? told.has(job_id)
          : state === 'intended' && deadline + clockToleranceMs >= now;
      if (this.lane.proxy.posts.every(({ answered }) => answered !== undefined) && !rows.some(isUnwritten))
        return;
      await delay(10);
    }
  }

  #isOf(call: CallName, body: unknown): boolean {
    const asked =
      call === 'build 0' ? this.build() : { action_id: getActionId(call), params: this.params(call) };
    return JSON.stringify(body) === JSON.stringify(asked);
  }
}
