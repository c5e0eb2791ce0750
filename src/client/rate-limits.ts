/**
 * Keeps the documented rate limits before sending (specification: Limits). The service's windows are unknown,
 * so at most so many requests go out within *any* window of that length: that holds for fixed and for sliding
 * windows alike. Counters of libraries have fixed windows, which let twice the limit through at their border.
 */
import type { EndpointName } from '../contract/endpoints.ts';
import { type RateLimit, rateLimits } from '../contract/limits.ts';
import type { Deadline } from './deadline.ts';
import { RateLimitError } from './errors.ts';

/** A margin, because two requests sent a window apart may arrive closer together. */
const marginMs = 1_000;

/** A request's turn, as `performance.now()`. Later turns are never earlier. */
interface Turn {
  at: number;
}

/** The gate of one endpoint. */
export class RateGate {
  readonly #endpoint: EndpointName;
  readonly #requests: number;
  readonly #windowMs: number;
  readonly #maxWaitMs: number;
  #turns: Turn[] = [];
  #closedUntil = 0;

  /** A request that would have to wait longer than `maxWaitMs` is refused at once. */
  constructor(endpoint: EndpointName, limit: RateLimit | undefined, maxWaitMs = Number.POSITIVE_INFINITY) {
    this.#endpoint = endpoint;
    this.#maxWaitMs = maxWaitMs;
    this.#requests = limit?.requests ?? Number.POSITIVE_INFINITY;
    this.#windowMs = (limit?.perSeconds ?? 0) * 1000 + marginMs;
  }

  /** Whether requests may be sent at once, uncounted: there is no limit. */
  get isOpen(): boolean {
    return this.#requests === Number.POSITIVE_INFINITY && performance.now() >= this.#closedUntil;
  }

  /**
   * Resolves when the request may be sent, in the order of the calls. Rejects with a `RateLimitError` at once
   * where its turn does not come within the deadline or takes too long, and with the deadline's error where that ends the wait.
   */
  async turn(deadline: Deadline): Promise<void> {
    if (deadline.isOver) throw deadline.error('no');
    if (this.isOpen) return;
    const now = performance.now();
    this.#turns = this.#turns.filter((turn) => turn.at > now - this.#windowMs);
    const turn = { at: this.#earliest(this.#turns.length, now) };
    this.#checkFits(turn, deadline);
    this.#turns.push(turn);
    try {
      // The gate may be closed for longer while this waits.
      for (let wait = turn.at - now; wait > 0; wait = turn.at - performance.now()) {
        await deadline.sleep(Math.ceil(wait), 'no');
        this.#checkFits(turn, deadline);
      }
    } catch (error) {
      this.#turns = this.#turns.filter((other) => other !== turn);
      throw error;
    }
  }

  /** Sends nothing for as long as the service asked to wait; turns already given move back. */
  close(milliseconds: number): void {
    const now = performance.now();
    this.#closedUntil = Math.max(this.#closedUntil, now + milliseconds);
    for (const [index, turn] of this.#turns.entries()) {
      if (turn.at > now) turn.at = this.#earliest(index, turn.at);
    }
  }

  /** The earliest time for the turn at this place in the queue. */
  #earliest(index: number, notBefore: number): number {
    const before = this.#turns[index - 1];
    const windowAgo = this.#turns[index - this.#requests];
    return Math.max(
      notBefore,
      this.#closedUntil,
      before?.at ?? 0,
      windowAgo === undefined ? 0 : windowAgo.at + this.#windowMs,
    );
  }

  #checkFits(turn: Turn, deadline: Deadline): void {
    const wait = turn.at - performance.now();
    if (wait > 0 && (wait >= deadline.remainingMs || wait > this.#maxWaitMs))
      throw new RateLimitError(this.#endpoint, 'no', wait);
  }
}

const documented: Partial<Record<EndpointName, RateLimit>> = rateLimits;

/** Endpoints whose requests are refused instead of waiting long, because a person waits for the answer. */
const maxWaitMs: Partial<Record<EndpointName, number>> = { login: 1_000, previewBuild: 1_000 };

/** The gates of all endpoints of one service and key. */
export class RateGates {
  readonly #gates = new Map<EndpointName, RateGate>();

  getGate(endpoint: EndpointName): RateGate {
    const gate =
      this.#gates.get(endpoint) ?? new RateGate(endpoint, documented[endpoint], maxWaitMs[endpoint]);
    this.#gates.set(endpoint, gate);
    return gate;
  }
}
