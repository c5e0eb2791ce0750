/** The views of results (extension MCP Apps): which tool has which, and the pages that hosts read as resources. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type Tool,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { findKnownClient, isStateless } from '../calls/client.ts';

export const viewExtension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';
const scheme = 'ui://svc/';
/** They change with the version of this program only. */
const ttlMs = 3_600_000;

/** Of the static tools; every tool of an action shows its result. */
const toolViews: Readonly<Record<string, string>> = {
  run_action: 'result',
  get_job: 'result',
  request_build: 'build',
  get_usage: 'usage',
  list_watches: 'watches',
};
const names = new Set(Object.values(toolViews));

const Capabilities = z.looseObject({
  extensions: z.looseObject({
    [viewExtension]: z.looseObject({ mimeTypes: z.array(z.string()).optional() }),
  }),
});

/**
 * Lists of 2026-07-28 are the same for every connection, so they always name the views. Earlier revisions name them to
 * clients that declare the extension.
 */
export function listsViews(server: Server): boolean {
  if (isStateless(server)) return true;
  if (findKnownClient(server.getClientVersion()?.name).showsNoViews === true) return false;
  const declared = Capabilities.safeParse(server.getClientCapabilities()).data?.extensions[viewExtension];
  return declared !== undefined && declared.mimeTypes?.includes(mimeType) !== false;
}

/** The same tool with the address of its view. */
export function withView(tool: Tool): Tool {
  const view = toolViews[tool.name] ?? (tool._meta === undefined ? undefined : 'result');
  if (view === undefined) return tool;
  return { ...tool, _meta: { ...tool._meta, ui: { resourceUri: scheme + view } } };
}

export const isViewUri = (uri: string): boolean => uri.startsWith(scheme);

/** The page of all views, read once: some hosts read it after every call. */
let viewPage: Promise<string> | undefined;

/** A page that loads nothing. Rejects with a `ResourceNotFoundError` for any other. */
export async function readViewPage(uri: string, { hints }: { hints: boolean }): Promise<ReadResourceResult> {
  const name = uri.slice(scheme.length);
  if (!names.has(name)) throw new ResourceNotFoundError(uri.slice(0, 200));
  viewPage ??= readFile(fileURLToPath(import.meta.resolve('#view/view.html')), 'utf8');
  const page = await viewPage;
  const text = page.replace('data-view=""', `data-view="${name}"`);
  const ui = { csp: {}, permissions: { clipboardWrite: {} }, prefersBorder: true };
  return {
    contents: [{ uri, mimeType, text, _meta: { ui } }],
    ...(hints && { ttlMs, cacheScope: 'public' }),
  };
}
