/** The fields of a recipe's result, as far as the recipe names them, and what each of them holds. */
import * as z from 'zod';
import type { FieldKinds, Returns } from '../../contract/resources.ts';
import { commonFields, rareFields } from '../page/feed-fields.ts';
import { articleParts } from './recipe-schema.ts';

/** Parses only the members that name fields; checking all selectors of every action is too slow for GET /search. */
const Field = z.looseObject({
  type: z.string().optional(),
  unit_field: z.string().optional(),
  all: z.boolean().optional(),
  map: z.unknown().optional(),
});
const Fields = z.record(z.string(), z.union([z.string(), Field]));
type Fields = z.infer<typeof Fields>;
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

/** The content of each field, in words; empty if it can be anything. */
type Kinds = ReadonlyMap<string, string>;

const kindTexts: Readonly<Record<string, string>> = {
  text: 'text',
  number: 'number',
  date: 'date, ISO 8601',
  url: 'URL',
  image: 'URL of an image',
  boolean: 'boolean',
};

/**
 * The names of the fields, `{items: names}` if the result is a list of rows, and their contents. Undefined if the page
 * decides: a table without `columns`, JSON without `fields`.
 */
export function resultFields(recipe: unknown): { returns: Returns; field_kinds: FieldKinds } | undefined {
  const { data } = NamingRecipe.safeParse(recipe);
  if (data === undefined) return undefined;
  const { extract, details } = data;
  const ownKinds = kindsIn(extract);
  if (ownKinds === undefined) return undefined;
  const kinds = new Map([...(details === undefined ? [] : detailKinds(details.extract)), ...ownKinds]);
  // The row's own fields first.
  const names = [...new Set([...ownKinds.keys(), ...kinds.keys()])];
  return {
    returns: hasRows(extract) ? { items: names } : names,
    field_kinds: Object.fromEntries([...kinds].filter(([, kind]) => kind !== '')),
  };
}

/** A single record's fields are added to those of the row; further rows become its `details`. */
const detailKinds = (extract: NamingExtract): Kinds =>
  hasRows(extract) ? new Map([['details', 'list']]) : (kindsIn(extract) ?? new Map());

const hasRows = ({ kind, list }: NamingExtract) => kind === 'table' || kind === 'feed' || list !== undefined;

function kindsIn({ kind, fields, columns, only }: NamingExtract): Kinds | undefined {
  if (kind === 'table') return columns && withUnits(columns, 'text');
  if (kind === 'feed') {
    const isNamed = (name: string) => only?.includes(name) ?? !rareFields.includes(name);
    const common = Object.entries(commonFields).filter(([name]) => isNamed(name));
    return withUnits({ ...Object.fromEntries(common), ...fields }, 'json');
  }
  const byDefault = kind === 'json' ? 'json' : 'text';
  if (kind === 'article' && fields === undefined) {
    return withUnits(Object.fromEntries(articleParts.map((part) => [part, part])), byDefault);
  }
  return fields && withUnits(fields, byDefault);
}

/** A number's unit or currency has a field of its own. */
const withUnits = (fields: Fields, byDefault: string): Kinds =>
  new Map(
    Object.entries(fields).flatMap(([name, field]): [string, string][] => {
      if (typeof field === 'string') return [[name, kindTexts[byDefault] ?? '']];
      const kind: [string, string] = [name, getKind(field, byDefault)];
      return field.unit_field === undefined ? [kind] : [kind, [field.unit_field, 'unit or currency']];
    }),
  );

function getKind({ type, all, map }: z.infer<typeof Field>, byDefault: string): string {
  if (map !== undefined) return '';
  const kind = kindTexts[type ?? byDefault] ?? '';
  return all === true ? ['list', kind].filter(Boolean).join(' of ') : kind;
}
