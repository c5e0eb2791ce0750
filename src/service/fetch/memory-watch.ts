/** Ends a page's process that takes too much memory, which no setting of Chromium does for everything a page can hold. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';

const intervalMs = 250;
const run = promisify(execFile);

/** Resident bytes of a process; undefined if it has ended or the system does not say. */
async function readResidentBytes(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024 || undefined;
    }
    if (process.platform === 'win32') return undefined;
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.trim()) * 1024 || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Watches the processes of all pages until it is stopped. A process id cannot be mapped to its page; the affected page
 * gets Playwright's `crash` event.
 */
export async function watchMemory(browser: Browser, maxBytes: number): Promise<() => Promise<void>> {
  const session = await browser.newBrowserCDPSession();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    for (const { id } of processInfo.filter(({ type }) => type === 'renderer')) {
      const bytes = await readResidentBytes(id);
      if (bytes !== undefined && bytes > maxBytes) process.kill(id, 'SIGKILL');
    }
  };
  const again = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      look()
        .catch(() => undefined)
        .finally(again);
    }, intervalMs);
  };
  again();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await session.detach().catch(() => undefined);
  };
}
