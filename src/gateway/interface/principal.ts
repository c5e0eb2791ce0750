/** Who a call acts for: a service and an API key, of which only a fingerprint is ever kept. */
import { createHash } from 'node:crypto';

/** Names the embedded service, whose port changes at every start. */
export const embeddedService = 'embedded';

export interface Principal {
  /** Stable across restarts, safe to store and to log. */
  readonly id: string;
  /** `embeddedService`, or the root of the API (`toApiRoot`): two services may share an origin. */
  readonly service: string;
  /** The same for all principals that act with one service key. */
  readonly serviceKey: string;
}

/**
 * `service` is as of `Principal`.
 * Subjects are principals of their own, also where two were given the same key.
 */
export function createPrincipal(service: string, apiKey: string, subject?: Subject): Principal {
  const serviceKey = fingerprint([service, apiKey]);
  const id =
    subject === undefined ? serviceKey : fingerprint([service, apiKey, subject.issuer, subject.subject]);
  return { id, service, serviceKey };
}

const fingerprint = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);

/** A person or program as an authorization server names it in its tokens. */
export interface Subject {
  /** Exactly as it stands in the tokens. */
  readonly issuer: string;
  /** Unique at its issuer, never at another one. */
  readonly subject: string;
}

/** Up to 255 characters that can be printed, which OpenID Connect has as the limit too. */
export const isSubjectName = (text: string): boolean => /^\P{C}{1,255}$/u.test(text);

/** The subject as an argument of a command line, whatever characters are in it. */
export function shellArgument(subject: string): string {
  if (/^[\w.@:+/=][\w.@:+/=-]*$/.test(subject)) return subject;
  return `${subject.startsWith('-') ? '-- ' : ''}'${subject.replaceAll("'", "'\\''")}'`;
}
