/** Who calls: from the request's envelope (2026-07-28), or from the handshake of the connection (earlier). */
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
