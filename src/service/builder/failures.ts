/** Why nothing was built. The list is closed: whoever asked can act on each. */
import type { FetchError } from '../fetching/errors.ts';
import type { BuildChoice, PreviewCandidate } from '../foundation/ports.ts';

export const buildFailures = [
  'SITE_UNREACHABLE',
  'ROBOTS_DISALLOWED',
  'LOGIN_REQUIRED',
  'NEEDS_JAVASCRIPT',
  'NO_DATA_FOUND',
  'CHOICE_NEEDED',
  'TEST_FAILED',
  'TIMEOUT',
] as const;
export type BuildFailureType = (typeof buildFailures)[number];

export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
  readonly errorType: BuildFailureType;
  /** From what the caller can choose, the best first. */
  readonly candidates: readonly PreviewCandidate[];
  /** The builder's best guess. */
  readonly choose: BuildChoice | undefined;

  constructor(
    errorType: BuildFailureType,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly candidates?: readonly PreviewCandidate[] | undefined;
      readonly choose?: BuildChoice | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.errorType = errorType;
    this.candidates = options.candidates ?? [];
    this.choose = options.choose;
  }
}

/** What a page that could not be fetched means for the build. */
export function fetchFailure(error: FetchError): BuildFailure {
  const type =
    error.problem === 'robots'
      ? 'ROBOTS_DISALLOWED'
      : error.problem === 'timeout'
        ? 'TIMEOUT'
        : 'SITE_UNREACHABLE';
  return new BuildFailure(type, error.message, { cause: error });
}

/** What a status says; undefined where it is an answer to go on with. */
export function statusFailure(status: number): BuildFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 407)
    return new BuildFailure('LOGIN_REQUIRED', 'The page asks for a sign-in (HTTP status 401)');
  const reason =
    status === 403
      ? 'refuses programs'
      : status === 404 || status === 410
        ? 'has no such page'
        : 'did not give the page';
  return new BuildFailure('SITE_UNREACHABLE', `The site ${reason} (HTTP status ${status})`);
}
