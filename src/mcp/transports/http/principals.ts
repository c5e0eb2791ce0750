/** The open principals of the server: created with their first call, closed when idle. */

import type { Subject } from '../../../gateway/interface/principal.ts';
import { HttpError } from '../../errors.ts';
import type { Scope } from '../../tools/define-tool.ts';
import type { HttpLimits } from './http-limits.ts';
import type { HttpPrincipal } from './principal.ts';

/** What the service says of a key; `unknown`: it did not answer. */
export type KeyVerdict = 'good' | 'refused' | 'unknown';

export interface Caller {
  /** The service key that it acts with. */
  readonly apiKey: string;
  /** The subject of the access token. Undefined: the caller is identified by the key alone. */
  readonly subject?: Subject;
  /** What the token of this request allows. Undefined: everything. */
  readonly grant?: { readonly scopes: ReadonlySet<Scope>; readonly clientId: string };
}

/** Callers with the same id are one principal: a key, or a subject with its key. */
const getCallerId = ({ apiKey, subject }: Caller): string =>
  subject === undefined ? apiKey : JSON.stringify([apiKey, subject.issuer, subject.subject]);

/** How often sessions and principals that nobody uses are looked for. */
const sweepMs = 60_000;

interface OpenPrincipal {
  readonly principal: HttpPrincipal;
  readonly caller: Caller;
  /** The service did not say whether the key is good. */
  readonly unchecked: boolean;
  usedAt: number;
}

export class Principals {
  readonly #create: (caller: Caller) => HttpPrincipal;
  readonly #limits: HttpLimits;
  /** By caller, the one used last at the end. */
  readonly #open = new Map<string, OpenPrincipal>();
  readonly #timer: NodeJS.Timeout;
  readonly #onError: (error: unknown) => void;

  constructor(
    create: (caller: Caller) => HttpPrincipal,
    limits: HttpLimits,
    onError: (error: unknown) => void,
  ) {
    this.#create = create;
    this.#limits = limits;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.sweep(performance.now()), sweepMs).unref();
  }

  get all(): readonly HttpPrincipal[] {
    return [...this.#open.values()].map(({ principal }) => principal);
  }

  /**
   * The principal of a caller. Before a new one is made, `checkKey` is asked, which rejects with a refusal for a bad
   * key. Rejects with a 503 when no place is left.
   */
  async getOrCreate(
    caller: Caller,
    checkKey: () => Promise<Exclude<KeyVerdict, 'refused'>>,
  ): Promise<HttpPrincipal> {
    const id = getCallerId(caller);
    const unchecked = !this.#open.has(id) && (await checkKey()) === 'unknown';
    const entry = this.#open.get(id);
    if (entry === undefined && this.#open.size >= this.#limits.principals) this.#makeRoom(unchecked);
    const { principal } = entry ?? { principal: this.#create(caller) };
    this.#open.delete(id);
    this.#open.set(id, { unchecked, ...entry, principal, caller, usedAt: performance.now() });
    if (entry === undefined) await principal.backend.whenRead?.();
    return principal;
  }

  /** Closes idle sessions, and principals that have been idle as long. */
  async sweep(now: number): Promise<void> {
    await Promise.allSettled(this.all.map(({ sessions }) => sessions.endIdle(now)));
    for (const [id, { principal, usedAt }] of this.#open) {
      if (principal.isIdle && now - usedAt > this.#limits.idleSessionMs) this.#drop(id, principal);
    }
  }

  /** Ends the sessions, streams and pages of callers whose key was taken away or replaced. */
  async endRevoked(isCurrent: (caller: Caller) => Promise<boolean>): Promise<void> {
    for (const [id, { principal, caller }] of [...this.#open]) {
      if ((await isCurrent(caller)) || this.#open.get(id)?.principal !== principal) continue;
      principal.backend.endSignIns().catch(this.#onError);
      this.#drop(id, principal, this.#limits.revokedGraceMs);
    }
  }

  async close(graceMs: number): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.all.map((principal) => principal.close(graceMs)));
  }

  /** Closes an idle principal, first one whose key is unchecked: such keys never push out good ones. */
  #makeRoom(forUnchecked: boolean): void {
    const idle = [...this.#open].filter(([, { principal }]) => principal.isIdle);
    const [id, unused] = idle.find(([, { unchecked }]) => unchecked) ?? (forUnchecked ? [] : (idle[0] ?? []));
    if (id !== undefined && unused !== undefined) {
      this.#drop(id, unused.principal);
      return;
    }
    throw new HttpError(503, 'Too many keys are in use at this server; retry in a minute.', {
      headers: { 'retry-after': '60' },
    });
  }

  #drop(id: string, principal: HttpPrincipal, graceMs = 0): void {
    this.#open.delete(id);
    principal.close(graceMs).catch(this.#onError);
  }
}
