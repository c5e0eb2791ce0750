/** Cursors of `search_actions`: the place where the next page begins. */
import { GatewayError } from '../errors/errors.ts';

export const writeCursor = (offset: number) => Buffer.from(`offset:${offset}`).toString('base64url');

/** @throws GatewayError INVALID_PARAMS */
export function readCursor(cursor: string): number {
  const offset = /^offset:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1];
  if (offset !== undefined) return Number(offset);
  throw new GatewayError('INVALID_PARAMS', 'Invalid cursor.', 'Call search_actions again without cursor.', {
    issues: [{ path: 'cursor', message: 'is not a next_cursor of search_actions' }],
  });
}
