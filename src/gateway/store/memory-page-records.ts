/** The pages of a process that shares them with no other. */
import { type Clock, systemClock } from '../foundation/clock.ts';
import {
  applyStatus,
  isPending,
  type PageAccount,
  type PageRecord,
  type PageRecords,
  rememberedMs,
} from './page-records.ts';

const maxRemembered = 1_000;

export class MemoryPageRecords implements PageRecords {
  readonly shared = false;
  /** By id, oldest first. */
  readonly #records = new Map<string, PageRecord>();
  readonly #listeners = new Set<() => void>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  async open(
    account: PageAccount,
    matches: (record: PageRecord) => boolean,
    create: (now: number) => PageRecord,
  ): Promise<PageRecord> {
    const record = this.#latest(account, matches);
    if (record !== undefined) return record;
    this.#forget();
    const created = create(this.now());
    this.#records.set(created.id, created);
    return created;
  }

  async latest(account: PageAccount, matches: (record: PageRecord) => boolean) {
    return this.#latest(account, matches);
  }

  async find(ids: readonly string[]): Promise<PageRecord[]> {
    return ids.flatMap((id) => this.#records.get(id) ?? []);
  }

  async change(record: PageRecord, status: Partial<PageRecord['status']>): Promise<PageRecord | undefined> {
    if (this.#records.get(record.id)?.version !== record.version) return undefined;
    const next = applyStatus(record, status, this.now());
    this.#records.set(record.id, next);
    for (const listener of this.#listeners) listener();
    return next;
  }

  async listen(listener: () => void): Promise<() => Promise<void>> {
    this.#listeners.add(listener);
    return async () => void this.#listeners.delete(listener);
  }

  #latest(
    { principal, slug, identityName }: PageAccount,
    matches: (record: PageRecord) => boolean,
  ): PageRecord | undefined {
    return [...this.#records.values()].findLast(
      (record) =>
        record.principal === principal &&
        record.catalog.slug === slug &&
        record.identityName === identityName &&
        matches(record),
    );
  }

  #forget(): void {
    const ended = [...this.#records.values()].filter((record) => !isPending(record, this.now()));
    const old = ended.filter(({ expiresAt }) => expiresAt + rememberedMs < this.now());
    const tooMany = ended.slice(0, Math.max(0, ended.length - maxRemembered));
    for (const { id } of [...old, ...tooMany]) this.#records.delete(id);
  }
}
