/**
 * The static tools as `tools/list` shows them. The build puts the value of `staticToolList` in the place of this module,
 * because making JSON Schemas takes a twentieth of a start.
 */
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ListedTool } from '../../gateway/interface/gateway.ts';
import type { StaticTool } from './define-tool.ts';
import { staticTools } from './index.ts';

export const staticToolList: readonly Tool[] = staticTools.map(encodeStatic);

function encodeStatic({ name, title, description, annotations, input }: StaticTool): Tool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    // An open object says all there is to say; further keywords upset some model providers.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'record') {
        delete jsonSchema.propertyNames;
        delete jsonSchema.additionalProperties;
      }
      // Its `type` is the one that is shown.
      if (zodSchema._zod.def.type === 'union') delete jsonSchema.anyOf;
    },
  });
  const inputSchema: ListedTool['inputSchema'] = { ...schema, type: 'object' };
  // Stated in full: directories refuse servers that rely on the protocol's defaults.
  return { name, title, description, inputSchema, annotations };
}
