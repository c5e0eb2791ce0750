/** Finds the installed browser that the service may drive. */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, join } from 'node:path';

/** `auto`, `off` or the path of an executable (setting `SVC_BROWSER`). */
export type BrowserSetting = string;

export type BrowserLocation =
  /** `windowPath` can also show windows; undefined if only a headless browser is installed. */
  | { readonly kind: 'installed'; readonly path: string; readonly windowPath: string | undefined }
  | { readonly kind: 'none'; readonly reason: 'off' | 'not-installed' }
  /** `SVC_BROWSER` names a file that cannot be run. */
  | { readonly kind: 'none'; readonly reason: 'not-executable'; readonly path: string };

/** Headless Chromium: Debian's package and Chrome's download. A page takes less than half the time. */
const headlessNames = ['chromium-headless-shell', 'chrome-headless-shell'];
const linuxNames = [
  ...headlessNames,
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const macPaths = ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const windowsPaths = [
  ['Chromium', 'Application', 'chrome.exe'],
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

/** Where Chromium, Chrome and Edge are installed on this system, in the order in which they are preferred. */
function installationPaths(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return macPaths;
  if (platform === 'win32') {
    const roots = [environment.PROGRAMFILES, environment['PROGRAMFILES(X86)'], environment.LOCALAPPDATA];
    return windowsPaths.flatMap((path) =>
      roots.flatMap((root) => (root === undefined ? [] : [join(root, ...path)])),
    );
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return linuxNames.flatMap((name) =>
    [...folders, '/usr/bin', '/snap/bin'].map((folder) => join(folder, name)),
  );
}

const hasWindows = (path: string) => !headlessNames.includes(basename(path));

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether pages can be shown: there is a browser, the package that drives it, and a working sandbox. */
export function isUsable(location: BrowserLocation, sandbox: boolean): boolean {
  if (location.kind === 'none') return false;
  return !(sandbox && isLinuxRoot()) && isDriverInstalled();
}

/** Looks only: to load it takes a second of a processor. */
export function isDriverInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('playwright-core');
    return true;
  } catch {
    return false;
  }
}

/** Chromium's sandbox cannot run for root on Linux. */
export const isLinuxRoot = () => process.platform === 'linux' && process.getuid?.() === 0;

/** Whether a window can be shown on this machine. */
export const hasDisplay = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);

/** Looks only at files and never starts anything. */
export function findBrowser(
  setting: BrowserSetting,
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): BrowserLocation {
  if (setting === 'off') return { kind: 'none', reason: 'off' };
  if (setting !== 'auto') {
    if (isExecutable(setting))
      return { kind: 'installed', path: setting, windowPath: hasWindows(setting) ? setting : undefined };
    return { kind: 'none', reason: 'not-executable', path: setting };
  }
  const paths = installationPaths(environment, platform);
  const path = paths.find(isExecutable);
  if (path === undefined) return { kind: 'none', reason: 'not-installed' };
  return { kind: 'installed', path, windowPath: paths.find((one) => hasWindows(one) && isExecutable(one)) };
}
