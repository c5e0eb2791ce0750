/** How the command ends when something went wrong: one line on stderr, and a code that says what kind. */
import { BaseError } from '../../errors/base-error.ts';
import { SettingsError } from '../config/errors.ts';

/** 1: it failed. 2: the settings or the command line are wrong. */
export function exitWith(error: unknown): never {
  const isExpected = error instanceof BaseError || (error instanceof Error && 'code' in error);
  const text =
    error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`svc-mcp: ${text}\n`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
