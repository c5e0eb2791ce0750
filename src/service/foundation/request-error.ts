/** Refusals of requests, by the tables of documented errors. */

import { openErrors } from '../../contract/errors.ts';
import { RequestError } from './errors.ts';

interface Rules {
  readonly [code: string]: { readonly httpStatus: number };
}

/** A documented error of an endpoint, with the HTTP status that its table gives it. */
export function refuse<Table extends Rules>(
  table: Table,
  code: keyof Table & string,
  message: string,
  extra?: Readonly<Record<string, unknown>>,
): RequestError {
  const rule = table[code];
  if (rule === undefined) throw new TypeError(`No error ${code}`);
  return new RequestError(rule.httpStatus, code, message, extra === undefined ? {} : { extra });
}

/**
 * The same answer whether it does not exist or belongs to another user: the message names nothing that was asked for.
 */
export const notFound = (kind: string): RequestError => refuse(openErrors, 'NOT_FOUND', `No such ${kind}`);
