/** Opens a built view in Chromium, in a host on the official bridge. Needs `dist/`. */
import { build } from 'esbuild';
import type { Frame, Page } from 'playwright-core';
import { readViewPage } from '../../src/mcp/views/views.ts';
import { openPage } from './browser.ts';

export interface ViewOptions {
  readonly result: object;
  readonly input?: object;
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly capabilities?: object;
  /** Texts by address, as the server would answer. */
  readonly resources?: Readonly<Record<string, string>>;
  readonly tools?: Readonly<Record<string, object>>;
}

export interface OpenView {
  readonly page: Page;
  readonly frame: Frame;
  /** What the view asked its host for. */
  asked(): Promise<readonly { readonly kind: string; readonly [member: string]: unknown }[]>;
  /** Requests that left the page, dialogs, and errors. */
  readonly incidents: readonly string[];
}

export const allCapabilities = {
  openLinks: {},
  downloadFile: {},
  serverTools: {},
  serverResources: {},
  message: {},
};

let host: Promise<string> | undefined;
const bundleHost = async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('view-host.js', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
};

export async function openView(
  name: 'result' | 'build' | 'usage' | 'watches',
  options: ViewOptions,
): Promise<OpenView> {
  host ??= bundleHost();
  const { contents } = await readViewPage(`ui://svc/${name}`, { hints: false });
  const html = String(contents[0] && 'text' in contents[0] ? contents[0].text : '');
  const { theme = 'light', width = 900, capabilities = allCapabilities, input = {}, ...rest } = options;
  const page = await openPage({ viewport: { width, height: 900 }, colorScheme: theme });
  const incidents: string[] = [];
  page.on('request', (request) => {
    if (/^(?:https?|wss?|ftp):/.test(request.url())) incidents.push(`request ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    incidents.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => incidents.push(`error ${error.message}`));
  page.on('popup', (popup) => incidents.push(`popup ${popup.url()}`));
  page.on('console', (message) => {
    if (message.type() === 'error') incidents.push(`console ${message.text()}`);
  });
  await page.addScriptTag({ content: await host });
  await page.evaluate((given) => Reflect.get(globalThis, 'openView')(given), {
    html,
    theme,
    width,
    capabilities,
    input,
    ...rest,
  });
  const frame = page.frames().at(-1);
  if (frame === undefined) throw new Error('There is no frame');
  return { page, frame, asked: () => page.evaluate(() => Reflect.get(globalThis, 'asked')), incidents };
}
