/** One run: a sequence of commands against two gateways on one data folder, and everything that was seen of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { defaultRunLimits } from '../../src/gateway/runs/limits.ts';
import { callHash } from '../../src/gateway/store/canonical.ts';
import { clockToleranceMs } from '../../src/gateway/store/owner.ts';
import type { IntentRow } from '../../src/gateway/store/schema.ts';
import type { Target } from '../../src/store/database.ts';
import { type FaultProxy, type PaidRequest, startFaultProxy } from '../support/fault-proxy.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import type { ScriptedJob } from '../support/upstream-service.ts';
import { actions, type CallName, type Command, calls, type Slot, slots } from './commands.ts';
import {
  limitsInProcess,
  type Patience,
  type Place,
  principalAt,
  storeAt,
  type TestedGateway,
} from './gateways.ts';
import { StandstillWatch } from './standstills.ts';
import {
  delayCommits,
  failWrites,
  type LaneDatabase,
  lockStore,
  openLaneDatabase,
  silenceStore,
  withStore,
} from './store-faults.ts';

/** One request of a client. Times are `performance.now()`. */
export interface Asked {
  readonly call: CallName | undefined;
  readonly jobId: string | undefined;
  readonly resubmit: boolean;
  readonly from: number;
  /** Undefined while it runs. */
  to: number | undefined;
  /** Undefined where the client had gone or the gateway had; then `failure` says how that showed. */
  body: JsonObject | undefined;
  failure: string | undefined;
  /** From its start to its end nothing else could send the same call, nor a moment before. */
  alone: boolean;
  /** Paid requests of the call that arrived by its start. */
  readonly postsBefore: number;
}

/** What one lane of runs has to itself; runs follow one another in it. */
export interface Lane {
  readonly upstream: Upstream;
  readonly proxy: FaultProxy;
  readonly database: LaneDatabase | undefined;
  readonly standstills: StandstillWatch;
  runs: number;
  /** Jobs that the service accepted. */
  accepted: number;
  /** Faults of stores, clocks and clients, by name. */
  readonly faults: Map<string, number>;
  /** Answers that were written when the client had just given up: it does not know what it paid for. */
  crossed: number;
  kills: number;
  restarts: number;
  close(): Promise<void>;
}

export async function openLane(databaseUrl?: string): Promise<Lane> {
  const upstream = await startUpstream({ balance: 1e9, actions });
  const proxy = await startFaultProxy(upstream.origin);
  const database = databaseUrl === undefined ? undefined : await openLaneDatabase(databaseUrl);
  const standstills = new StandstillWatch();
  return {
    upstream,
    proxy,
    database,
    standstills,
    runs: 0,
    accepted: 0,
    faults: new Map(),
    crossed: 0,
    kills: 0,
    restarts: 0,
    async close() {
      standstills.stop();
      await proxy.close();
      await database?.proxy.close();
      await upstream.close();
    },
  };
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
      /** Whether the gateways are processes. */
      killable: boolean;
      judge: (run: Run) => Promise<void>;
    },
  ): Promise<void> {
    lane.runs += 1;
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
      await lane.proxy.reset();
      lane.database?.proxy.cutClients();
      await run.#empty();
      lane.accepted += lane.upstream.service.jobs.size + run.forgotten.length;
      lane.upstream.service.jobs.clear();
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
    const asked: Asked = {
      call,
      jobId,
      resubmit,
      from: performance.now(),
      to: undefined,
      body: undefined,
      failure: undefined,
      alone: true,
      postsBefore: call === undefined ? 0 : this.posts(call).length,
    };
    for (const other of this.asked.filter((one) => one.call === call && this.#maySend(one))) {
      asked.alone = false;
      if (other.to === undefined) other.alone = false;
    }
    this.asked.push(asked);
    const gateway = this.#gateways[slot];
    const ask =
      call === undefined
        ? gateway.getJob(jobId)
        : gateway.run({ action_id: actionOf(call), params: this.params(call), resubmit });
    const asking = ask((body) => {
      asked.to = performance.now();
      asked.body = body;
      if (typeof body.job_id === 'string') this.#lastJobId = body.job_id;
    }, patience);
    this.#underWay.set(asked, asking);
    try {
      asked.failure = await asking;
    } finally {
      asked.to ??= performance.now();
      this.#underWay.delete(asked);
    }
    return asked;
  }

  /** Its answer is not there or not recorded, or its client left so recently that it may still be sent. */
  #maySend(asked: Asked): boolean {
    const left = asked.body === undefined && performance.now() - (asked.to ?? 0) < sentAfterLeavingMs;
    return left || this.#underWay.has(asked);
  }

  params(call: CallName): JsonObject {
    return { run: this.number, version: call.split(' ')[1] };
  }

  /**
   * Whether this process was late for a third of the time that a request has to be answered in: its gateway may have
   * given up an answer that the proxy had written.
   */
  wasLate(call: CallName, { at }: PaidRequest): boolean {
    const { submitMs } = this.killable ? defaultRunLimits : limitsInProcess;
    const ms = 'mode' in scriptOf(call) ? leastSyncMs : submitMs;
    return this.lane.standstills.during(at - ms, at + ms) >= ms / 3;
  }

  posts(call: CallName): PaidRequest[] {
    return this.lane.proxy.posts.filter((post) => this.#isOf(call, post.body));
  }

  /** What the service really took and charged, oldest first. */
  accepted(call: CallName): ScriptedJob[] {
    return [...this.lane.upstream.service.jobs.values(), ...this.forgotten]
      .filter((job) => this.#isOf(call, { action_id: job.actionId, params: job.params }))
      .sort((one, other) => one.startedAt - other.startedAt);
  }

  forget(jobs: readonly ScriptedJob[]): void {
    for (const job of jobs) if (this.lane.upstream.service.jobs.delete(job.id)) this.forgotten.push(job);
  }

  /** What the gateways wrote of a call, oldest first. */
  async intents(call: CallName): Promise<IntentRow[]> {
    const hash = callHash({
      kind: 'run',
      subject: actionOf(call),
      params: this.params(call),
      credentialId: undefined,
    });
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

  /** Waits until no request is on its way, whose client may have gone, and what was answered is written. */
  async decided(): Promise<void> {
    const told = new Set(this.asked.flatMap(({ body }) => (isEnd(body) ? [body?.job_id] : [])));
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
        this.forget(this.accepted(command.call));
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
    });
  }

  #disturb(name: string, fault: Promise<void>): void {
    this.#hadStoreFault = true;
    this.#count(name);
    this.#meanwhile(fault);
  }

  #count(name: string): void {
    this.lane.faults.set(name, (this.lane.faults.get(name) ?? 0) + 1);
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
    return JSON.stringify(body) === JSON.stringify({ action_id: actionOf(call), params: this.params(call) });
  }
}

/** The time of a sync action's request, whose call waits for no longer than a second. */
const leastSyncMs = 1_000;
/** A call may be sent so long after its client has gone. */
export const sentAfterLeavingMs = 2_000;

const isOpen = ({ body }: Asked) => body === undefined || body.status === 'processing';
const isEnd = (body: JsonObject | undefined) => body?.status === 'completed' || body?.status === 'failed';

const actionOf = (call: CallName) => call.split(' ')[0] ?? call;
export const scriptOf = (call: CallName) => {
  const script = actions.find((action) => action.action_id === actionOf(call));
  if (script === undefined) throw new Error(`No action for ${call}`);
  return script;
};
