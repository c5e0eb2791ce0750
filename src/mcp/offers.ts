/** Resources, prompts and completions. Loaded with their first request, because most sessions never ask for them. */
import type { Server } from '@modelcontextprotocol/server';
import type { Gateway } from '../gateway/interface/gateway.ts';
import { type CallObserver, countRequest } from './calls/calls.ts';
import { traceRequest } from './calls/request-span.ts';
import { isViewUri, readViewPage } from './views/views.ts';

export const serverCapabilities = { resources: {}, prompts: {}, completions: {} };

/** The cache hint for lists that are the same for everybody and change only with the version. */
const fixed = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
export const listCacheHints = {
  'resources/list': fixed,
  'resources/templates/list': fixed,
  'prompts/list': fixed,
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
} as const;

const resources = () => import('./resources/resources.ts');
const prompts = () => import('./prompts/prompts.ts');

/** `hints`: whether answers say how long they hold, as the current revision has it. */
export function registerPromptsAndResources(
  server: Server,
  gateway: Gateway,
  { hints, calls }: { hints: () => boolean; calls: CallObserver | undefined },
): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: [...(await resources()).resources],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...(await resources()).resourceTemplates],
  }));
  // A result may be large and slow to read: reading it counts among the calls under way.
  server.setRequestHandler('resources/read', ({ params }, ctx) =>
    traceRequest(server, ctx, { method: 'resources/read' }, () =>
      countRequest(calls, { id: ctx.mcpReq.id, tool: 'resources/read' }, async () =>
        isViewUri(params.uri)
          ? readViewPage(params.uri, { hints: hints() })
          : (await resources()).readResource(params.uri, gateway, ctx.mcpReq.signal, { hints: hints() }),
      ),
    ),
  );
  server.setRequestHandler('prompts/list', async () => ({ prompts: (await prompts()).listedPrompts() }));
  server.setRequestHandler('prompts/get', async ({ params }) =>
    (await prompts()).getPrompt(params.name, params.arguments ?? {}),
  );
  server.setRequestHandler('completion/complete', async ({ params }) =>
    (await import('./prompts/completions.ts')).complete(params, gateway),
  );
}
