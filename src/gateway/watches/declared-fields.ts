/** The fields that an action says it returns: another version of it may return others, which is no change of its site. */
import type { Returns } from '../../contract/resources.ts';
import { cleanText } from '../foundation/text.ts';
import { parseNames } from './stored.ts';

const maxNamed = 5;

/** JSON of their names, in order; null where the action declares none. */
export function declaredFields(returns: Returns | undefined): string | null {
  if (returns === undefined) return null;
  const names = Array.isArray(returns)
    ? returns
    : Object.entries(returns).flatMap(([list, fields]) => fields.map((field) => `${list}.${field}`));
  return JSON.stringify([...new Set(names)].sort());
}

/** Says which came and which went; undefined where they are the same, or nobody knows. */
export function newFieldsText(before: string | null, now: string | null): string | undefined {
  if (before === null || now === null || before === now) return undefined;
  const [old, current] = [parseNames(before), parseNames(now)];
  const list = (names: readonly string[], verb: string) =>
    names.length === 0
      ? []
      : [
          `${names
            .slice(0, maxNamed)
            .map((name) => cleanText(name, 60))
            .join(', ')}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''} ${verb}`,
        ];
  const parts = [
    ...list(
      current.filter((name) => !old.includes(name)),
      'came',
    ),
    ...list(
      old.filter((name) => !current.includes(name)),
      'went',
    ),
  ];
  return `The action has a new version with other fields (${parts.join('; ')}): from now on its rows are compared with this one.`;
}
