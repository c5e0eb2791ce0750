/** Why a completed run may have no rows: the service says nothing, and a param that matches nothing looks like the truth. */
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';

const maxNames = 3;

/**
 * The note for a result without rows; undefined where it has some, is no list, or no text was asked for. `schema`: of the
 * params.
 */
export function emptyNote(data: unknown, params: JsonObject, schema: JsonObject): string | undefined {
  if (!hasNoRows(data)) return undefined;
  const isFree = (name: string, value: unknown) =>
    typeof value === 'string' &&
    value.trim() !== '' &&
    !URL.canParse(value) &&
    !hasListedValues(schema, name);
  const names = Object.entries(params)
    .filter(([name, value]) => isFree(name, value))
    .map(([name]) => cleanText(name, 60))
    .slice(0, maxNames);
  if (names.length === 0) return undefined;
  const { required } = schema;
  const isOptional = names.every((name) => !(Array.isArray(required) && required.includes(name)));
  const orNot = isOptional ? `, or leave ${names.length === 1 ? 'it' : 'them'} out` : '';
  return `There are no rows. Websites may compare text exactly: check spelling, case and whole names in ${names.join(', ')}${orNot}. The site may also have changed.`;
}

function hasListedValues({ properties }: JsonObject, name: string): boolean {
  const property: { enum?: unknown } = Object(Object(properties)[name]);
  return property.enum !== undefined;
}

/** An empty list, or an object whose lists are all empty. */
export function hasNoRows(data: unknown): boolean {
  if (Array.isArray(data)) return data.length === 0;
  if (typeof data !== 'object' || data === null) return false;
  const lists = Object.values(data).filter((member) => Array.isArray(member));
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

/** Whether what a select left may come from a result without rows. */
export const mayBeEmpty = (data: unknown): boolean =>
  data === undefined || data === null || data === 0 || (typeof data === 'object' && hasNoRows(data));

/** The body with one more note, before its data. */
export function withNote(body: JsonObject, note: string): JsonObject {
  const { data, note: before, ...others } = body;
  return { ...others, note: [before, note].filter(Boolean).join(' '), data };
}
