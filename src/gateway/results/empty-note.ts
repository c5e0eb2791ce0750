/** Why a completed run may have no rows: the service says nothing, and a param that matches nothing looks like the truth. */
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';

const maxNames = 3;

/** What is known of a result beside it. */
interface Asked {
  readonly params: JsonObject;
  /** Of the params. */
  readonly schema: JsonObject;
  /** When a run of the action had rows, in milliseconds since the epoch. */
  readonly lastRows: number | undefined;
}

/** The note for a result without rows; undefined where no text was asked for, and no run is known to have had rows. */
export function emptyNote({ params, schema, lastRows }: Asked): string | undefined {
  const at = lastRows === undefined ? undefined : `${new Date(lastRows).toISOString().slice(0, 16)}Z`;
  const isFree = (name: string, value: unknown) =>
    typeof value === 'string' &&
    value.trim() !== '' &&
    !URL.canParse(value) &&
    !hasListedValues(schema, name);
  const names = Object.entries(params)
    .filter(([name, value]) => isFree(name, value))
    .map(([name]) => cleanText(name, 60))
    .slice(0, maxNames);
  if (names.length === 0) {
    const others = Object.keys(params).length === 0 ? '' : ', perhaps with other params,';
    return (
      at && `There are no rows. Its last run with rows${others} was at ${at}: the site may have changed.`
    );
  }
  const last = at === undefined ? '' : ` Its last run with rows was at ${at}.`;
  const { required } = schema;
  const isOptional = names.every((name) => !(Array.isArray(required) && required.includes(name)));
  const orNot = isOptional ? `, or leave ${names.length === 1 ? 'it' : 'them'} out` : '';
  return `There are no rows. Websites may compare text exactly: check spelling, case and whole names in ${names.join(', ')}${orNot}. The site may also have changed.${last}`;
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
  const { data, rows, note: before, ...others } = body;
  const shown = { ...(rows !== undefined && { rows }), ...(data !== undefined && { data }) };
  return { ...others, note: [before, note].filter(Boolean).join(' '), ...shown };
}
