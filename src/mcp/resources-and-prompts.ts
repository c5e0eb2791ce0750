/** Resources, prompts and completions. Loaded with their first request, because most sessions never ask for them. */

import type { Server } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Gateway } from '../gateway/interface/gateway.ts';
import { type CallObserver, countRequest } from './calls/call-observer.ts';
import { readClient } from './calls/client.ts';
import { traceRequest } from './calls/request-span.ts';
import { noteRead } from './calls/watch-news.ts';
import { registerSubscriptions } from './resource-updates.ts';
import { readAddress } from './resources/uris.ts';
import { isViewUri, readViewPage } from './views/views.ts';

/** Skills (SEP-2640): the id of the extension, and its address scheme. */
export const skillsExtension = 'io.modelcontextprotocol/skills';
const skillScheme = 'skill://';

export const serverCapabilities = { resources: { subscribe: true }, prompts: {}, completions: {} };

/** The cache hint for lists that are the same for everybody and change only with the version. */
const fixed = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
export const listCacheHints = {
  // It has a skill for each website that the requester sees.
  'resources/list': { ttlMs: 300_000, cacheScope: 'private' },
  'resources/templates/list': fixed,
  'prompts/list': fixed,
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
} as const;

const SkillParams = z.object({ uri: z.string() });
const resources = () => import('./resources/resources.ts');
const skills = () => import('./resources/skills.ts');
const prompts = () => import('./prompts/prompts.ts');

async function read(uri: string, gateway: Gateway, signal: AbortSignal, options: { hints: boolean }) {
  if (isViewUri(uri)) return readViewPage(uri, options);
  if (!uri.startsWith(skillScheme)) return (await resources()).readResource(uri, gateway, signal, options);
  const { readSkill, readSkillAddress } = await skills();
  return readSkill(readSkillAddress(uri) ?? '', gateway, options);
}

/** `hints`: whether answers say how long they hold, as the current revision has it. */
export function registerPromptsAndResources(
  server: Server,
  gateway: Gateway,
  { hints, calls }: { hints: () => boolean; calls: CallObserver | undefined },
): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: [
      ...(await resources()).resources,
      // The list is useful without them.
      ...(await (await skills()).listSkillResources(gateway).catch(() => [])),
    ],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...(await resources()).resourceTemplates],
  }));
  // A result may be large and slow to read: reading it counts among the calls under way.
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
    traceRequest(server, ctx, { method: 'resources/read' }, () =>
      countRequest(calls, { id: ctx.mcpReq.id, tool: 'resources/read' }, async () => {
        const result = await read(uri, gateway, ctx.mcpReq.signal, { hints: hints() });
        const session = { server, gateway, client: readClient(server, ctx) };
        const address = readAddress(uri);
        if (address?.kind === 'watches') noteRead(session);
        if (address?.kind === 'watch') noteRead(session, { id: address.id });
        return result;
      }),
    ),
  );
  registerSubscriptions(server);
  server.setRequestHandler('skills/list', { params: z.object({}) }, async () =>
    (await skills()).listSkills(gateway),
  );
  server.setRequestHandler('skills/get', { params: SkillParams }, async ({ uri }) =>
    (await skills()).getSkill(uri, gateway),
  );
  server.setRequestHandler('prompts/list', async () => ({ prompts: (await prompts()).listedPrompts() }));
  server.setRequestHandler('prompts/get', async ({ params }) =>
    (await prompts()).getPrompt(params.name, params.arguments ?? {}),
  );
  server.setRequestHandler('completion/complete', async ({ params }) =>
    (await import('./prompts/completions.ts')).complete(params, gateway),
  );
}
