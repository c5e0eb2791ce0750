/** Who visits the console, and the proof that a form was sent from one of its pages. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ConsoleUser } from '../operations/console-sessions.ts';

/** The signed-in user, and the token that proves that a form was sent from one of their pages. */
export interface Visitor {
  readonly user: ConsoleUser;
  readonly csrfToken: string;
  /** The service's own user at the service's own machine: sees the pages of the operator. */
  readonly isOperator: boolean;
}

/** Derived from the cookie, which no other site can read, without revealing it. */
export const getCsrfToken = (token: string): string =>
  createHmac('sha256', token).update('csrf').digest('base64url');

export function isCsrfToken(token: string, csrfToken: string): boolean {
  const [one, other] = [getCsrfToken(token), csrfToken].map((text) =>
    createHash('sha256').update(text).digest(),
  );
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
