/** What is not written to a terminal as it is, and how the command ends when something went wrong. */
import { BaseError } from '../../errors/base-error.ts';
import { SettingsError } from '../config/errors.ts';

/** C1 controls, DEL and format characters; line and paragraph separators. C0 controls in our own text are colours. */
const invisible = /[\x7f-\x9f\p{Cf}\u2028\u2029]/gu;

/** Writes such characters as `\\u009b`, which JSON reads as the same character. */
export function escapeInvisible(stream: NodeJS.WriteStream): void {
  const { write } = stream;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, stream, [typeof chunk === 'string' ? escaped(chunk) : chunk, ...rest]);
}

const escaped = (text: string): string =>
  text.replace(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** 1: it failed. 2: the settings or the command line are wrong. */
export function exitWith(error: unknown): never {
  const isExpected = error instanceof BaseError || (error instanceof Error && 'code' in error);
  const text =
    error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`svc-mcp: ${text}\n`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
