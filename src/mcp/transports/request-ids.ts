/** Ids and progress tokens are repeated in answers, so their length is bounded. */
import { isJSONRPCRequest } from '@modelcontextprotocol/server';

const maxIdChars = 256;
export const longIdMessage = `The id or the progress token of a request is longer than ${maxIdChars} characters.`;

/** Whether a message is a request whose answers would repeat a huge id. */
export function hasLongId(message: unknown): boolean {
  if (!isJSONRPCRequest(message)) return false;
  const { progressToken }: { progressToken?: unknown } = Object(message.params?._meta);
  return [message.id, progressToken].some((id) => String(id ?? '').length > maxIdChars);
}
