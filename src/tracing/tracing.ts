/**
 * Traces of what a call does, by OpenTelemetry's own port: until the program starts its SDK (`cli/setup/open-telemetry.ts`)
 * spans do nothing. Attributes never hold params, results or secrets.
 */
import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export type { Span };

/** W3C Trace Context, as it travels in headers and in `_meta`. */
export interface TraceContext {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface TracedOptions<Result> {
  readonly kind?: keyof typeof SpanKind;
  readonly attributes?: Attributes;
  /** The remote span that this one belongs to; absent or without a `traceparent`: the current span. */
  readonly parent?: TraceContext | undefined;
  /** Writes what the result of the work, or its failure, says of it. */
  readonly describe?: (span: Span, result: Result) => void;
  readonly describeFailure?: (span: Span, error: unknown) => void;
}

const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
const noProvider = new ProxyTracerProvider().getDelegate();

/** Spans that nobody collects cost a call more than its params' check. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
}

/** Does the work within a span. Work that rejects fails the span with the error's code, never with its message. */
export function traced<Result>(
  name: string,
  { kind = 'INTERNAL', attributes = {}, parent, describe, describeFailure }: TracedOptions<Result>,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return work(noSpan);
  const active = context.active();
  const parentContext = parent?.traceparent === undefined ? active : propagation.extract(active, parent);
  // A tracer that was kept from before the SDK's start would never learn of it.
  const tracer = trace.getTracer('svc-mcp');
  return tracer.startActiveSpan(name, { kind: SpanKind[kind], attributes }, parentContext, async (span) => {
    try {
      const result = await work(span);
      describe?.(span, result);
      return result;
    } catch (error) {
      describeFailure?.(span, error);
      failSpan(span, getErrorCode(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Says that the work failed. `type` is the value of `error.type` where a convention wants another one than the code. */
export function failSpan(span: Span, code: string, type = code): void {
  span.setAttributes({ 'error.type': type, 'svc_mcp.error.code': code });
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** What continues the current span elsewhere; empty outside of any. */
export function currentTrace(): TraceContext {
  if (trace.getActiveSpan() === undefined) return {};
  const carrier: { -readonly [Key in keyof TraceContext]: TraceContext[Key] } = {};
  propagation.inject(context.active(), carrier);
  // Baggage is the client's own and goes no further.
  const { traceparent, tracestate } = carrier;
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

/** The ids of the current span, as log lines carry them. */
export function traceIds(): { readonly trace_id: string; readonly span_id: string } | undefined {
  const { traceId, spanId } = trace.getActiveSpan()?.spanContext() ?? {};
  return traceId === undefined || spanId === undefined ? undefined : { trace_id: traceId, span_id: spanId };
}

/** The code of an error of this program or of Node; else its class. */
function getErrorCode(error: unknown): string {
  const { body, code, kind, name }: Readonly<Record<string, unknown>> = Object(error);
  const inBody: Readonly<Record<string, unknown>> = Object(Object(body).error);
  return (
    [inBody.code, code, kind, name].find((value): value is string => typeof value === 'string') ?? 'unknown'
  );
}
