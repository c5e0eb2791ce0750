/** What `tools/list` shows: the static tools first, then the action tools. Built once, not at every request. */
import type { Tool } from '@modelcontextprotocol/server';
import type { ListedTool, Listing } from '../../gateway/interface/gateway.ts';
import { derivedList, encodeOnce } from './encoded-lists.ts';
import { staticToolList } from './static-tool-list.ts';

const lists = new WeakMap<Listing, Tool[]>();

/** The tools of a listing, in a fixed order; the same array for the same listing. */
export function toolList(listing: Listing): Tool[] {
  const encodedList = lists.get(listing);
  if (encodedList !== undefined) return encodedList;
  const tools = encodeOnce([...staticToolList, ...listing.tools.map(encodeAction)]);
  lists.set(listing, tools);
  return tools;
}

/** The same tools for revisions whose results have no `structuredContent` that would follow a schema. */
export const withoutOutputSchemas = derivedList((tools) => tools.map(({ outputSchema: _, ...tool }) => tool));

/** What the static tools take of the budgets of `tools/list`, for the gateway's settings. */
export function reservedByStaticTools(): { readonly names: readonly string[]; readonly chars: number } {
  return { names: staticToolList.map(({ name }) => name), chars: JSON.stringify(staticToolList).length };
}

function encodeAction(tool: ListedTool): Tool {
  const { name, title, description, inputSchema, outputSchema, actionId, effect } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'changes',
      openWorldHint: true,
    },
    _meta: { 'svc/action_id': actionId },
  };
}
