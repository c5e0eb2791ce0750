/** Translates errors of requests: each cause has its own problem, and names the setting that could help. */
import { FetchError, type FetchProblem } from '../foundation/errors.ts';

/** The deadline's error, or the abort that it caused. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || codeOf(error) === 'ETIMEDOUT' || isTimeout(error.cause);
}

/** The code of the error, or of the first one where several addresses were tried. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause);
}

const brokenCodes = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'];

/** Safe requests are repeated once on a new connection (RFC 9112, 9.3.1). */
export const isBrokenConnection = (error: unknown): boolean =>
  brokenCodes.includes(codeOf(error)) || (error instanceof FetchError && error.problem === 'reset');

const behindProxy =
  'If this machine reaches the web through a proxy, set SVC_FETCH_PROXY to its address, or to env for HTTPS_PROXY';

const causes: readonly (readonly [RegExp, FetchProblem, string])[] = [
  [
    /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EDNS)/,
    'name',
    `The name of the site has no address in DNS. ${behindProxy}`,
  ],
  [
    /^ECONNREFUSED$/,
    'refused',
    `The site refused the connection: nothing answers at its port. ${behindProxy}`,
  ],
  [
    /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/,
    'certificate',
    'The certificate of the site is not valid for it, has expired, or is signed by nobody known here. An authority of your own can be added with NODE_EXTRA_CA_CERTS',
  ],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'certificate', 'The site and this program agree on no encryption (TLS)'],
  [/^HPE_/, 'parser', 'The answer of the site is not valid HTTP, or could be read in two ways'],
];

/** The `FetchError` for any error of a request. */
export function toFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (error instanceof Error && error.cause instanceof FetchError) return error.cause;
  if (isTimeout(error)) return new FetchError('timeout', 'The site took too long to answer', error);
  if (isBrokenConnection(error))
    return new FetchError('reset', 'The site broke the connection before the whole page had arrived', error);
  const code = codeOf(error);
  const known = causes.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return new FetchError(known[1], known[2], error);
  return new FetchError('unreachable', `There is no way to the site from here. ${behindProxy}`, error);
}
