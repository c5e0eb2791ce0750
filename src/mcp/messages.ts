/** What a client sent on one line as messages of the protocol, or the answer to what cannot be read: a request without one waits for ever. */
import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { parseJson } from '../contract/exact-json.ts';

export type ReadMessage =
  | { readonly message: JSONRPCMessage }
  /** Without an id where the line has none that is certain. */
  | { readonly refusal: { readonly id?: string | number; readonly code: number; readonly message: string } };

/** `line` has no line end. An empty one is none, and so is a notification that cannot be read. */
export function readLine(line: string): readonly ReadMessage[] {
  if (line.trim() === '' || line.trim() === '\uFEFF') return [];
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    const message = 'Parse error: the line is not JSON. One message stands on one line.';
    return [{ refusal: { ...idAtStart(line), code: ProtocolErrorCode.ParseError, message } }];
  }
  const values: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [value];
  return values.flatMap(readOne);
}

function readOne(value: unknown): ReadMessage[] {
  const message = withoutNulls(value);
  try {
    return [{ message: parseJSONRPCMessage(message) }];
  } catch {
    const { id, method, result, error }: Readonly<Record<string, unknown>> = Object(message);
    const canBeAnswered = typeof id === 'string' || typeof id === 'number';
    const isNotification = typeof method === 'string' && id === undefined;
    const isAnswer = method === undefined && (result !== undefined || error !== undefined);
    if (isNotification || isAnswer) return [];
    const refusal = {
      ...(canBeAnswered && { id }),
      code: ProtocolErrorCode.InvalidRequest,
      message:
        'Invalid request: jsonrpc "2.0", a method, an id (text or integer) and params (an object) are expected.',
    };
    return [{ refusal }];
  }
}

/**
 * The message without members that stand for nothing: some clients write null for what they leave out. A progress token of
 * another type than the protocol's names no progress that could be sent.
 */
export function withoutNulls(value: unknown): unknown {
  if (!isObject(value) || !('params' in value)) return value;
  const { params, ...message } = value;
  if (params === null) return message;
  if (!isObject(params) || !('_meta' in params)) return value;
  const { _meta: meta, ...others } = params;
  if (meta === null) return { ...message, params: others };
  if (!isObject(meta) || !('progressToken' in meta)) return value;
  const { progressToken, ...rest } = meta;
  const isToken = typeof progressToken === 'string' || Number.isInteger(progressToken);
  return isToken ? value : { ...message, params: { ...others, _meta: rest } };
}

/** The id of a line that is no JSON, where it certainly is the message's own: before anything that could hold another. */
function idAtStart(line: string): { id?: string | number } {
  const [, id] =
    /^\uFEFF?\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]{1,256}")\s*[,}]/.exec(
      line,
    ) ?? [];
  if (id === undefined) return {};
  return { id: id.startsWith('"') ? id.slice(1, -1) : Number(id) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
