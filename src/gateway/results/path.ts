/** JMESPath as callers write it: strict, but for a leading `data.` where the data has no such member. */

import { compile, tokenize } from '@jmespath-community/jmespath';
import { parseJson } from '../../contract/exact-json.ts';
import { PathError } from '../foundation/errors.ts';

export type PathNode = ReturnType<typeof compile>;

const maxPathChars = 1_000;

export interface ReadPath {
  /** The expression without a leading `data.`. */
  readonly text: string;
  readonly node: PathNode;
}

/** `data` decides what is meant; absent: only the syntax is checked. Throws a `PathError`. */
export function readPath(path: string, data?: unknown): ReadPath {
  if (path.length > maxPathChars) throw new PathError(`longer than ${maxPathChars} characters`);
  try {
    const trimmed = path.trim() || '@';
    const text = hasMember(data, 'data') ? trimmed : withoutData(trimmed);
    checkComparisons(text);
    return { text, node: compile(withExactIntegers(text)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not a JMESPath expression';
    const name = unquotedName(path);
    const text = /`([^`"]*)`/.exec(path)?.[1];
    const advice =
      name !== undefined
        ? `; the name ${name} must be in double quotes: "${name}"`
        : text !== undefined && /JSON literal/i.test(reason)
          ? `; a text is in single quotes: '${text}'`
          : '';
    throw new PathError(`${reason}${advice}`);
  }
}

/** Large integers in literals become texts, as those of the data: the library would round them. */
const withExactIntegers = (path: string): string =>
  path.replaceAll(quotedParts, (part, literal: string | undefined) => {
    if (literal === undefined || !/\d{16}/.test(literal)) return part;
    try {
      return `\`${JSON.stringify(parseJson(literal))}\``;
    } catch {
      // The library says what is wrong with it.
      return part;
    }
  });

/** Names, texts and literals, with what is in a literal. */
const quotedParts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`((?:[^`\\]|\\.)*)`/g;

const hasMember = (data: unknown, name: string): boolean =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, name);

const withoutData = (path: string): string =>
  path === 'data' ? '@' : path.replace(/^data\./, '').replace(/^data(?=\[)/, '');

/** The library takes a single `=` for the binding of a variable, and such a filter lets everything pass. */
function checkComparisons(path: string): void {
  const tokens = tokenize(path);
  const isMistaken = tokens.some(
    ({ type }, index) => type === 'Assign' && tokens[index - 1]?.type !== 'Variable',
  );
  if (isMistaken) throw new PathError('values are compared with ==, not with =');
}

/** A name that JMESPath takes only in quotes, such as one with an umlaut, outside of quotes. */
function unquotedName(path: string): string | undefined {
  const bare = path.replaceAll(quotedParts, '""');
  return bare
    .match(/[\p{L}\p{M}\p{N}_]+/gu)
    ?.find((name) => /[^\w]/.test(name) || /^\d+[A-Za-z_]/.test(name));
}
