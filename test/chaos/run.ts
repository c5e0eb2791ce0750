/** One run: a sequence of commands against two gateways on one data folder, and everything that was seen of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { buildCredits } from '../../src/contract/limits.ts';
import { defaultTimeLimits } from '../../src/gateway/foundation/time-limits.ts';
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { callHash } from '../../src/gateway/store/canonical.ts';
import { clockToleranceMs } from '../../src/gateway/store/owner.ts';
import type { IntentRow } from '../../src/gateway/store/schema.ts';
import type { Target } from '../../src/store/database.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import type { JobScript } from '../support/upstream-script.ts';
import type { ScriptedJob } from '../support/upstream-service.ts';
import { type Asked, isEnd, isHandle, isOpen, jobIdOf, rowOf } from './asked.ts';
import { actions, type CallName, type Command, calls, type Slot, slots } from './commands.ts';
import { limitsInProcess } from './gateway-in-process.ts';
import type { Lane } from './lane.ts';
import { delayCommits, failWrites, lockStore, silenceStore, withStore } from './store-faults.ts';
import { requestsOf } from './story.ts';
import { type Patience, type Place, principalAt, storeAt, type TestedGateway } from './tested-gateway.ts';

/** A job or a build that the service accepted. */
export interface Accepted {
  readonly id: string;
  /** `performance.now()`. */
  readonly startedAt: number;
}

export class Run {
  readonly lane: Lane;
  readonly place: Place;
  readonly number: number;
  /** Whether the gateways are processes. */
  readonly killable: boolean;
  readonly asked: Asked[] = [];
  /** Jobs that the service does not know any more. */
  readonly forgotten: ScriptedJob[] = [];
  /** When time was moved on, and the day's spending may have begun anew. */
  readonly jumps: number[] = [];
  /** Requests to a gateway that was ended, or to a service that was cut off: their fate is open. */
  interruptions = 0;
  readonly #gateways: Readonly<Record<Slot, TestedGateway>>;
  readonly #underWay = new Map<Asked, Promise<unknown>>();
  readonly #faults = new Set<Promise<void>>();
  readonly #store: Target;
  readonly #minutesAhead: Record<Slot, number> = { 0: 0, 1: 0 };
  /** What was accepted may have been written late, or not at all where its gateway ended. */
  #hadStoreFault = false;
  #lastJobId: string | undefined;

  private constructor(
    lane: Lane,
    place: Omit<Place, 'now'>,
    { create, killable }: { create: (place: Place) => TestedGateway; killable: boolean },
  ) {
    this.lane = lane;
    this.killable = killable;
    this.place = { ...place, now: () => this.#now(0) };
    this.number = lane.runs;
    this.#store = storeAt({ dataDir: place.dataDir, databaseUrl: lane.database?.url });
    this.#gateways = {
      0: create(this.place),
      1: create({ ...this.place, now: () => this.#now(1) }),
    };
  }

  #now(slot: Slot): number {
    return Date.now() + this.#minutesAhead[slot] * 60_000;
  }

  /** Plays the commands and calls `judge` at the end, with all faults over and both gateways alive. */
  static async play(
    lane: Lane,
    options: {
      create: (place: Place) => TestedGateway;
      commands: readonly Command[];
      maxCreditsPerDay?: number | undefined;
      /** Whether the service takes idempotency keys. */
      keyed: boolean;
      /** Whether the gateways are processes. */
      killable: boolean;
      judge: (run: Run) => Promise<void>;
    },
  ): Promise<void> {
    lane.runs += 1;
    lane.upstream.service.extensions = options.keyed ? 'idempotency' : '';
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-mcp-chaos-'));
    const place = {
      baseUrl: lane.proxy.origin,
      apiKey: lane.upstream.apiKey,
      dataDir,
      databaseUrl: lane.database?.proxy.url,
      maxCreditsPerDay: options.maxCreditsPerDay,
    };
    const run = new Run(lane, place, options);
    try {
      // The catalog is known before anything breaks.
      await run.ask({ slot: 0, call: undefined, jobId: undefined });
      for (const command of options.commands) await run.#execute(command);
      await run.#settle();
      await lane.proxy.heal();
      await run.#storeAnswers();
      // A process may still be about to send what its client gave up: after its death it cannot.
      if (options.killable && run.asked.some(isOpen)) {
        for (const slot of slots) await run.#execute({ do: 'kill', slot, afterMs: 0 });
      }
      await options.judge(run);
    } finally {
      await Promise.all(slots.map((slot) => run.#gateways[slot].close()));
      lane.database?.proxy.cutClients();
      await run.#empty();
      const { service } = lane.upstream;
      lane.accepted += service.jobs.size + run.forgotten.length + service.builds.length;
      increase(lane.counts, 'runs with idempotency keys', options.keyed ? 1 : 0);
      increase(lane.counts, 'requests repeated with their key', countRepeats(lane));
      increase(lane.counts, 'builds', service.builds.length);
      service.jobs.clear();
      service.builds.length = 0;
      await lane.proxy.reset();
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  /** Asks one gateway; the answer is recorded the moment the client has it. */
  async ask(
    request: {
      slot: Slot;
      call: CallName | undefined;
      jobId: string | undefined;
      resubmit?: boolean;
    },
    patience: Patience = {},
  ): Promise<Asked> {
    const { slot, call, jobId, resubmit = false } = request;
    const gateway = this.#gateways[slot];
    const ask =
      call === undefined
        ? gateway.getJob(jobId)
        : call === 'build 0'
          ? gateway.requestBuild(this.#build())
          : gateway.run({ action_id: actionOf(call), params: this.params(call), resubmit });
    const asked = this.#begin({ call, jobId, resubmit, inBatch: false });
    await this.#await([asked], ask, patience);
    return asked;
  }

  /** Asks for several runs of one action at once. */
  async #askBatch(slot: Slot, batched: readonly CallName[], patience: Patience): Promise<void> {
    const action_id = batched.map(actionOf)[0] ?? '';
    const batch = batched.map((call) => this.params(call));
    const rows = batched.map((call) =>
      this.#begin({ call, jobId: undefined, resubmit: false, inBatch: true }),
    );
    await this.#await(rows, this.#gateways[slot].runBatch({ action_id, batch }), patience);
  }

  /** Reads a build of the service; free. */
  async readBuild(id: string): Promise<JsonObject | undefined> {
    let answer: JsonObject | undefined;
    await this.#gateways[0].getBuild(id)((body) => {
      answer = body;
    }, {});
    return answer;
  }

  #begin(request: Pick<Asked, 'call' | 'jobId' | 'resubmit' | 'inBatch'>): Asked {
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

  async #await(pieces: readonly Asked[], ask: ReturnType<TestedGateway['run']>, patience: Patience) {
    const asking = ask((body) => {
      for (const asked of pieces) {
        asked.to = performance.now();
        asked.body = asked.inBatch && asked.call !== undefined ? rowOf(body, this.params(asked.call)) : body;
      }
      if (typeof body.job_id === 'string') this.#lastJobId = body.job_id;
    }, patience);
    for (const asked of pieces) this.#underWay.set(asked, asking);
    try {
      const failure = await asking;
      for (const asked of pieces) asked.failure = failure;
    } finally {
      for (const asked of pieces) {
        asked.to ??= performance.now();
        this.#underWay.delete(asked);
      }
    }
  }

  /** Its answer is not there or not recorded, or its client left so recently that it may still be sent. */
  #maySend(asked: Asked): boolean {
    const left = asked.body === undefined && performance.now() - (asked.to ?? 0) < sentAfterLeavingMs;
    // A batch goes on after its handle.
    return left || this.#underWay.has(asked) || (asked.inBatch && isHandle(asked.body));
  }

  /** Each run has a website of its own. */
  #build() {
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
    const { submitMs } = this.killable ? defaultTimeLimits : limitsInProcess;
    const ms = call === 'inline 0' ? leastSyncMs : submitMs;
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

  /** From now on the service does not know the jobs of the call. */
  forget(call: CallName): void {
    for (const job of this.#jobs(call))
      if (this.lane.upstream.service.jobs.delete(job.id)) this.forgotten.push(job);
  }

  /** What the gateways wrote of a call, oldest first. */
  async intents(call: CallName): Promise<IntentRow[]> {
    const { website_url, ...build } = this.#build();
    const paid =
      call === 'build 0'
        ? ({ kind: 'build', subject: website_url, params: build } as const)
        : ({ kind: 'run', subject: actionOf(call), params: this.params(call) } as const);
    const hash = callHash({ ...paid, credentialId: undefined });
    return withStore(this.#store, ({ query }) =>
      query
        .selectFrom('gateway_intent')
        .selectAll()
        .where('principal', '=', principalAt(this.place).id)
        .where('call_hash', '=', hash)
        .orderBy('created_at')
        .execute(),
    );
  }

  /** The calls that a batch began, with their batch. */
  batchedIntents() {
    return withStore(this.#store, ({ query }) =>
      query
        .selectFrom('gateway_intent as intent')
        .innerJoin('gateway_batch_row as row', 'row.intent_id', 'intent.id')
        .select(['intent.id', 'intent.job_id', 'intent.state', 'row.batch_id'])
        .where('intent.principal', '=', principalAt(this.place).id)
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
      const isUnwritten = ({ state, job_id, deadline }: IntentRow) =>
        state === 'submitted' || state === 'finished'
          ? told.has(job_id)
          : state === 'intended' && deadline + clockToleranceMs >= now;
      if (this.lane.proxy.posts.every(({ answered }) => answered !== undefined) && !rows.some(isUnwritten))
        return;
      await delay(10);
    }
  }

  async #execute(command: Command): Promise<void> {
    switch (command.do) {
      case 'call': {
        const { giveUpMs, background, ...request } = command;
        const asking = this.ask({ ...request, jobId: undefined }, { giveUpMs });
        if (!background) await asking;
        return;
      }
      case 'batch': {
        const asking = this.#askBatch(command.slot, command.calls, { giveUpMs: command.giveUpMs });
        increase(this.lane.counts, 'batches');
        if (!command.background) await asking;
        return;
      }
      case 'burst':
        await Promise.all(
          Array.from({ length: command.count }, (_, index) =>
            this.ask({ slot: index % 2 === 0 ? 0 : 1, call: command.call, jobId: undefined }),
          ),
        );
        return;
      case 'list jobs':
        await this.ask({ slot: command.slot, call: undefined, jobId: undefined });
        return;
      case 'get job':
        if (this.#lastJobId === undefined) return;
        await this.ask(
          { slot: command.slot, call: undefined, jobId: this.#lastJobId },
          { giveUpMs: command.giveUpMs },
        );
        return;
      case 'settle':
        return this.#settle();
      case 'fault':
        this.lane.proxy.inject(command.route, command.kind, command.times);
        // Whether a connection that was reset unread had begun to carry a request is the client's luck.
        if (command.route === 'connection') this.interruptions += command.times;
        return;
      case 'refuse connections':
        this.#interrupt();
        await this.lane.proxy.refuse();
        await delay(command.ms);
        await this.lane.proxy.accept();
        return;
      case 'restart':
        this.#interrupt();
        this.lane.restarts += 1;
        return this.#gateways[command.slot].restart();
      case 'kill':
        await delay(command.afterMs);
        this.#interrupt();
        this.lane.kills += 1;
        return this.#gateways[command.slot].kill();
      case 'freeze':
        await delay(command.afterMs);
        this.#meanwhile(this.#gateways[command.slot].freeze?.(command.ms));
        return;
      case 'leave':
        await delay(command.afterMs);
        this.#interrupt();
        this.#count('client left');
        return this.#gateways[command.slot].leave?.();
      case 'lock store':
        return this.#disturb('store locked', lockStore(this.#store, command.ms));
      case 'fail writes':
        return this.#disturb('writes failed', failWrites(this.#store, command.state, command.ms));
      case 'silence store':
        if (this.lane.database === undefined) return;
        return this.#disturb('store silent', silenceStore(this.lane.database, command.ms));
      case 'delay commits':
        return this.#disturb('commits late', delayCommits(this.#store, command.commitMs, command.ms));
      case 'set clock':
        this.#count('clock set');
        this.#minutesAhead[command.slot] = command.minutesAhead;
        return;
      case 'forget':
        this.forget(command.call);
        return;
      case 'hours pass':
        await this.#settle();
        await this.decided();
        this.jumps.push(performance.now());
        await withStore(this.#store, async ({ query }) => {
          const ms = Math.round(command.hours * 3_600_000);
          for (const column of ['created_at', 'submitted_at', 'finished_at', 'delivered_at', 'deadline']) {
            await sql`update gateway_intent set ${sql.ref(column)} = ${sql.ref(column)} - ${ms}`.execute(
              query,
            );
          }
        });
    }
  }

  /** Who has gone, or took a handle, may have left a request that is still under way. */
  #interrupt(): void {
    const made = this.asked.filter(({ call }) => call !== undefined);
    this.interruptions += (this.#hadStoreFault ? made : this.asked.filter(isOpen)).length;
  }

  /** A database of a lane serves its next run. */
  async #empty(): Promise<void> {
    if (this.lane.database === undefined) return;
    await withStore(this.#store, async ({ query }) => {
      await query.deleteFrom('gateway_intent').execute();
      await query.deleteFrom('gateway_result').execute();
      await query.deleteFrom('gateway_batch_row').execute();
      await query.deleteFrom('gateway_batch').execute();
    });
  }

  #disturb(name: string, fault: Promise<void>): void {
    this.#hadStoreFault = true;
    this.#count(name);
    this.#meanwhile(fault);
  }

  #count(name: string): void {
    increase(this.lane.faults, name);
  }

  /** A fault of the store or the machine that other commands go on under. */
  #meanwhile(fault: Promise<void> | undefined): void {
    const ending = (fault ?? Promise.resolve()).finally(() => this.#faults.delete(ending));
    this.#faults.add(ending);
  }

  /** Connections that a silence has killed are noticed one by one. */
  async #storeAnswers(): Promise<void> {
    const deadline = performance.now() + 40_000;
    for (const slot of slots) {
      for (;;) {
        const { body } = await this.ask({ slot, call: undefined, jobId: undefined });
        if (body?.status !== 'error') break;
        if (performance.now() > deadline) throw new Error(`The store stays away: ${JSON.stringify(body)}`);
      }
    }
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#faults);
    await Promise.all(this.#underWay.values());
  }

  #isOf(call: CallName, body: unknown): boolean {
    const asked =
      call === 'build 0' ? this.#build() : { action_id: actionOf(call), params: this.params(call) };
    return JSON.stringify(body) === JSON.stringify(asked);
  }
}

const increase = (counts: Map<string, number>, name: string, by = 1) =>
  counts.set(name, (counts.get(name) ?? 0) + by);

const countRepeats = ({ proxy }: Lane): number => proxy.posts.length - requestsOf(proxy.posts).length;

/** The time of a sync action's request, whose call waits for no longer than a second. */
const leastSyncMs = 1_000;
/** A call may be sent so long after its client has gone. */
export const sentAfterLeavingMs = 2_000;

const actionOf = (call: CallName) => call.split(' ')[0] ?? call;
/** What a call costs, and how its job goes. */
export function scriptOf(call: CallName): { readonly credits: number; readonly job?: JobScript } {
  if (call === 'build 0') return { credits: buildCredits };
  const script = actions.find((action) => action.action_id === actionOf(call));
  if (script === undefined) throw new Error(`No action for ${call}`);
  return script;
}
