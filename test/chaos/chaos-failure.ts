/** A promise that a run has broken. */
import type { CallName } from './calls.ts';

export const failureKinds = [
  'double charge',
  'lost job',
  'lost result',
  'unreported doubt',
  'wrong budget',
  'wrong answer',
] as const;
export type FailureKind = (typeof failureKinds)[number];

export class ChaosFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, call: CallName | 'all', what: string) {
    super(`${kind} (${call}): ${what}`);
    this.name = 'ChaosFailure';
    this.kind = kind;
  }
}
