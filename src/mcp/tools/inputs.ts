/**
 * Types of tool parameters that forgive what clients get wrong without harm: numbers and booleans sent as
 * strings, objects sent as JSON text. Their JSON Schema shows the proper type only.
 */
import * as z from 'zod';
import { parseJson } from '../../contract/exact-json.ts';

const parseWhere = (looksRight: RegExp) => (value: unknown) => {
  if (typeof value !== 'string' || !looksRight.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
};

export const boolean = () => z.preprocess(parseWhere(/^\s*(true|false)\s*$/), z.boolean());

export const integer = (min: number, max: number) =>
  z.preprocess(parseWhere(/^\s*\d{1,15}\s*$/), z.int().min(min).max(max));

export const object = () => z.preprocess(parseWhere(/^\s*\{/), z.record(z.string(), z.unknown()));

/** `min`, else 1, to `max` items. */
export const list = <Item extends z.ZodType>(item: Item, max: number, min = 1) =>
  z.preprocess(parseWhere(/^\s*\[/), z.array(item).min(min).max(max));

/** Seconds a call may wait; what the client itself allows may be less. */
export const waitSeconds = () => integer(0, 3600);

/** CSV costs far fewer characters for rows; RFC 4180. */
export const resultFormat = () => z.enum(['json', 'csv']).describe('csv: rows in fewer characters');
