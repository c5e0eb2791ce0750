/** What is not written to a terminal as it is, and how the command ends when something went wrong. */
import { BaseError } from '../../errors/base-error.ts';
import { SettingsError } from '../config/errors.ts';

/** Controls but blanks and line ends, format characters, line and paragraph separators. A return alone writes over its line. */
const invisible = /(?![\t\n]|\r\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/** What our own text has of them: colours, and a progress line that is cleared. None of them hides what it stands before. */
const sequenceStart = '\u001b';
const ownSequence = RegExp(`(\\r?${sequenceStart}\\[(?:(?:[0-24]|2[24]|3\\d|9\\d)m|K))`);

/** Writes such characters as `\\u009b`, which JSON reads as the same character. */
export function escapeInvisible(stream: Pick<NodeJS.WriteStream, 'write'>): void {
  const { write } = stream;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, stream, [typeof chunk === 'string' ? escapedButOwn(chunk) : chunk, ...rest]);
}

const escapedButOwn = (text: string): string =>
  text
    .split(ownSequence)
    .map((part) => (ownSequence.test(part) ? part : escaped(part)))
    .join('');

/** Such characters as JSON writes them. */
export const escaped = (text: string): string =>
  text.replace(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** Undefined for another error. */
function listenProblem(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  if (error.syscall === 'getaddrinfo' && 'hostname' in error)
    return `${error.hostname} is no address of this machine: choose another --host, such as 127.0.0.1`;
  if (error.syscall !== 'listen' || !('address' in error)) return undefined;
  const port = 'port' in error ? error.port : 0;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken by another program: choose another --port, or 0 for any free one`;
    case 'EADDRNOTAVAIL':
      return `${error.address} is no address of this machine: choose another --host, such as 127.0.0.1`;
    case 'EACCES':
      return `Port ${port} needs more rights than you have: choose a --port from 1024 on`;
    default:
      return undefined;
  }
}

/** Says on stderr what went wrong. */
export function tellProblem(error: unknown): void {
  const isExpected = error instanceof BaseError || (error instanceof Error && 'code' in error);
  const text =
    listenProblem(error) ??
    (error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error));
  process.stderr.write(`svc-mcp: ${text}\n`);
}

/** 1: it failed. 2: the settings or the command line are wrong. */
export function exitWith(error: unknown): never {
  tellProblem(error);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
