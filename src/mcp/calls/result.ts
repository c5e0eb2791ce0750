/** The one place where an answer of the gateway becomes the result of a tool call. */
import type { CallToolResult, ResourceLink } from '@modelcontextprotocol/server';
import { isFailure, type JsonObject } from '../../gateway/interface/outcomes.ts';
import { jobUri } from '../resources/uris.ts';
import { withSentences } from '../steps/next-steps.ts';
import { stepsMember } from '../steps/plain-steps.ts';
import type { KnownClient } from './client.ts';

/** The first revision with `structuredContent`. */
const firstWithStructure = '2025-06-18';

/** Whether results of this revision have `structuredContent`; undefined: the current one. */
export const hasStructure = (revision = firstWithStructure): boolean => revision >= firstWithStructure;

export interface ResultReader {
  /** The protocol's revision; absent: the current one. */
  readonly revision?: string | undefined;
  readonly client?: Pick<KnownClient, 'links' | 'textOnly' | 'stepsAsData'>;
}

/** Some clients show the model only `structuredContent`, others only `content`: both say the same. */
export function toolResult(answer: JsonObject, { revision, client = {} }: ResultReader = {}): CallToolResult {
  const { body, steps } = withSentences(answer);
  const link = client.links ? linkToWhole(body) : undefined;
  return {
    ...(!client.textOnly && hasStructure(revision) && { structuredContent: body }),
    content: [{ type: 'text', text: JSON.stringify(body) }, ...(link === undefined ? [] : [link])],
    ...(isFailure(body) && { isError: true }),
    ...(client.stepsAsData && { _meta: { [stepsMember]: steps } }),
  };
}

/** The same with the address of the whole result, where the body holds a part of it. */
export function withResourceAddress(body: JsonObject): JsonObject {
  const uri = wholeUri(body);
  if (uri === undefined) return body;
  const truncated: JsonObject = { ...Object(body.truncated), resource: uri };
  // Assigning keeps the order: what was cut stands before the data.
  return { ...body, truncated };
}

function linkToWhole(body: JsonObject): ResourceLink | undefined {
  const uri = wholeUri(body);
  if (uri === undefined) return undefined;
  return { type: 'resource_link', uri, name: 'whole-result', mimeType: 'application/json' };
}

function wholeUri({ status, truncated, job_id }: JsonObject): string | undefined {
  const isCut = status === 'completed' && truncated !== undefined && typeof job_id === 'string';
  return isCut ? jobUri(job_id) : undefined;
}
