/** Sends messages to a webhook as Standard Webhooks has it (https://www.standardwebhooks.com): signed, without redirects. */
import { createHmac } from 'node:crypto';
import { Agents } from './agents.ts';

const prefix = 'whsec_';
const connectMs = 5_000;
/** For the whole answer. */
const answerMs = 15_000;

/** Whether a text is a secret of Standard Webhooks: 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(prefix.length))) return false;
  const { length } = toKey(text);
  return length >= 24 && length <= 64;
}

const toKey = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64');

export class WebhookSender {
  readonly #url: URL;
  readonly #key: Buffer;
  readonly #agents: Agents;

  constructor({ url, secret }: { readonly url: string; readonly secret: string }) {
    this.#url = new URL(url);
    this.#key = toKey(secret);
    this.#agents = new Agents(this.#url.origin, connectMs);
  }

  /** Rejects unless the answer's status is 2xx. What the answer says is not read. */
  async send(
    { id, body }: { readonly id: string; readonly body: string },
    signal: AbortSignal,
  ): Promise<void> {
    const dispatcher = await this.#agents.getDispatcher('own');
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', this.#key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const answer = await dispatcher.request({
      origin: this.#url.origin,
      path: `${this.#url.pathname}${this.#url.search}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
      signal: AbortSignal.any([signal, AbortSignal.timeout(connectMs + answerMs)]),
      reset: true,
    });
    await answer.body.dump().catch(() => undefined);
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`HTTP ${answer.statusCode}`);
  }
}
