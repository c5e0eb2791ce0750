/** A refused request: what the error envelope says (specification: Errors). */
import { openErrors } from '../../contract/errors.ts';

interface Rules {
  readonly [code: string]: { readonly httpStatus: number };
}

export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly httpStatus: number;
  readonly code: string;
  /** Members beside `code` and `message`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    httpStatus: number,
    code: string,
    message: string,
    more: { extra?: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.httpStatus = httpStatus;
    this.code = code;
    this.extra = more.extra ?? {};
    this.headers = more.headers ?? {};
  }

  body(): unknown {
    return { status: 'error', error: { code: this.code, message: this.message, ...this.extra } };
  }
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
 * The same answer for what does not exist and for what is another's: not a byte may tell them apart, so the
 * message names nothing that was asked for.
 */
export const notFound = (kind: string): RequestError => refuse(openErrors, 'NOT_FOUND', `No such ${kind}`);
