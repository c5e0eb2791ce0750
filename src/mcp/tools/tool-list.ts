/** What `tools/list` shows: the static tools first, then the action tools. Built once, not at every request. */
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ListedTool, Listing } from '../../gateway/interface/gateway.ts';
import type { StaticTool } from './define-tool.ts';
import { derivedList, encodeOnce } from './encoded-lists.ts';
import { staticTools } from './index.ts';

let encodedStaticTools: readonly Tool[] | undefined;
const lists = new WeakMap<Listing, Tool[]>();

/** The tools of a listing, in a fixed order; the same array for the same listing. */
export function toolList(listing: Listing): Tool[] {
  const encodedList = lists.get(listing);
  if (encodedList !== undefined) return encodedList;
  const tools = encodeOnce([...listStaticTools(), ...listing.tools.map(encodeAction)]);
  lists.set(listing, tools);
  return tools;
}

export function listStaticTools(): readonly Tool[] {
  encodedStaticTools ??= staticTools.map(encodeStatic);
  return encodedStaticTools;
}

/** The same tools as 2025-11-25 lists them: with the ones that may be called as a task. */
export const withTaskSupport = derivedList((tools) => {
  const plain = new Set(staticTools.flatMap(({ name, mayBeTask }) => (mayBeTask ? [] : [name])));
  return tools.map((tool) =>
    plain.has(tool.name) ? tool : { ...tool, execution: { taskSupport: 'optional' as const } },
  );
});

/** The same tools for revisions whose results have no `structuredContent` that would follow a schema. */
export const withoutOutputSchemas = derivedList((tools) => tools.map(({ outputSchema: _, ...tool }) => tool));

/** What the static tools take of the budgets of `tools/list`, for the gateway's settings. */
export function reservedByStaticTools(): { readonly names: readonly string[]; readonly chars: number } {
  return { names: staticTools.map(({ name }) => name), chars: JSON.stringify(listStaticTools()).length };
}

function encodeStatic({ name, title, description, annotations, input }: StaticTool): Tool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    // An open object says all there is to say; further keywords upset some model providers.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'record') {
        delete jsonSchema.propertyNames;
        delete jsonSchema.additionalProperties;
      }
    },
  });
  const inputSchema: ListedTool['inputSchema'] = { ...schema, type: 'object' };
  return { name, title, description, inputSchema, annotations: statedAnnotations(annotations) };
}

/** Without the protocol's own defaults, and without what has no meaning for a tool that only reads. */
function statedAnnotations({ readOnlyHint, ...effects }: StaticTool['annotations']): Tool['annotations'] {
  const { destructiveHint, idempotentHint, openWorldHint } = effects;
  return {
    ...(readOnlyHint ? { readOnlyHint } : { destructiveHint, ...(idempotentHint && { idempotentHint }) }),
    ...(!openWorldHint && { openWorldHint }),
  };
}

function encodeAction(tool: ListedTool): Tool {
  const { name, title, description, inputSchema, outputSchema, actionId, credits } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    // Clients run what is read-only without asking; what costs credits is not for that.
    annotations: credits === 0 ? { readOnlyHint: true } : { destructiveHint: false },
    _meta: { 'svc/action_id': actionId },
  };
}
