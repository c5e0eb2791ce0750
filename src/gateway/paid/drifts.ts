/**
 * Judges each run that ended: a completed one by the ones before it, a failed one by its code. The profile of an action is read
 * once and kept in memory; it is written with the end, where it is full once a second. Two processes that run the same action
 * may each lose sight of the other's runs: a profile only says what is usual.
 */

import { isFull, judge, namesOfParams, type Profile } from '../../compare/drift.ts';
import type { Answer } from '../../contract/api.ts';
import type { Job } from '../../contract/resources.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { RunVerdict } from '../results/job-body.ts';
import { shapeOfAnswer } from '../results/large-answers.ts';
import type { ProfileKey } from '../store/profiles.ts';
import type { PaidRow } from '../store/schema.ts';
import type { GatewayStore } from './store.ts';

export interface Judgement {
  readonly verdict: RunVerdict | undefined;
  /** What is usual now, with this run, where it is to be written. */
  readonly profile?: readonly [ProfileKey, Profile];
}

/** Actions with their profiles, and runs with their verdicts, that are remembered. */
const remembered = 200;
/** Between two writes of a profile that is full, in milliseconds: without the last few of its runs it still says what is usual. */
const writtenEveryMs = 1_000;

interface Holder {
  profile: Profile;
  writtenAt: number;
}

export class Drifts {
  readonly #store: GatewayStore;
  readonly #catalog: Catalog;
  readonly #profiles = new Map<string, Promise<Holder>>();
  readonly #verdicts = new Map<string, Promise<Judgement | undefined>>();

  constructor(store: GatewayStore, catalog: Catalog) {
    this.#store = store;
    this.#catalog = catalog;
  }

  /** Once for each run, however often it is asked. Undefined where it cannot be judged: a hint is no reason to fail. */
  judge(row: PaidRow, answer: Answer<Job>): Promise<Judgement | undefined> {
    const known = this.#verdicts.get(row.id);
    if (known !== undefined) return known;
    const verdict = this.#judge(row, answer).catch(() => undefined);
    remember(this.#verdicts, row.id, verdict);
    return verdict;
  }

  /** When a run of the action had rows, in milliseconds since the epoch; undefined where none is known. */
  async lastRows(key: ProfileKey): Promise<number | undefined> {
    const { profile } = await this.#profile(key);
    return profile.runs.findLast(({ rows }) => rows > 0)?.at;
  }

  async #judge(row: PaidRow, answer: Answer<Job>): Promise<Judgement | undefined> {
    if (row.kind !== 'run') return undefined;
    const mend = async () => {
      const by = (await this.#catalog.snapshot()).waysToMend(row.subject);
      return by && { mend: { action_id: row.subject, by } };
    };
    const { status, error } = answer.body;
    if (status === 'failed' && error?.code === 'SITE_CHANGED') return { verdict: await mend() };
    const shape = shapeOfAnswer(answer);
    if (status !== 'completed' || shape === undefined) return undefined;
    const key = { subject: row.subject, account: row.account ?? '' };
    const holder = await this.#profile(key);
    const call = row.call_hash.slice(0, 12);
    const run = { at: Date.now(), call, ...namesOfParams(row.params ?? '{}', call) };
    const snapshot = this.#catalog.snapshotWith(row.subject) ?? (await this.#catalog.snapshot());
    const { usual } = snapshot.action(row.subject) ?? {};
    const judged = judge(holder.profile, run, shape, usual);
    // At once, so that runs that end together see each other.
    holder.profile = judged.profile;
    const verdict = judged.drift && { ...judged.drift, ...(await mend()) };
    const now = performance.now();
    const isDue =
      verdict !== undefined || !isFull(judged.profile) || now - holder.writtenAt >= writtenEveryMs;
    if (!isDue) return { verdict };
    holder.writtenAt = now;
    return { verdict, profile: [key, judged.profile] };
  }

  #profile(key: ProfileKey): Promise<Holder> {
    const name = JSON.stringify([key.subject, key.account]);
    const known = this.#profiles.get(name);
    if (known !== undefined) return known;
    const read = this.#store
      .open()
      .then(({ profiles }) => profiles.read(key))
      .then((profile = { runs: [], known: {} }) => ({ profile, writtenAt: Number.NEGATIVE_INFINITY }))
      .catch((error: unknown) => {
        this.#profiles.delete(name);
        throw error;
      });
    remember(this.#profiles, name, read);
    return read;
  }
}

function remember<Value>(values: Map<string, Value>, key: string, value: Value): void {
  values.set(key, value);
  const [oldest] = values.keys();
  if (oldest !== undefined && values.size > remembered) values.delete(oldest);
}
