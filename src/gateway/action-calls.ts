/** Calls of an action: by its tool's name, by its id, or with many inputs. Each throws where it is refused. */
import { traced } from '../tracing/tracing.ts';
import type { SignIns } from './accounts/sign-in.ts';
import type { Catalog } from './catalog/catalog.ts';
import { checkIdentity, splitArguments } from './catalog/tool-arguments.ts';
import { actionNotFound } from './catalog/unknown-names.ts';
import { GatewayError } from './foundation/errors.ts';
import type { CallContext, ResultFormat, RunActionInput, RunBatchInput } from './interface/gateway.ts';
import type { JsonObject, Outcome } from './interface/outcomes.ts';
import type { Drifts } from './paid/drifts.ts';
import type { Groups } from './paid/groups.ts';
import type { Jobs } from './paid/jobs.ts';
import type { Offer } from './paid/order.ts';
import type { RunInput, Runs } from './paid/runs.ts';
import { emptyNote, hasNoRows, mayBeEmpty, withNote } from './results/empty-note.ts';
import { checkSelect } from './results/viewer.ts';

interface ActionCallsDependencies {
  /** As of `ReservedByTools`. */
  readonly runArguments: readonly string[];
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly groups: Groups;
  readonly jobs: Jobs;
  readonly signIns: SignIns;
  readonly drifts: Drifts;
}

interface RunView {
  readonly select?: string | undefined;
  readonly format?: ResultFormat | undefined;
}

export class ActionCalls {
  readonly #dependencies: ActionCallsDependencies;

  constructor(dependencies: ActionCallsDependencies) {
    this.#dependencies = dependencies;
  }

  /** As `Gateway.runTool`. The arguments are the action's params, with `select`, `format`, and `identity` where it may sign in. */
  async runTool(name: string, args: JsonObject, context: CallContext): Promise<Outcome | undefined> {
    const { catalog, runArguments } = this.#dependencies;
    const snapshot = catalog.snapshotWith(name) ?? (await catalog.snapshotFor(name));
    const action = snapshot.tools.get(name);
    if (action === undefined) return undefined;
    const { select, format, names, ...input } = splitArguments(args, action, runArguments);
    return this.#run({ action, snapshot }, input, { select, format }, context, names);
  }

  async run({ action_id, select, format, ...input }: RunActionInput, context: CallContext): Promise<Outcome> {
    const offer = await this.#findAction(action_id);
    checkIdentity(offer.action, input.identity);
    return this.#run(offer, input, { select, format }, context);
  }

  async runBatch(
    { action_id, select, format, ...input }: RunBatchInput,
    context: CallContext,
  ): Promise<Outcome> {
    const offer = await this.#findAction(action_id);
    const { action } = offer;
    checkIdentity(action, input.identity);
    checkSelect({ select });
    const { signIns, groups } = this.#dependencies;
    return signIns.runWithAccount(action, input.identity, context, async () => {
      const outcome = await groups.run(offer, input, { select, format }, context);
      return { ...outcome, body: await this.#withRowNotes(outcome.body, action, select, context) };
    });
  }

  /** The body of a batch with a note at each row whose result has no rows, whatever select shows of it. */
  async #withRowNotes(
    body: JsonObject,
    { action_id, params: schema }: Offer['action'],
    select: string | undefined,
    context: CallContext,
  ): Promise<JsonObject> {
    const { rows } = body;
    if (!Array.isArray(rows)) return body;
    const annotated = rows.map(async (row: JsonObject) => {
      if (row.status !== 'completed' || !mayBeEmpty(row.data ?? row.rows_shown)) return row;
      const whole =
        select === undefined && row.data !== undefined
          ? row.data
          : await this.#readWhole(row.job_id, context);
      if (!hasNoRows(whole)) return row;
      const lastRows = await this.#lastRows(action_id, row);
      const hint = emptyNote({ params: Object(row.params), schema, lastRows });
      return hint === undefined ? row : withNote(row, hint);
    });
    return { ...body, rows: await Promise.all(annotated) };
  }

  /** When this action last had rows; undefined where that is not known, or where a doubt says more. */
  async #lastRows(subject: string, { account, drift }: JsonObject): Promise<number | undefined> {
    if (drift !== undefined) return undefined;
    const key = { subject, account: typeof account === 'string' ? account : '' };
    return this.#dependencies.drifts.lastRows(key).catch(() => undefined);
  }

  /** Undefined where it cannot be read: a note is no reason to fail. */
  async #readWhole(jobId: unknown, context: CallContext): Promise<unknown> {
    const read = this.#dependencies.jobs.get(String(jobId), {}, { ...context, waitMs: 0 });
    return read.then(({ body }) => body.data).catch(() => undefined);
  }

  /** Finds the action in the snapshot, or else in a newer one. */
  async #findAction(actionId: string): Promise<Offer> {
    const snapshot = await this.#dependencies.catalog.snapshotFor(actionId);
    const action = snapshot.action(actionId);
    if (action === undefined) throw actionNotFound(actionId, snapshot);
    return { action, snapshot };
  }

  async #run(
    offer: Offer,
    input: RunInput,
    view: RunView,
    context: CallContext,
    toolArguments?: readonly string[],
  ): Promise<Outcome> {
    const { catalog, runs, jobs, signIns } = this.#dependencies;
    const { action } = offer;
    checkSelect(view);
    const outcome = await signIns
      .runWithAccount(action, input.identity, context, () => runs.run(offer, input, context, toolArguments))
      .catch((error: unknown) => {
        if (error instanceof GatewayError && error.body.error.code === 'NOT_FOUND')
          catalog.noticeGone(action.action_id);
        throw error;
      });
    const { status, data } = outcome.body;
    const note =
      status === 'completed' && hasNoRows(data)
        ? emptyNote({
            params: input.params ?? {},
            schema: action.params,
            lastRows: await this.#lastRows(action.action_id, outcome.body),
          })
        : undefined;
    const selected = await traced('shape result', {}, () =>
      jobs.select(outcome, { select: view.select, format: view.format }, context),
    );
    return note === undefined ? selected : { ...selected, body: withNote(selected.body, note) };
  }
}
