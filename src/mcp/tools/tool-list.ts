/** What `tools/list` shows: the static tools first, then the action tools. */
import type { Tool } from '@modelcontextprotocol/server';
import type { ListedTool, Listing } from '../../gateway/interface/gateway.ts';
import { staticToolList } from './static-tool-list.ts';

/** The tools of a listing, in a fixed order. */
export const toolList = (listing: Listing): Tool[] => [...staticToolList, ...listing.tools.map(encodeAction)];

/** The same tool for clients whose results have no `structuredContent` that would follow a schema. */
export const withoutOutputSchema = ({ outputSchema: _, ...tool }: Tool): Tool => tool;

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
