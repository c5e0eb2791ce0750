/** Who a call acts for: an origin and an API key, of which only a fingerprint is ever kept. */
import { createHash } from 'node:crypto';

/** The origin of the embedded service, whose port changes at every start. */
export const embeddedOrigin = 'embedded';

export interface Principal {
  /** Stable across restarts, safe to store and to log. */
  readonly id: string;
  readonly origin: string;
  /** The same for all principals that act with one service key. */
  readonly serviceKey: string;
}

/**
 * `origin` is `embeddedOrigin` for the embedded service.
 * Subjects are principals of their own, also where two were given the same key.
 */
export function createPrincipal(origin: string, apiKey: string, subject?: Subject): Principal {
  const serviceKey = fingerprint([origin, apiKey]);
  const id =
    subject === undefined ? serviceKey : fingerprint([origin, apiKey, subject.issuer, subject.subject]);
  return { id, origin, serviceKey };
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
