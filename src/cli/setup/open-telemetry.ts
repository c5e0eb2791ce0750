/**
 * Exports traces by the OpenTelemetry SDK, an optional peer that is loaded only where an OTLP endpoint is set. The SDK
 * reads its other settings (`OTEL_…`) from the environment itself.
 */
import type { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from '../../gateway/foundation/logger.ts';
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
  return {
    async close() {
      const timer = new AbortController();
      const late = import('node:timers/promises').then(({ setTimeout }) =>
        setTimeout(flushMs, undefined, { signal: timer.signal }).catch(() => undefined),
      );
      await Promise.race([sdk.shutdown().catch(() => undefined), late]);
      timer.abort();
    },
  };
}
