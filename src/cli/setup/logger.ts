/** Log lines to stderr by pino, which is loaded with the first line: most starts write none. */
import type { Logger as Pino } from 'pino';
import type { Logger } from '../../gateway/foundation/logger.ts';
import { traceIds } from '../../tracing/tracing.ts';
import type { Settings } from '../config/load.ts';

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** In an object, because a promise of pino's logger would be taken for a promise of its `then`. */
export async function loadPino(level: Settings['logLevel']): Promise<{ readonly pino: Pino }> {
  const { default: pino } = await import('pino');
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => traceIds() ?? {},
  };
  return { pino: pino(options, pino.destination({ fd: 2, sync: true })) };
}

export function createLogger(level: Settings['logLevel']): Logger {
  let loading: ReturnType<typeof loadPino> | undefined;
  const write = (name: Exclude<(typeof levels)[number], 'silent'>) => (fields: object, message: string) => {
    if (levels.indexOf(name) < levels.indexOf(level)) return;
    loading ??= loadPino(level);
    void loading.then(({ pino }) => pino[name](fields, message));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
