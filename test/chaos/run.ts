/** One run: a sequence of commands against two gateways on one data folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isOpen } from './asked.ts';
import { Asks } from './asks.ts';
import { confirmAboveCredits, dearCalls, type Slot, slots } from './calls.ts';
import type { Command } from './commands.ts';
import type { Lane } from './lane.ts';
import { RunRecord } from './run-record.ts';
import {
  ageRows,
  delayCommits,
  emptyStore,
  failWrites,
  lockStore,
  moveTimesBack,
  silenceStore,
} from './store-faults.ts';
import { requestsOf } from './story.ts';
import type { Place, TestedGateway } from './tested-gateway.ts';

export class Run {
  readonly record: RunRecord;
  readonly asks: Asks;
  readonly #gateways: Readonly<Record<Slot, TestedGateway>>;
  readonly #faults = new Set<Promise<void>>();
  #maxCreditsPerCall: number | undefined;
  readonly #minutesAhead: Record<Slot, number> = { 0: 0, 1: 0 };

  private constructor(
    lane: Lane,
    place: Omit<Place, 'now'>,
    { create, killable }: { create: (place: Place) => TestedGateway; killable: boolean },
  ) {
    const maxCreditsPerCall = () => this.#maxCreditsPerCall;
    this.record = new RunRecord(lane, { ...place, maxCreditsPerCall, now: () => this.#now(0) }, killable);
    this.#gateways = {
      0: create(this.record.place),
      1: create({ ...this.record.place, now: () => this.#now(1) }),
    };
    this.asks = new Asks(this.record, this.#gateways);
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
      /** Whether a person confirms what is dear. */
      confirmed?: boolean;
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
      ...(options.confirmed === true && { confirmAboveCredits }),
    };
    const run = new Run(lane, place, options);
    try {
      // The catalog is known before anything breaks.
      await run.asks.ask({ slot: 0, call: undefined, jobId: undefined });
      for (const command of options.commands) await run.#execute(command);
      await run.#settle();
      await lane.proxy.heal();
      await run.#storeAnswers();
      // A process may still be about to send what its client gave up: after its death it cannot.
      if (options.killable && run.record.asked.some(isOpen)) {
        for (const slot of slots) await run.#execute({ do: 'kill', slot, afterMs: 0 });
      }
      await options.judge(run);
    } finally {
      await Promise.all(slots.map((slot) => run.#gateways[slot].close()));
      lane.database?.proxy.cutClients();
      // A database of a lane serves its next run.
      if (lane.database !== undefined) await emptyStore(run.record.store);
      const { service } = lane.upstream;
      lane.accepted += service.jobs.size + run.record.forgotten.length + service.builds.length;
      increase(lane.counts, 'runs with idempotency keys', options.keyed ? 1 : 0);
      increase(lane.counts, 'requests repeated with their key', countRepeats(lane));
      increase(lane.counts, 'builds', service.builds.length);
      service.jobs.clear();
      service.builds.length = 0;
      await lane.proxy.reset();
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  async #execute(command: Command): Promise<void> {
    switch (command.do) {
      case 'call': {
        const { giveUpMs, background, ...request } = command;
        const asking = this.asks.ask({ ...request, jobId: undefined }, { giveUpMs });
        if (!background) await asking;
        return;
      }
      case 'consent': {
        const { slot, consent, giveUpMs, background } = command;
        const asking = this.asks.ask({ slot, call: 'dear 0', jobId: undefined, consent }, { giveUpMs });
        increase(this.record.lane.counts, 'consents');
        if (!background) await asking;
        return;
      }
      case 'batch': {
        const { slot, calls, background, ...patience } = command;
        const asking = this.asks.askBatch(slot, calls, patience);
        increase(this.record.lane.counts, 'batches');
        if (!background) await asking;
        return;
      }
      case 'consent to batch': {
        const { slot, background, ...patience } = command;
        const asking = this.asks.askBatch(slot, dearCalls, patience);
        increase(this.record.lane.counts, 'consents to batches');
        if (!background) await asking;
        return;
      }
      case 'cross':
        this.#count('cancel crossed the answer');
        return this.asks.cross(command.slot, command.call);
      case 'lower limits':
        return this.#lowerLimits();
      case 'burst':
        await this.#burst(command);
        return;
      case 'die unread':
        this.#interrupt();
        this.#count('client died unread');
        return this.asks.dieUnread(command.slot, command.call, command.afterMs);
      case 'list jobs':
        await this.asks.ask({ slot: command.slot, call: undefined, jobId: undefined });
        return;
      case 'get job': {
        const { slot, giveUpMs } = command;
        const jobId = this.asks.lastJobId;
        if (jobId !== undefined) await this.asks.ask({ slot, call: undefined, jobId }, { giveUpMs });
        return;
      }
      case 'settle':
        return this.#settle();
      case 'fault':
        this.record.lane.proxy.inject(command.route, command.kind, command.times);
        // Whether a connection that was reset unread had begun to carry a request is the client's luck.
        if (command.route === 'connection') this.record.interruptions += command.times;
        return;
      case 'refuse connections':
        this.#interrupt();
        await this.record.lane.proxy.refuse();
        await delay(command.ms);
        await this.record.lane.proxy.accept();
        return;
      case 'restart':
        this.#interrupt();
        this.record.lane.restarts += 1;
        return this.#gateways[command.slot].restart();
      case 'kill':
        await delay(command.afterMs);
        this.#interrupt();
        this.record.lane.kills += 1;
        return this.#gateways[command.slot].kill();
      case 'freeze':
        await delay(command.afterMs);
        return this.#freeze(command);
      case 'leave':
        await delay(command.afterMs);
        this.#interrupt();
        this.#count('client left');
        return this.#gateways[command.slot].leave?.();
      case 'lock store':
        return this.#disturb('store locked', lockStore(this.record.store, command.ms));
      case 'fail writes':
        return this.#disturb('writes failed', failWrites(this.record.store, command.state, command.ms));
      case 'silence store':
        if (this.record.lane.database === undefined) return;
        return this.#disturb('store silent', silenceStore(this.record.lane.database, command.ms));
      case 'delay commits':
        return this.#disturb('commits late', delayCommits(this.record.store, command.commitMs, command.ms));
      case 'set clock':
        this.#count('clock set');
        this.#minutesAhead[command.slot] = command.minutesAhead;
        return;
      case 'hide':
        this.#count('jobs gone for a while');
        return this.#meanwhile(this.record.hide(command.call, command.ms));
      case 'forget':
        this.record.forget(command.call);
        return;
      case 'hours pass':
        await this.#settle();
        await this.record.decided();
        this.record.jumps.push(performance.now());
        await moveTimesBack(this.record.store, command.hours);
    }
  }

  async #lowerLimits(): Promise<void> {
    this.#count('limits lowered');
    this.#maxCreditsPerCall = 0;
    for (const slot of slots) {
      this.#interrupt();
      this.record.lane.restarts += 1;
      await this.#gateways[slot].restart();
    }
    this.record.loweredAt = performance.now();
  }

  async #burst({ count, leaving, giveUpMs, ...what }: Extract<Command, { do: 'burst' }>): Promise<void> {
    const ask = (index: number) => {
      const slot = index % 2 === 0 ? 0 : 1;
      const patience = { giveUpMs: index < leaving ? giveUpMs : undefined };
      return 'calls' in what
        ? this.asks.askBatch(slot, what.calls, patience)
        : this.asks.ask({ slot, call: what.call, jobId: undefined }, patience);
    };
    await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  }

  #freeze({ slot, ms, isLong }: Extract<Command, { do: 'freeze' }>): void {
    if (isLong) this.#interrupt();
    this.#count(isLong ? 'process frozen for long' : 'process frozen');
    const meanwhile = async (pid: number) => {
      if (isLong) await ageRows(this.record.store, pid);
    };
    this.#meanwhile(this.#gateways[slot].freeze?.(ms, meanwhile));
  }

  /** Who has gone, or took a handle, may have left a request that is still under way. */
  #interrupt(): void {
    const made = this.record.asked.filter(({ call }) => call !== undefined);
    this.record.interruptions += (this.record.hadStoreFault ? made : this.record.asked.filter(isOpen)).length;
  }

  #disturb(name: string, fault: Promise<void>): void {
    this.record.hadStoreFault = true;
    this.#count(name);
    this.#meanwhile(fault);
  }

  #count(name: string): void {
    increase(this.record.lane.faults, name);
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
        const { body } = await this.asks.ask({ slot, call: undefined, jobId: undefined });
        if (body?.status !== 'error') break;
        if (performance.now() > deadline) throw new Error(`The store stays away: ${JSON.stringify(body)}`);
      }
    }
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#faults);
    await Promise.all(this.record.underWay.values());
  }
}

const increase = (counts: Map<string, number>, name: string, by = 1) =>
  counts.set(name, (counts.get(name) ?? 0) + by);

const countRepeats = ({ proxy }: Lane): number => proxy.posts.length - requestsOf(proxy.posts).length;
