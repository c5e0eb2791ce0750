/** The one place where an answer of the gateway becomes the result of a tool call. */
import type { CallToolResult, ResourceLink } from '@modelcontextprotocol/server';
import { isFailure, type JsonObject } from '../gateway/outcomes.ts';
import { jobUri } from './resources/uris.ts';

/** The first revision whose clients know links to resources. */
const firstWithLinks = '2025-06-18';

/**
 * Some clients show the model only `structuredContent`, others only `content`: both say the same. `revision` is the
 * protocol's; where its clients know links, a result that was cut has one to the whole.
 */
export function toolResult(body: JsonObject, revision = ''): CallToolResult {
  const link = revision >= firstWithLinks ? linkToWhole(body) : undefined;
  return {
    structuredContent: body,
    content: [{ type: 'text', text: JSON.stringify(body) }, ...(link === undefined ? [] : [link])],
    ...(isFailure(body) && { isError: true }),
  };
}

function linkToWhole({ status, truncated, job_id }: JsonObject): ResourceLink | undefined {
  const isCut = status === 'completed' && truncated !== undefined && typeof job_id === 'string';
  const uri = isCut ? jobUri(job_id) : undefined;
  if (uri === undefined) return undefined;
  return { type: 'resource_link', uri, name: 'whole-result', mimeType: 'application/json' };
}
