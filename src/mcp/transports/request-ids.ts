/** Ids and progress tokens are repeated in answers, so their length is bounded. */

const maxIdChars = 256;
export const longIdMessage = `The id or the progress token of a request is longer than ${maxIdChars} characters.`;

/** Whether a message is a request whose answers would repeat a huge id. */
export function hasLongId(message: unknown): boolean {
  const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = Object(message);
  if (method === undefined) return false;
  const { progressToken }: { progressToken?: unknown } = Object(Object(params)._meta);
  return [id, progressToken].some((id) => typeof id === 'string' && id.length > maxIdChars);
}
