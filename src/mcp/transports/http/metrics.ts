/** The metrics of `/metrics` in the text format of Prometheus. No label names a caller or an action. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { buildErrors, loginErrors, taskErrors } from '../../../contract/errors.ts';
import { gatewayErrors } from '../../../gateway/foundation/error-codes.ts';

/** A status from a body must not become a series of its own for every odd value. */
const countedStatuses = new Set([
  'completed',
  'processing',
  'failed',
  'error',
  'unknown',
  'ok',
  'asked',
  'aborted',
]);

export type RefusalReason = 'host' | 'authentication' | 'rate' | 'calls' | 'draining' | 'unread';

/** The codes that become labels. A service may invent others, and every label is a time series. */
const ownCodes = Object.keys(gatewayErrors);
const countedCodes = new Set(
  [gatewayErrors, taskErrors, loginErrors, buildErrors].flatMap((codes) => Object.keys(codes)),
);

export interface Gauges {
  principals(): number;
  sessions(): number;
  streams(): number;
  calls(): number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('svc_mcp_http_requests_total', 'Answered requests', ['path', 'status']);
  readonly #refusals = this.#counter('svc_mcp_refusals_total', 'Refused requests and calls', ['reason']);
  readonly #calls = this.#counter('svc_mcp_tool_calls_total', 'Tool calls by the status of their answer', [
    'status',
  ]);
  readonly #errors = this.#counter(
    'svc_mcp_tool_call_errors_total',
    'Tool calls by the code of their error',
    ['code'],
  );
  readonly #credits = this.#counter('svc_mcp_credits_used_total', 'Credits of the jobs in answers', []);
  readonly #seconds = new Histogram({
    name: 'svc_mcp_tool_call_seconds',
    help: 'How long tool calls took to be answered',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 45, 120, 600],
    registers: [this.#registry],
  });

  constructor(gauges: Gauges) {
    collectDefaultMetrics({ register: this.#registry });
    // A series that begins with its first error has no increase for a rule to see.
    for (const code of ownCodes) this.#errors.inc({ code }, 0);
    for (const [name, help] of [
      ['principals', 'Principals with an open gateway'],
      ['sessions', 'Open sessions of earlier revisions'],
      ['streams', 'Open legacy streams'],
      ['calls', 'Tool calls under way'],
    ] as const) {
      new Gauge({
        name: `svc_mcp_${name}`,
        help,
        registers: [this.#registry],
        collect() {
          this.set(gauges[name]());
        },
      });
    }
  }

  countAnswer(path: string, status: number): void {
    this.#requests.inc({ path, status: String(status) });
  }

  countRefusal(reason: RefusalReason): void {
    this.#refusals.inc({ reason });
  }

  countCall(status: string, ms: number, body: Readonly<Record<string, unknown>>): void {
    const { credits_used, error } = body;
    const { code }: { code?: unknown } = Object(error);
    if (typeof code === 'string') this.#errors.inc({ code: countedCodes.has(code) ? code : 'other' });
    this.#calls.inc({ status: countedStatuses.has(status) ? status : 'other' });
    this.#seconds.observe(ms / 1000);
    if (typeof credits_used === 'number' && credits_used > 0) this.#credits.inc(credits_used);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}
