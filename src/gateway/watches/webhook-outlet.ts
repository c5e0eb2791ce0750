/**
 * Tells the operator's webhook what watches told, in the order of each watch: at least once, always with the same id. Where
 * the process stops: before the try is taken, another look takes it; after that, another process does a minute later, so
 * that a message may come twice, with one `webhook-id`.
 */
import type { Logger } from '../foundation/logger.ts';
import { cleanText } from '../foundation/text.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import type { WatchRunRow } from '../store/schema.ts';
import type { WatchHead } from '../store/watch-queries.ts';
import { toldEntries } from './body.ts';
import { parseNames } from './stored.ts';
import type { Outlet } from './telling.ts';

/** Sends one message, signed. Rejects where it was not taken. */
export interface WebhookPort {
  send(message: { readonly id: string; readonly body: string }, signal: AbortSignal): Promise<void>;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** After the first try, the second, and so on; after the fifth the next day. */
const pausesMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * 60 * minuteMs];
/** Longer than a try takes. */
const takenMs = minuteMs;
/** What is older is not told any more, such as what came before there was a webhook. */
const maxAgeMs = 7 * dayMs;

const toldKinds = ['changed', 'failing', 'needs_person', 'ended'];

interface Dependencies {
  readonly port: WebhookPort;
  /** Whether messages have the rows too. */
  readonly rows: boolean;
  readonly store: GatewayStore;
  readonly logger: Logger;
}

export class Webhook implements Outlet {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async pass(heads: readonly WatchHead[], signal: AbortSignal): Promise<void> {
    const behind = heads.filter(({ seq, sent_seq }) => seq > sent_seq);
    if (behind.length === 0) return;
    const store = await this.#dependencies.store.open();
    for (const head of behind) {
      // One that takes nothing takes nothing of the others either.
      if (signal.aborted || !(await this.#catchUp(head, store, signal))) return;
    }
  }

  /** False: the webhook did not take a message. */
  async #catchUp(head: WatchHead, store: OpenStore, signal: AbortSignal): Promise<boolean> {
    let sent = head.sent_seq;
    while (sent < head.seq && !signal.aborted) {
      const [run] = await store.watchQueries.told(head.id, sent, 1);
      if (run?.seq == null) return true;
      const now = await store.watchQueries.now();
      const done = { sent_seq: run.seq, send_at: 0, send_tries: 0 };
      const body = (run.ended_at ?? 0) < now - maxAgeMs ? undefined : this.#bodyOf(head, run);
      const tries =
        body === undefined ? undefined : await store.watches.takeSend(head.id, sent, now + takenMs);
      if (body === undefined) await store.watches.endSend(head.id, sent, done);
      else if (tries === undefined) return true;
      else if (await this.#send(`${head.id}_${run.seq}`, body, signal)) {
        await store.watches.endSend(head.id, sent, done);
      } else {
        const pause = pausesMs[tries - 1];
        const send_at = now + (pause ?? dayMs);
        await store.watches.endSend(head.id, sent, {
          sent_seq: sent,
          send_at,
          send_tries: pause === undefined ? 0 : tries,
        });
        return false;
      }
      sent = run.seq;
    }
    return true;
  }

  async #send(id: string, body: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#dependencies.port.send({ id, body }, signal);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.#dependencies.logger.warn({ message: id, reason }, 'The webhook of watches took no message');
      return false;
    }
  }

  /** Undefined: it tells nothing that the webhook is told. */
  #bodyOf({ id, action_id }: WatchHead, run: WatchRunRow): string | undefined {
    const kind = parseNames(run.told ?? '[]').find((one) => toldKinds.includes(one));
    const entry = toldEntries(run, new Map()).find((one) => one.kind === kind);
    if (kind === undefined || entry === undefined) return undefined;
    const { seq, at, summary, added, removed, changed, more } = entry;
    const rows = { added, removed, changed, ...(more !== undefined && { more }) };
    const data = { watch_id: id, action_id: cleanText(action_id, 200), seq, summary };
    return JSON.stringify({
      type: `watch.${kind}`,
      timestamp: at,
      data: { ...data, ...(this.#dependencies.rows && rows) },
    });
  }
}
