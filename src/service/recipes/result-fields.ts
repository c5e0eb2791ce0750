/** Which fields the result of a recipe has, as far as the recipe names them. */
import * as z from 'zod';
import type { Returns } from '../../contract/resources.ts';
import { commonFields } from './feed-fields.ts';
import { articleParts } from './schema.ts';

/** Of a recipe's form only what names fields: checking the selectors of every action would hold a search up. */
const Fields = z.record(
  z.string(),
  z.union([z.string(), z.looseObject({ unit_field: z.string().optional() })]),
);
const NamingExtract = z.looseObject({
  kind: z.string(),
  list: z.string().optional(),
  only: z.array(z.string()).optional(),
  fields: Fields.optional(),
  columns: Fields.optional(),
});
type NamingExtract = z.infer<typeof NamingExtract>;
const NamingRecipe = z.looseObject({
  extract: NamingExtract,
  details: z.looseObject({ extract: NamingExtract }).optional(),
});

/**
 * The names of the fields; `{items: names}` where the result is a list of rows. Undefined where the page decides: a
 * table without `columns`, JSON without `fields`.
 */
export function resultFields(recipe: unknown): Returns | undefined {
  const { data } = NamingRecipe.safeParse(recipe);
  if (data === undefined) return undefined;
  const { extract, details } = data;
  const own = namesIn(extract);
  if (own === undefined) return undefined;
  const names = [...new Set([...own, ...(details === undefined ? [] : detailNames(details.extract))])];
  return hasRows(extract) ? { items: names } : names;
}

/** A single record's fields join those of the row; further rows are its `details`. */
const detailNames = (extract: NamingExtract): string[] =>
  hasRows(extract) ? ['details'] : (namesIn(extract) ?? []);

const hasRows = ({ kind, list }: NamingExtract) => kind === 'table' || kind === 'feed' || list !== undefined;

function namesIn({ kind, fields, columns, only }: NamingExtract): string[] | undefined {
  if (kind === 'table') return columns && withUnits(columns);
  if (kind === 'feed') {
    const common = Object.keys(commonFields).filter((name) => only?.includes(name) ?? true);
    return [...common, ...withUnits(fields ?? {})];
  }
  if (kind === 'article' && fields === undefined) return [...articleParts];
  return fields && withUnits(fields);
}

/** A number's unit or currency has a field of its own. */
const withUnits = (fields: z.infer<typeof Fields>): string[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    typeof field === 'string' || field.unit_field === undefined ? [name] : [name, field.unit_field],
  );
