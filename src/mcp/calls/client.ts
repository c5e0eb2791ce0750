/** Who calls: from the request's envelope (2026-07-28), or from the handshake of the connection (earlier); and what is known of it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

export interface CallingClient {
  readonly name: string | undefined;
  /** Whether it can show its user a form. */
  readonly canElicit: boolean;
  /** Whether it can show its user a page by its address. */
  readonly canShowPages: boolean;
  /** Whether it takes tasks in place of results (2026-07-28). */
  readonly takesTasks: boolean;
  /** Whether each request stands alone, so that its time-out starts anew when it is sent again. */
  readonly stateless: boolean;
}

export const tasksExtension = 'io.modelcontextprotocol/tasks';

const firstStatelessRevision = '2026-07-28';

/** Connections whose client declares that it can show pages, but declines them by itself. */
const hidingPages = new WeakSet<Server>();

/** Later calls of this connection return the address of a sign-in page in their answers. */
export const noticeHiddenPages = (server: Server): void => void hidingPages.add(server);

/** Whether the connection speaks a revision in which each request stands alone. */
export const isStateless = (server: Server): boolean =>
  (server.getNegotiatedProtocolVersion() ?? '') >= firstStatelessRevision;

const Info = z.looseObject({ name: z.string() }).optional().catch(undefined);
const Capabilities = z
  .looseObject({
    elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
    extensions: z.looseObject({ [tasksExtension]: z.looseObject({}).optional() }).optional(),
  })
  .optional()
  .catch(undefined);
/** The SDK checks the envelope at dispatch but does not type its keys. */
const Envelope = z.looseObject({
  [CLIENT_INFO_META_KEY]: Info,
  [CLIENT_CAPABILITIES_META_KEY]: Capabilities,
});

/** Whether a request's client declares an extension of the protocol. */
export function declares(extension: string, server: Server, { mcpReq }: ServerContext): boolean {
  const envelope = Envelope.parse(mcpReq.envelope ?? {});
  const capabilities = isStateless(server)
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : Capabilities.parse(server.getClientCapabilities());
  return Object.hasOwn(capabilities?.extensions ?? {}, extension);
}

export function readClient(server: Server, { mcpReq }: ServerContext): CallingClient {
  const stateless = isStateless(server);
  const envelope = Envelope.parse(mcpReq.envelope ?? {});
  const info = stateless ? envelope[CLIENT_INFO_META_KEY] : server.getClientVersion();
  const { elicitation, extensions } =
    (stateless
      ? envelope[CLIENT_CAPABILITIES_META_KEY]
      : Capabilities.parse(server.getClientCapabilities())) ?? {};
  return {
    name: info?.name,
    // A bare declaration means forms, as it did before there were modes.
    canElicit: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    canShowPages: elicitation?.url !== undefined && !hidingPages.has(server),
    takesTasks: stateless && extensions?.[tasksExtension] !== undefined,
    stateless,
  };
}

interface Waits {
  /** Seconds a call waits by default. */
  readonly wait: number;
  /** Seconds a call may wait at most; below the client's own time-out, so that it ends with a `job_id`. */
  readonly limit: number;
}

/**
 * What is known of clients, by the names of their handshakes: how much of a result they show the model, how long they wait,
 * and what breaks them. `test/mcp/known-clients.test.ts` has the handshakes.
 */
export interface KnownClient {
  /** Characters of `data` that reach the model uncut, with what stands around them. */
  readonly chars?: number;
  /** It gives the model the text and the structured content: twice the same. */
  readonly textOnly?: true;
  /** It shows links to resources; some agents' libraries fail on them. */
  readonly links?: true;
  /** It rejects pages without `elicitationId`, which the current revision no longer has. */
  readonly elicitationId?: true;
  /** It reads the page of a view after every call, and shows it to nobody. */
  readonly showsNoViews?: true;
  /** It writes next steps for people. */
  readonly stepsAsData?: true;
  /** Absent: `defaultWaits`. */
  readonly waits?: Waits;
  /** The same for a client that extends its time-out whenever progress arrives. */
  readonly waitsWithProgress?: Waits;
}

/** Most clients end a call after 60 s, the default of the protocol's TypeScript SDK. */
export const defaultWaits: Waits = { wait: 45, limit: 55 };

const copilot: KnownClient = { chars: 17_000, elicitationId: true };
/** It cuts the text as JSON, in which each quotation mark takes two characters: of short fields up to 1.7 times as many. */
const cline: KnownClient = { chars: 4_300, textOnly: true };

/** By how the client's name (`clientInfo.name`, lower case) starts. */
const knownClients: readonly (readonly [string, KnownClient])[] = [
  [
    'claude-code',
    {
      // 25,000 tokens, with a warning from 10,000.
      chars: 30_000,
      links: true,
      // It moves a call to the background after 2 min; idle time-out 30 min, which progress resets.
      waits: { wait: 110, limit: 1500 },
      waitsWithProgress: { wait: 600, limit: 3600 },
    },
  ],
  // Models that it does not know get about 10 KB, cut in the middle. 120 s by default, up to 300 s by configuration.
  ['codex', { chars: 8_000, waits: { wait: 100, limit: 110 } }],
  // 600 s.
  ['gemini-cli', { waits: { wait: 240, limit: 570 } }],
  // About 20 KiB; a longer result is reduced to 500 characters.
  ['github-copilot', copilot],
  ['copilot', copilot],
  // 24,000 characters.
  ['qwen', { chars: 20_000, showsNoViews: true }],
  // 8,000 characters of the whole text as JSON, cut in the middle.
  ['@cline/', cline],
  ['cline', cline],
  ['@langchain/mcp-adapters', { textOnly: true }],
  ['visual studio code', { links: true }],
  ['svc-mcp-cli', { stepsAsData: true }],
  ['mcp-inspector', { links: true }],
  ['inspector', { links: true }],
];

/** Empty where nothing special is known. */
export function findKnownClient(clientName: string | undefined): KnownClient {
  const name = clientName?.toLowerCase() ?? '';
  return knownClients.find(([start]) => name.startsWith(start))?.[1] ?? {};
}

export interface WaitRequest {
  /** Whether the call asked for progress. */
  readonly hasProgressToken: boolean;
  /** The setting `SVC_WAIT_SECONDS`. It outranks what is known of the client. */
  readonly settingSeconds?: number | undefined;
  /** `wait_seconds` of the call. */
  readonly requestedSeconds?: number | undefined;
}

/** Milliseconds a call may wait for its job, and after which the client may give up on it, whatever it waits for. */
export function getWaits(
  { waits = defaultWaits, waitsWithProgress = waits }: KnownClient,
  { hasProgressToken, settingSeconds, requestedSeconds }: WaitRequest,
): { readonly waitMs: number; readonly limitMs: number } {
  const { wait, limit } = hasProgressToken ? waitsWithProgress : waits;
  const limitSeconds = Math.max(limit, settingSeconds ?? 0);
  const waitSeconds =
    requestedSeconds === undefined ? (settingSeconds ?? wait) : Math.min(requestedSeconds, limitSeconds);
  return { waitMs: waitSeconds * 1000, limitMs: limitSeconds * 1000 };
}
