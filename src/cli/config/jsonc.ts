/** Reads JSON, and says where a text is none, without quoting it. */
import { type ParseError, type ParseOptions, parse, printParseErrorCode } from 'jsonc-parser';

/** `problem` is such as "CommaExpected at line 3, column 5", and undefined where nothing is wrong. */
export function parseJsonc(
  text: string,
  options: ParseOptions,
): { readonly value: unknown; readonly problem: string | undefined } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, options);
  const [error] = errors;
  if (error === undefined) return { value, problem: undefined };
  const lines = text.slice(0, error.offset).split(/\r\n|\r|\n/);
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return { value, problem: `${printParseErrorCode(error.error)} at ${place}` };
}
