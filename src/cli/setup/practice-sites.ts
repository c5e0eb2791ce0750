/**
 * The practice sites of a data folder. Their address stays: what was built on them, and rows that name their pages, hold at
 * the next start and in every process of the folder.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { startPracticeSites } from '../../practice/practice.ts';
import { errorCode } from '../../store/errors.ts';
import { readIfPresent, readOrCreate } from '../../store/secret-file.ts';

export interface PracticeSites {
  /** As addresses name it. */
  readonly origin: string;
  /** Where this process serves it: another one where the origin's is taken. */
  readonly port: number;
  close(): Promise<void>;
}

const toPort = (text: string): number | undefined => {
  const port = Number(text.trim());
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
};

/** Serves them on the port that `dataDir` keeps, or, while that is taken, on a free one. */
export async function servePracticeSites(dataDir: string, logger: Logger): Promise<PracticeSites> {
  const path = join(dataDir, 'practice-port');
  const kept = toPort((await readIfPresent(path)) ?? '');
  const sites = await startPracticeSites({ port: kept ?? 0 }).catch((error: unknown) => {
    if (!['EADDRINUSE', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    return startPracticeSites();
  });
  const port = Number(new URL(sites.origin).port);
  // Of two first starts at once, one decides.
  const named = kept ?? toPort(await readOrCreate(path, () => `${port}\n`)) ?? port;
  if (named !== port)
    logger.info(
      { named, port },
      'The port of the practice sites is taken: actions read them all the same, links lead to what has taken it',
    );
  return { origin: `http://127.0.0.1:${named}`, port, close: sites.close };
}
