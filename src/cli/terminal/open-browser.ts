/** Shows an address in the browser of whoever sits at this machine. */
import { spawn } from 'node:child_process';
import type { Logger } from '../../gateway/foundation/logger.ts';

/** The platform's own opener, called without a shell; nothing where there is no desktop. */
function opener(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): readonly [command: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

export function openBrowser(url: string, logger: Logger): void {
  const [command, ...args] = opener(process.platform, process.env) ?? [];
  if (command === undefined) {
    logger.warn({}, 'There is no desktop to open a browser on (SVC_OPEN_BROWSER)');
    return;
  }
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // The error names the address, which is a secret.
  child.on('error', () => logger.warn({ command }, 'The browser could not be opened'));
  child.unref();
}
