/** What `tools/list` shows: the static tools first, then the action tools. */

import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ListedTool, ToolListing } from '../../gateway/interface/gateway.ts';
import type { ReservedByTools } from '../../gateway/interface/settings.ts';
import type { StaticTool } from './define-tool.ts';
import { editAction } from './edit-action.ts';
import { staticTools } from './index.ts';
import { runAction } from './run-action.ts';

/** The static tools, the same in every process. */
export const staticToolList: readonly Tool[] = staticTools.map(encodeStatic);

function encodeStatic({ name, title, description, annotations, input }: StaticTool): Tool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    // An open object needs no further keywords, and some model providers reject them.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'record') {
        delete jsonSchema.propertyNames;
        delete jsonSchema.additionalProperties;
      }
      // Its `type` is set beside the union, for providers that take one type only.
      if (zodSchema._zod.def.type === 'union') delete jsonSchema.anyOf;
    },
  });
  const inputSchema: ListedTool['inputSchema'] = { ...schema, type: 'object' };
  // Stated in full: directories refuse servers that rely on the protocol's defaults.
  return { name, title, description, inputSchema, annotations };
}

/** The tools of a listing, in a fixed order. */
export const toolList = (listing: ToolListing): Tool[] => [
  ...staticToolList.filter(({ name }) => listing.lacksEditing !== true || name !== editAction.name),
  ...listing.tools.map(encodeAction),
];

/** The same tool for clients whose results have no `structuredContent` that would follow a schema. */
export const withoutOutputSchema = ({ outputSchema: _, ...tool }: Tool): Tool => tool;

/** What the static tools take of the budgets of `tools/list`, for the gateway's settings. */
export function reservedByStaticTools(): ReservedByTools {
  const { action_id: _action, params: _params, ...runArguments } = runAction.input.shape;
  return {
    names: staticToolList.map(({ name }) => name),
    chars: JSON.stringify(staticToolList).length,
    runArguments: Object.keys(runArguments),
  };
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
