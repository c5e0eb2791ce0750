/** The resources: catalogs, whole results of jobs, and watches. Each is the body of the tool that shows it. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { isUnit, withUnitColumns } from '../../contract/csv.ts';
import type { CallContext, Gateway } from '../../gateway/interface/gateway.ts';
import { cutFromTable, isUnfinished, type JsonObject } from '../../gateway/interface/outcomes.ts';
import { withSentences } from '../steps/next-steps.ts';
import {
  catalogsUri,
  catalogTemplate,
  jobCsvTemplate,
  jobTemplate,
  type ResourceAddress,
  readAddress,
  watchesUri,
  watchTemplate,
} from './uris.ts';

const mimeType = 'application/json';
const csvType = 'text/csv';
/** Characters of data that a resource holds; a call's result is cut far sooner. */
const maxChars = 1_000_000;
const catalogTtlMs = 300_000;
/** Clients may cache the end of a job, because it never changes. */
const endTtlMs = 3_600_000;

export const resources: readonly Resource[] = [
  {
    uri: catalogsUri,
    name: 'catalogs',
    title: 'Catalogs',
    description: 'The websites that have actions',
    mimeType,
  },
  {
    uri: watchesUri,
    name: 'watches',
    title: 'Watches',
    description: 'What runs by a clock, and how much of it changed; tells of updates',
    mimeType,
  },
];

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: catalogTemplate,
    name: 'catalog',
    title: 'One catalog',
    description: 'A website with its actions, their params and prices, and the fields of its login',
    mimeType,
  },
  {
    uriTemplate: jobTemplate,
    name: 'job',
    title: 'Result of a job',
    description: 'The whole result of a paid run, up to 1,000,000 characters; free',
    mimeType,
  },
  {
    uriTemplate: jobCsvTemplate,
    name: 'job-csv',
    title: 'Rows of a job as CSV',
    description:
      'The rows of a paid run, of its longest list, or of a batch as one table, as CSV (RFC 4180); free. ' +
      'An input without a result has a row with its error. Where the table is cut (1,000,000 characters) its last line says so; a ' +
      'second content, as JSON, has what else is to be known of the rows',
    mimeType: csvType,
  },
  {
    uriTemplate: watchTemplate,
    name: 'watch',
    title: 'What a watch told',
    description: 'The newest changes that a watch told, which count as unread still; tells of updates',
    mimeType,
  },
];

/** @throws ProtocolError for a resource that does not exist or belongs to another principal. */
export async function readResource(
  uri: string,
  gateway: Gateway,
  signal: AbortSignal,
  { hints }: { hints: boolean },
): Promise<ReadResourceResult> {
  const address = readAddress(uri);
  if (address === undefined) throw new ResourceNotFoundError(shorten(uri));
  const context: CallContext = {
    signal,
    waitMs: 0,
    progress: () => undefined,
    confirmation: 'cannot-ask',
  };
  const { body } = withSentences(await readBody(address, gateway, context));
  if (body.status === 'error') throw toProtocolError(uri, body);
  const ttlMs = ttlOf(address, body);
  return {
    contents: toContents(uri, address, body),
    ...(hints && { ttlMs, cacheScope: 'private' }),
  };
}

function ttlOf({ kind }: ResourceAddress, body: JsonObject): number {
  if (kind === 'catalog' || kind === 'catalogs') return catalogTtlMs;
  return kind === 'job' && !isUnfinished(body) ? endTtlMs : 0;
}

/** CSV holds only the rows; what else is to be known of them comes as JSON behind it. A run without rows is JSON. */
function toContents(uri: string, address: ResourceAddress, { data, ...facts }: JsonObject) {
  const isTable = address.kind === 'job' && address.format === 'csv' && typeof data === 'string';
  // A text that is longer than any row of CSV may be comes as it is.
  if (!isTable || Object(facts.truncated).total_chars !== undefined)
    return [{ uri, mimeType, text: JSON.stringify({ ...facts, ...(data !== undefined && { data }) }) }];
  const text = withUnitColumns(data, facts.beside) + missingRows(facts);
  const hasMore =
    ['note', 'drift', 'truncated', 'next', 'rows'].some((name) => name in facts) ||
    // Units are columns.
    Object.keys(Object(facts.beside)).some((name) => !isUnit(name));
  return [
    { uri, mimeType: csvType, text },
    ...(hasMore ? [{ uri, mimeType, text: JSON.stringify(facts) }] : []),
  ];
}

/** The last line of a table that is not whole: whoever reads only the table must see it. */
function missingRows(facts: JsonObject): string {
  const { next_offset: end, total }: { next_offset?: unknown; total?: unknown } = Object(facts.page);
  const missing =
    typeof end === 'number'
      ? `Not whole: rows ${end + 1} to ${total} are missing. ${facts.next}`
      : cutFromTable(facts);
  return missing === undefined ? '' : `"${missing.replaceAll('"', '""')}"\r\n`;
}

async function readBody(
  address: ResourceAddress,
  gateway: Gateway,
  context: CallContext,
): Promise<JsonObject> {
  switch (address.kind) {
    case 'catalogs':
      return (await gateway.browseCatalogs({ maxChars }, context)).body;
    case 'catalog':
      return (await gateway.browseCatalogs({ catalog: address.slug, maxChars }, context)).body;
    case 'job':
      return (await gateway.getJob({ job_id: address.id, format: address.format, maxChars }, context)).body;
    case 'watches':
      return (await gateway.listWatches({}, context)).body;
    case 'watch': {
      const newest = { watch_id: address.id, after: 'newest', marksRead: false } as const;
      return (await gateway.listWatches(newest, { ...context, resultChars: maxChars })).body;
    }
  }
}

/** Answers do not repeat a huge address. */
const shorten = (uri: string) => (uri.length <= 200 ? uri : `${uri.slice(0, 199)}…`);

const notFoundCodes = [
  'JOB_NOT_FOUND',
  'RESULT_EXPIRED',
  'CATALOG_NOT_FOUND',
  'WATCH_NOT_FOUND',
  'NOT_FOUND',
];

function toProtocolError(uri: string, { error, next }: JsonObject): ProtocolError {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error);
  if (notFoundCodes.some((notFoundCode) => notFoundCode === code))
    return new ResourceNotFoundError(shorten(uri));
  return new ProtocolError(ProtocolErrorCode.InternalError, `${message} ${next}`);
}
