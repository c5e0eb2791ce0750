/** Writes the ends of paid rows: the cost, the result and what it means for prices. */
import type { PaidRow } from '../store/schema.ts';
import { toJobId } from './call-identity.ts';
import type { Drifts } from './drifts.ts';
import type { FollowedEnd, FollowedJob } from './follower.ts';
import { costOfEnd, type Look, type PaidKind } from './kind.ts';
import type { Durations } from './pace.ts';
import type { Quotes } from './quote.ts';
import type { GatewayStore } from './store.ts';
import type { Writes } from './writes.ts';

/** Attempts to write an end that the service can report again. */
const retriedEnds = 5;

interface Dependencies {
  readonly store: GatewayStore;
  readonly writes: Writes;
  readonly durations: Durations;
  readonly drifts: Drifts;
  /** Whether nothing was written yet of the answer to a row's request: then the end is what is written of it. */
  readonly isFirst: (row: PaidRow) => boolean;
  /** Told of every end. */
  readonly quotes: Quotes;
}

export class EndRecords {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Writes an end that a follower has seen; undefined where there is nothing to write. Never rejects. */
  follow({ row, kind }: FollowedJob, end: FollowedEnd): Promise<void> | undefined {
    if (row === undefined || end.kind === 'error') return undefined;
    if (end.kind === 'ended') {
      if (row.outcome !== null) return undefined;
      const isFirst = this.#dependencies.isFirst(row);
      return this.write(row, kind, end.look, { durationMs: end.durationMs, isFirst, hasJob: true });
    }
    if (row.state === 'lost') return undefined;
    const { store, writes } = this.#dependencies;
    return writes.write(row.id, 'the loss', async () => {
      const { rows } = await store.open();
      return rows.changeSent(row, () => rows.lose(row.id));
    });
  }

  /**
   * The end and its result in one transaction: a job that is `finished` can always be read again. `isFirst`: nothing was
   * written of the answer to the request; `hasJob`: the service keeps a job of it. Resolves as `Writes.write` does; undefined
   * where it has not ended.
   */
  write(
    row: PaidRow,
    kind: PaidKind,
    look: Look,
    { durationMs, isFirst, hasJob }: { durationMs: number | null; isFirst: boolean; hasJob: boolean },
  ): Promise<void> | undefined {
    const { store, writes, quotes, durations, drifts } = this.#dependencies;
    const ending = kind.getEnding(look);
    if (ending === undefined) return undefined;
    const { outcome, result } = ending;
    const charged = costOfEnd(ending, row);
    quotes.ended(row, charged);
    const jobId = toJobId(row);
    const record = { jobId, outcome, charged, durationMs: outcome === 'failed' ? null : durationMs };
    if (record.durationMs !== null) durations.add(row.subject, record.durationMs);
    const what = `the end of ${jobId}`;
    const write = async (first: boolean) => {
      const { rows, results, profiles } = await store.open();
      const keep = result === undefined ? undefined : await results.keepStatement(row.id, result.text);
      const judged = result && (await drifts.judge(row, result));
      const profile = judged?.profile && profiles.statement(...judged.profile);
      return rows.changeSent(row, () =>
        rows.finish(row.id, { ...record, verdict: judged?.verdict }, { keep, profile, first }),
      );
    };
    if (!hasJob) return writes.write(row.id, what, () => write(true));
    const again = () => writes.write(row.id, what, () => write(false), retriedEnds);
    if (!isFirst) return again();
    const writeBoth = () =>
      write(true).catch((error: unknown) => {
        // A result that cannot be kept must not hide that the service took the request.
        void writes.write(row.id, `the accepted job ${jobId}`, async () => {
          const { rows } = await store.open();
          return rows.changeSent(row, () => rows.accept(row.id, jobId));
        });
        void again();
        throw error;
      });
    return writes.write(row.id, what, writeBoth, 1);
  }
}
