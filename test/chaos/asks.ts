/** How clients ask the two gateways of a run; each answer is recorded the moment the client has it. */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { type Asked, rowOf } from './asked.ts';
import { type CallName, getActionId, type Slot, scriptOf } from './calls.ts';
import type { RunRecord } from './run-record.ts';
import type { Ask, Patience, TestedGateway } from './tested-gateway.ts';

interface Request {
  readonly slot: Slot;
  /** Undefined: a job by its id, or the list of jobs. */
  readonly call: CallName | undefined;
  readonly jobId: string | undefined;
  readonly resubmit?: boolean;
  /** One of the answers of a person to this run. */
  readonly consent?: number | undefined;
}

export class Asks {
  readonly #record: RunRecord;
  readonly #gateways: Readonly<Record<Slot, TestedGateway>>;
  #lastJobId: string | undefined;

  constructor(record: RunRecord, gateways: Readonly<Record<Slot, TestedGateway>>) {
    this.#record = record;
    this.#gateways = gateways;
  }

  /** The job that was named last, delivered or not. */
  get lastJobId(): string | undefined {
    return this.#lastJobId;
  }

  async ask(
    { slot, call, jobId, resubmit = false, consent }: Request,
    patience: Patience = {},
  ): Promise<Asked> {
    const gateway = this.#gateways[slot];
    const name =
      consent === undefined || call === undefined ? undefined : `run-${this.#record.number}-${consent}`;
    const ask =
      call === undefined
        ? gateway.getJob(jobId)
        : call === 'build 0'
          ? gateway.requestBuild(this.#record.build())
          : gateway.run({ action_id: getActionId(call), params: this.#record.params(call), resubmit });
    const asked = this.#record.begin({
      call,
      jobId,
      resubmit,
      inBatch: false,
      consent: name,
      hasStayed: patience.giveUpMs === undefined,
    });
    const confirmation =
      name === undefined || call === undefined
        ? undefined
        : ({ credits: scriptOf(call).credits, answer: 'accepted', consent: name } as const);
    await this.#await([asked], ask, { ...patience, confirmation });
    return asked;
  }

  /** A client whose cancel crosses the answer: it has not read it. */
  async cross(slot: Slot, call: CallName): Promise<void> {
    const gateway = this.#gateways[slot];
    const ask =
      call === 'build 0'
        ? gateway.requestBuild(this.#record.build())
        : gateway.run({ action_id: getActionId(call), params: this.#record.params(call), resubmit: false });
    const asked = this.#record.begin({
      call,
      jobId: undefined,
      resubmit: false,
      inBatch: false,
      isUnread: true,
      hasStayed: false,
    });
    await this.#await([asked], ask, { crosses: true });
  }

  /** Asks for several runs of one action at once. */
  async askBatch(
    slot: Slot,
    batched: readonly CallName[],
    {
      maxCredits,
      consent,
      ...patience
    }: Patience & { readonly maxCredits?: number | undefined; readonly consent?: number | undefined },
  ): Promise<void> {
    const name = consent === undefined ? undefined : `run-${this.#record.number}-batch-${consent}`;
    const credits = batched.reduce((sum, call) => sum + scriptOf(call).credits, 0);
    const confirmation =
      name === undefined ? undefined : ({ credits, answer: 'accepted', consent: name } as const);
    const input = {
      action_id: batched.map(getActionId)[0] ?? '',
      batch: batched.map((call) => this.#record.params(call)),
      ...(maxCredits !== undefined && { max_credits: maxCredits }),
    };
    const rows = batched.map((call) =>
      this.#record.begin({
        call,
        jobId: undefined,
        resubmit: false,
        inBatch: true,
        consent: name,
        hasStayed: patience.giveUpMs === undefined,
      }),
    );
    await this.#await(rows, this.#gateways[slot].runBatch(input), { ...patience, confirmation });
  }

  /** A client over HTTP that reads nothing and whose connection is reset. */
  async dieUnread(slot: Slot, call: CallName, afterMs: number): Promise<void> {
    const asked = this.#record.begin({
      call,
      jobId: undefined,
      resubmit: false,
      inBatch: false,
      isUnread: true,
      hasStayed: false,
    });
    const [name, input] =
      call === 'build 0'
        ? ['request_build', this.#record.build()]
        : ['run_action', { action_id: getActionId(call), params: this.#record.params(call) }];
    const dying = this.#gateways[slot].dieUnread?.(name, input, afterMs) ?? Promise.resolve();
    await this.#await([asked], () => dying.then(() => 'died unread'), {});
  }

  /** Reads a build of the service; free. */
  async readBuild(id: string): Promise<JsonObject | undefined> {
    let answer: JsonObject | undefined;
    await this.#gateways[0].getBuild(id)((body) => {
      answer = body;
    }, {});
    return answer;
  }

  async #await(pieces: readonly Asked[], ask: Ask, patience: Patience): Promise<void> {
    const asking = ask((body) => {
      for (const asked of pieces) {
        asked.to = performance.now();
        asked.body =
          asked.inBatch && asked.call !== undefined ? rowOf(body, this.#record.params(asked.call)) : body;
      }
      if (typeof body.job_id === 'string') this.#lastJobId = body.job_id;
    }, patience);
    for (const asked of pieces) this.#record.underWay.set(asked, asking);
    try {
      const failure = await asking;
      for (const asked of pieces) asked.failure = failure;
    } finally {
      for (const asked of pieces) {
        asked.to ??= performance.now();
        this.#record.underWay.delete(asked);
      }
    }
  }
}
