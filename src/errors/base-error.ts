/**
 * The base of all errors of this program; each layer has its own in one file. `message` is ours and says what is wrong
 * and, where a person can do something, the next step.
 */
export abstract class BaseError extends Error {
  abstract override readonly name: string;
}
