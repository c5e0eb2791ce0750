/** The one place where an answer of the gateway becomes the result of a tool call. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isFailure, type JsonObject } from '../gateway/outcomes.ts';

/** Some clients show the model only `structuredContent`, others only `content`: both say the same. */
export function toolResult(body: JsonObject): CallToolResult {
  return {
    structuredContent: body,
    content: [{ type: 'text', text: JSON.stringify(body) }],
    ...(isFailure(body) && { isError: true }),
  };
}
