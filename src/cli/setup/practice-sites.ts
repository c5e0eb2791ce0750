/**
 * The practice sites of a data folder. Their address stays: what was built on them, and rows that name their pages, hold at
 * the next start and in every process of the folder.
 */
import { join } from 'node:path';
import type { Logger } from '../../gateway/foundation/logger.ts';
import { startPracticeSites } from '../../practice/practice.ts';
import type { HealthCheck } from '../../service/foundation/ports.ts';
import { errorCode } from '../../store/errors.ts';
import { readIfPresent, readOrCreate, replace } from '../../store/secret-file.ts';

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

const toPath = (dataDir: string) => join(dataDir, 'practice-port');

/** Serves them on the port that `dataDir` keeps, or, while that is taken, on a free one. */
export async function servePracticeSites(dataDir: string, logger: Logger): Promise<PracticeSites> {
  const path = toPath(dataDir);
  const text = await readIfPresent(path);
  const kept = toPort(text ?? '');
  const sites = await startPracticeSites({ port: kept ?? 0 }).catch((error: unknown) => {
    if (!['EADDRINUSE', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    return startPracticeSites();
  });
  const port = Number(new URL(sites.origin).port);
  const written = `${port}\n`;
  if (text !== undefined && kept === undefined) {
    await replace(path, written);
    logger.warn({ file: path, port }, `${damaged} ${rebuild}`);
  }
  // Of two first starts at once, one decides.
  const named = kept ?? toPort(await readOrCreate(path, () => written)) ?? port;
  if (named !== port)
    logger.info(
      { named, port },
      'The port of the practice sites is taken: actions read them all the same, links lead to what has taken it',
    );
  return { origin: `http://127.0.0.1:${named}`, port, close: sites.close };
}

const damaged = 'The file of the practice sites held no valid port and was written anew.';
const rebuild =
  'Actions that were built on these sites may have another port in their address: build them anew.';

/** Whether the data folder keeps a port that is valid, or none yet: what `doctor` says before a start mends it. */
export async function practicePortCheck(dataDir: string): Promise<HealthCheck> {
  const path = toPath(dataDir);
  const name = 'practice sites';
  try {
    const text = await readIfPresent(path);
    const port = toPort(text ?? '');
    if (text !== undefined && port === undefined)
      return { name, ok: true, note: true, detail: `${path}: ${damaged} ${rebuild}` };
    return { name, ok: true, detail: port === undefined ? 'not started yet' : `on port ${port}` };
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
