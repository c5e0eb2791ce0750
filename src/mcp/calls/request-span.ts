/** The span of a request of MCP, by OpenTelemetry's semantic conventions for MCP (in development). */

import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Span } from '@opentelemetry/api';
import * as z from 'zod';
import { cleanText } from '../../gateway/foundation/text.ts';
import { failSpan, type TraceContext, type TracedOptions, traced } from '../../tracing/tracing.ts';

/** SEP-414: the keys have no prefix. */
const Meta = z
  .looseObject({ traceparent: z.string().max(100).optional(), tracestate: z.string().max(512).optional() })
  .catch({});

export interface TracedRequest<Result> extends Pick<TracedOptions<Result>, 'describe'> {
  readonly method: string;
  readonly tool?: string;
}

/** Continues the client's trace: that of `_meta`, else that of the HTTP request. */
export function traceRequest<Result>(
  server: Server,
  ctx: ServerContext,
  { method, tool, ...described }: TracedRequest<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  const name = tool === undefined ? undefined : cleanText(tool, 64);
  const attributes = {
    'mcp.method.name': method,
    'jsonrpc.request.id': String(ctx.mcpReq.id).slice(0, 64),
    'mcp.protocol.version': server.getNegotiatedProtocolVersion(),
    'network.transport': ctx.http === undefined ? 'pipe' : 'tcp',
    'network.protocol.name': ctx.http === undefined ? undefined : 'http',
    ...(name !== undefined && { 'gen_ai.tool.name': name, 'gen_ai.operation.name': 'execute_tool' }),
  };
  const options = { kind: 'SERVER', attributes, parent: readParentTrace(ctx), ...described } as const;
  return traced(
    name === undefined ? method : `${method} ${name}`,
    { ...options, describeFailure: describeProtocolError },
    work,
  );
}

function describeProtocolError(span: Span, error: unknown): void {
  if (error instanceof ProtocolError) span.setAttributes({ 'rpc.response.status_code': String(error.code) });
}

function readParentTrace({ mcpReq, http }: ServerContext): TraceContext {
  const { traceparent, tracestate } = Meta.parse(mcpReq._meta ?? {});
  if (traceparent !== undefined) return { traceparent, tracestate };
  const header = (name: string) => http?.req?.headers.get(name) ?? undefined;
  return { traceparent: header('traceparent'), tracestate: header('tracestate') };
}

/** Records the outcome of a tool call. */
export function describeAnswer(span: Span, body: Readonly<Record<string, unknown>>, isError: boolean): void {
  const { status, job_id, credits_used, error } = body;
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 100) : undefined);
  span.setAttributes({
    'svc_mcp.status': text(status),
    'svc_mcp.job.id': text(job_id),
    'svc_mcp.credits_used': typeof credits_used === 'number' ? credits_used : undefined,
  });
  // The convention's value of `error.type` for every result that is an error.
  if (isError) failSpan(span, text(Object(error).code) ?? 'unknown', 'tool_error');
}
