/**
 * Traces of what a call does, as a port: the program installs a tracer where OpenTelemetry is configured
 * (`cli/setup/open-telemetry.ts`). Until then a span costs one comparison. Attributes never hold params, results or secrets.
 */

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** W3C Trace Context, as it travels in headers and in `_meta`. */
export interface TraceContext {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface Span {
  /** Undefined values are left out. */
  set(attributes: Attributes): void;
  /** Says that the work failed. `type` is the value of `error.type` where a convention wants another one than the code. */
  fail(code: string, type?: string): void;
}

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** The remote span that this one belongs to; absent or without a `traceparent`: the current span. */
  readonly parent?: TraceContext | undefined;
}

export interface Tracer {
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Of the current span; undefined outside of any. */
  current(): TraceContext | undefined;
}

const noSpan: Span = { set: () => undefined, fail: () => undefined };

let installed: Tracer | undefined;

/** Returns how to take the tracer out again. */
export function installTracer(tracer: Tracer): () => void {
  installed = tracer;
  return () => {
    installed = undefined;
  };
}

/** Does the work within a span. Work that rejects fails the span with the error's code, never with its message. */
export function traced<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return installed === undefined ? work(noSpan) : installed.span(name, options, work);
}

/** What continues the current span elsewhere; empty without a tracer. */
export function currentTrace(): TraceContext {
  return installed?.current() ?? {};
}

/** The ids of the current span, as log lines carry them. */
export function traceIds(): { readonly trace_id: string; readonly span_id: string } | undefined {
  const [, trace_id, span_id] = installed?.current()?.traceparent?.split('-') ?? [];
  return trace_id === undefined || span_id === undefined ? undefined : { trace_id, span_id };
}

/** The code of an error of ours or of Node's; else its class. */
export function getErrorCode(error: unknown): string {
  const { body, code, kind, name }: Readonly<Record<string, unknown>> = Object(error);
  const inBody: Readonly<Record<string, unknown>> = Object(Object(body).error);
  return (
    [inBody.code, code, kind, name].find((value): value is string => typeof value === 'string') ?? 'unknown'
  );
}
