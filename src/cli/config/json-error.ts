/** Where a text is not JSON, without quoting it. */
import { type ParseError, type ParseOptions, parse, printParseErrorCode } from 'jsonc-parser';

/** Such as "CommaExpected at line 3, column 5"; undefined where nothing is wrong. */
export function findJsonError(text: string, options: ParseOptions): string | undefined {
  const errors: ParseError[] = [];
  parse(text, errors, options);
  const [error] = errors;
  if (error === undefined) return undefined;
  const lines = text.slice(0, error.offset).split(/\r\n|\r|\n/);
  return `${printParseErrorCode(error.error)} at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
