/**
 * Exports traces by the OpenTelemetry SDK, an optional peer that is loaded only where an OTLP endpoint is set. The SDK
 * reads its other settings (`OTEL_…`) from the environment itself.
 */
import type { api, NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from '../../gateway/foundation/logger.ts';
import {
  type Attributes,
  getErrorCode,
  installTracer,
  type SpanOptions,
  type TraceContext,
  type Tracer,
} from '../../tracing/tracing.ts';
import { version } from '../config/version.ts';

/** Milliseconds that the last spans have to leave when the process ends. */
const flushMs = 1_000;

export interface Telemetry {
  /** Sends what is left; never rejects. */
  close(): Promise<void>;
}

const none: Telemetry = { close: async () => undefined };

/** Whether the environment asks for traces. An empty variable is an unset one. */
function wantsTraces(environment: NodeJS.ProcessEnv): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment;
  if (!(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)) return false;
  // Other exporters would write to stdout, which is the protocol's.
  const exporter = environment.OTEL_TRACES_EXPORTER || 'otlp';
  return environment.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' && exporter === 'otlp';
}

/** Installs the tracer where the environment asks for one. A missing SDK is said in the log, and nothing is traced. */
export async function startTelemetry(logger: Logger): Promise<Telemetry> {
  if (!wantsTraces(process.env)) return none;
  let loaded: typeof import('@opentelemetry/sdk-node');
  try {
    loaded = await import('@opentelemetry/sdk-node');
  } catch (error) {
    logger.warn(
      { err: error },
      'OTEL_EXPORTER_OTLP_ENDPOINT is set but @opentelemetry/sdk-node is not installed beside svc-mcp: nothing is traced. Install it: npm install @opentelemetry/sdk-node',
    );
    return none;
  }
  const { api, resources } = loaded;
  const ownResource = resources.resourceFromAttributes({
    'service.name': 'svc-mcp',
    'service.version': version,
  });
  const sdk: NodeSDK = new loaded.NodeSDK({
    resource: resources.defaultResource().merge(ownResource),
    // The process detector would send the command line.
    resourceDetectors: [resources.envDetector],
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  const warn = (message: string) => logger.warn({ telemetry: message.slice(0, 500) }, 'OpenTelemetry');
  const quiet = () => undefined;
  // Its own logger would write to stdout.
  api.diag.setLogger(
    { error: warn, warn, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  sdk.start();
  const remove = installTracer(openTelemetryTracer(api));
  return {
    async close() {
      remove();
      const timer = new AbortController();
      const late = import('node:timers/promises').then(({ setTimeout }) =>
        setTimeout(flushMs, undefined, { signal: timer.signal }).catch(() => undefined),
      );
      await Promise.race([sdk.shutdown().catch(() => undefined), late]);
      timer.abort();
    },
  };
}

function openTelemetryTracer({ context, propagation, SpanKind, SpanStatusCode, trace }: typeof api): Tracer {
  const tracer = trace.getTracer('svc-mcp', version);
  const kinds = {
    internal: SpanKind.INTERNAL,
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    consumer: SpanKind.CONSUMER,
  };
  const toParentContext = ({ parent }: SpanOptions) =>
    parent?.traceparent === undefined ? context.active() : propagation.extract(context.active(), parent);
  return {
    span(name, options, work) {
      const kind = kinds[options.kind ?? 'internal'];
      const attributes = withoutUndefined(options.attributes ?? {});
      return tracer.startActiveSpan(name, { kind, attributes }, toParentContext(options), async (span) => {
        const fail = (code: string, type = code) => {
          span.setAttributes({ 'error.type': type, 'svc_mcp.error.code': code });
          span.setStatus({ code: SpanStatusCode.ERROR });
        };
        try {
          return await work({ set: (more) => span.setAttributes(withoutUndefined(more)), fail });
        } catch (error) {
          fail(getErrorCode(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
    current() {
      if (trace.getActiveSpan() === undefined) return undefined;
      const carrier: { -readonly [Key in keyof TraceContext]: TraceContext[Key] } = {};
      propagation.inject(context.active(), carrier);
      // Baggage is the client's own and goes no further.
      const { traceparent, tracestate } = carrier;
      return { traceparent, ...(tracestate !== undefined && { tracestate }) };
    },
  };
}

function withoutUndefined(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
