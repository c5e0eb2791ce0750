/**
 * MCP Events by poll: what watches told, for clients that have events. The extension and its sketch differ in where they are
 * announced and in the codes of their errors; both are served.
 */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { CallContext, Gateway } from '../gateway/interface/gateway.ts';
import { getError, type JsonObject } from '../gateway/interface/outcomes.ts';
import { declares } from './calls/client.ts';
import { withSentences } from './steps/next-steps.ts';

export const eventsExtension = 'io.modelcontextprotocol/events';

const codes = {
  notFound: { sketch: -32_011, extension: -32_023 },
  unsupported: { sketch: -32_014, extension: -32_026 },
} as const;

const prefix = 'watch.';
const events: Readonly<Record<string, string>> = {
  'watch.changed': 'Rows of a watched action came, went or changed.',
  'watch.failing': 'Three runs of a watch in a row have failed.',
  'watch.recovered': 'A watch that failed runs again.',
  'watch.needs_person': 'A watch waits for a person: for a new price, a sign-in or a key.',
  'watch.ended': 'A watch runs never again.',
};

const inputSchema = {
  type: 'object',
  properties: { watch_id: { type: 'string', description: 'From watch or list_watches' } },
  required: ['watch_id'],
  additionalProperties: false,
};
const payloadSchema = {
  type: 'object',
  properties: {
    seq: { type: 'integer' },
    kind: { type: 'string' },
    summary: { type: ['string', 'null'] },
    added: { type: 'array' },
    removed: { type: 'array' },
    changed: { type: 'array' },
  },
  required: ['seq', 'kind', 'summary'],
};

/** Nothing is due more often. */
const nextPollMs = 60_000;
const maxEvents = 50;

const PollParams = z.object({
  name: z.string(),
  arguments: z.object({ watch_id: z.string() }),
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .nullish(),
  maxAgeMs: z.number().min(0).nullish(),
  maxEvents: z.int().min(1).nullish(),
});
const Told = z.object({
  changes: z.array(z.looseObject({ seq: z.number(), kind: z.string(), at: z.string() })),
  next_after: z.number(),
  has_more: z.boolean().default(false),
});

export function registerEvents(server: Server, gateway: Gateway): void {
  server.setRequestHandler('events/list', { params: z.looseObject({}) }, async () => ({
    events: Object.entries(events).map(([name, description]) => ({
      name,
      description,
      delivery: ['poll'],
      inputSchema,
      payloadSchema,
    })),
  }));
  server.setRequestHandler('events/poll', { params: z.looseObject({}) }, async (given, ctx) => {
    const refuse = (kind: keyof typeof codes, message: string): never => {
      // The library drops the sketch's own declaration, so that only the extension's can be seen.
      const spelling = declares(eventsExtension, server, ctx) ? 'extension' : 'sketch';
      throw new ProtocolError(codes[kind][spelling], message);
    };
    const params = PollParams.safeParse(given);
    if (!params.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, z.prettifyError(params.error));
    if (!Object.hasOwn(events, params.data.name)) return refuse('unsupported', 'There is no such event.');
    const context: CallContext = {
      signal: ctx.mcpReq.signal,
      waitMs: 0,
      progress: () => undefined,
      confirmation: 'cannot-ask',
    };
    const answer = await poll(params.data, gateway, context);
    return answer ?? refuse('notFound', 'You have no watch of that id.');
  });
}

/** Undefined: no such watch. Polling does not count as reading. */
async function poll(
  { name, arguments: { watch_id }, cursor, ...limits }: z.infer<typeof PollParams>,
  gateway: Gateway,
  context: CallContext,
): Promise<JsonObject | undefined> {
  // Without a cursor it begins now.
  const after = cursor == null ? 'end' : Number(cursor);
  const { body } = await gateway.listWatches({ watch_id, after, marksRead: false }, context);
  const told = Told.safeParse(withSentences(body).body);
  if (!told.success) {
    const error = getError(body);
    if (error === undefined || error.code === 'WATCH_NOT_FOUND') return undefined;
    throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
  }
  const { changes, next_after, has_more } = told.data;
  const named = changes.filter(({ kind }) => `${prefix}${kind}` === name);
  const young = named.filter(
    ({ at }) => Date.now() - Date.parse(at) <= (limits.maxAgeMs ?? Number.POSITIVE_INFINITY),
  );
  const shown = young.slice(0, limits.maxEvents ?? maxEvents);
  const isCut = shown.length < young.length;
  return {
    events: shown.map((entry) => ({
      eventId: `${watch_id}_${entry.seq}`,
      name,
      timestamp: entry.at,
      data: { watch_id, ...entry },
      cursor: String(entry.seq),
    })),
    cursor: String(isCut ? shown.at(-1)?.seq : next_after),
    truncated: young.length < named.length,
    hasMore: isCut || has_more,
    nextPollMs,
  };
}
