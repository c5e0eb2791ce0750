/** The recipe format, checked when a catalog is loaded and when a recipe is run. docs/recipes.md teaches it. */
import { compile } from '@jmespath-community/jmespath';
import { parse as parseSelector } from 'css-what';
import * as z from 'zod';
import { toFind } from './pattern.ts';

/** Whether a parser accepts the text. */
const accepts = (parse: (text: string) => unknown) => (text: string) => {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
};
export const selector = z.string().min(1).refine(accepts(parseSelector), 'is not a CSS selector');
const jmespath = z.string().min(1).refine(accepts(compile), 'is not a JMESPath expression');
const pattern = z.string().refine(accepts(toFind), 'is not a regular expression');
const template = z.string().describe('Text with {placeholders}');
const scalar = z.union([z.string(), z.number(), z.boolean()]);

export const valueTypes = ['text', 'number', 'date', 'url', 'image', 'boolean', 'json'] as const;

export const articleParts = [
  'title',
  'author',
  'published',
  'summary',
  'text',
  'image',
  'site_name',
  'language',
] as const;

/** The steps from the found text or value to the value in the result. */
const valueRules = {
  required: z.boolean().optional().describe('Without it a row is left out, and a single record is a failure'),
  default: z.json().optional().describe('Value where nothing matches, instead of null'),
  match: z
    .union([pattern, z.array(pattern).min(1).max(4)])
    .optional()
    .describe('The part of the text; of several patterns each works on what the one before has found'),
  map: z.record(z.string(), z.json()).optional().describe('Maps the text to a value'),
  decimal: z
    .enum(['.', ','])
    .optional()
    .describe('number: the decimal mark; default: as the digits after it tell'),
  unit: z.string().optional().describe('number: the unit or currency if the page shows none'),
  currency: z
    .string()
    .optional()
    .describe('number: the currency that a sign such as $ means, where several countries share it'),
  unit_field: z.string().optional().describe('number: name of the field for the unit or currency'),
  format: z.string().optional().describe('date: Luxon tokens such as d.M.yyyy'),
  locale: z.string().optional().describe('date: language of month names, such as de'),
  zone: z
    .string()
    .regex(/^(?:(?:UTC?|GMT)(?:[-+]\d{1,2}(?::?\d\d)?)?|[A-Z]{3,4})$/, 'is no time zone, such as UTC or CET')
    .optional()
    .describe('date: the time zone of texts that name none, such as UTC or CET'),
  contains: z.string().min(1).optional().describe('boolean: true if the text contains this'),
  markup: z.literal(true).optional().describe('The value is HTML: take its visible text'),
};

const HtmlFieldRules = {
  select: selector.optional().describe('Element inside the row; default: the row itself'),
  above: selector
    .optional()
    .describe(
      'Read from the nearest matching element before the row, such as the heading of its group; "select" then applies inside that element. Such elements are not rows',
    ),
  attribute: z.string().optional(),
  all: z.boolean().optional().describe('All matches as a list instead of the first match'),
  own: z.boolean().optional().describe('Only the text outside child elements'),
  line: z.int().min(1).max(50).optional().describe('Of a text in several lines this one, from 1'),
  type: z.enum(valueTypes).default('text'),
  ...valueRules,
};
const HtmlField = z.union([
  selector.transform((select) => ({ select, type: 'text' as const })),
  z.strictObject(HtmlFieldRules),
]);
const JsonField = z.union([
  jmespath.transform((path) => ({ path, type: 'json' as const })),
  z.strictObject({ path: jmespath, type: z.enum(valueTypes).default('json'), ...valueRules }),
]);
const ScriptField = z.strictObject({
  script: selector.describe('As in kind "json": the value is the list of the data of the matching scripts'),
  path: jmespath,
  type: z.enum(valueTypes).default('json'),
  ...valueRules,
});
const TableField = z
  .strictObject({
    header: z.string().min(1).optional().describe('Of the column; where it repeats, after that of its group'),
    ...HtmlFieldRules,
  })
  .refine(({ header, above }) => (header === undefined) !== (above === undefined), {
    message: 'needs either "header" or "above"',
  });

/** Undefined where no builder wrote it. */
const built = z
  .strictObject({
    under: z
      .array(z.string())
      .optional()
      .describe('The headings of the equal tables, or of the groups of rows; empty where one has none'),
    headers: z.array(z.string()).optional().describe('All headers of the table, also of columns not taken'),
    within: z
      .array(z.string())
      .optional()
      .describe('Ids and classes around the rows; empty where only the page is around them'),
    denial: z.string().optional().describe('Words by which the page says beside its rows that it has none'),
    besides: z
      .array(z.string())
      .optional()
      .describe('What stood among the rows and has something of what they have, by tag and class'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('What all rows said beside the values of fields'),
    among: z
      .record(z.string(), z.int())
      .optional()
      .describe('Of the fields that each row had among as many like elements: how many'),
  })
  .optional()
  .describe('What the page had when the action was built: a run says in "missing" what has joined since');
export type Built = NonNullable<z.infer<typeof built>>;

export const Extract = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('html'),
      list: selector.optional(),
      siblings: z
        .literal(true)
        .optional()
        .describe('A row is an element of the list and its following siblings up to the next one'),
      fields: z.record(z.string(), z.union([HtmlField, ScriptField])),
      built,
    })
    .refine(
      ({ list, fields }) =>
        list !== undefined ||
        !Object.values(fields).some((field) => 'above' in field && field.above !== undefined),
      { message: '"above" is for the rows of a "list"', path: ['fields'] },
    )
    .refine(
      ({ list, fields }) => list === undefined || !Object.values(fields).some((field) => 'script' in field),
      { message: '"script" is for a single record, without a "list"', path: ['fields'] },
    ),
  z
    .strictObject({
      kind: z.literal('json'),
      script: selector
        .optional()
        .describe(
          'In an HTML page: scripts that are JSON or assign it (name = {…}), or elements that are items of microdata or RDFa. The value is the list of their data',
        ),
      response: z
        .string()
        .min(1)
        .optional()
        .describe(
          'With render: address pattern with *, such as */api/items*. The value is the list of the JSON answers that the page fetched from such addresses',
        ),
      list: jmespath.optional(),
      fields: z.record(z.string(), JsonField).optional(),
    })
    .refine(({ script, response }) => script === undefined || response === undefined, {
      message: 'takes script or response, not both',
    }),
  z.strictObject({
    kind: z.literal('table'),
    table: selector.default('table').describe('Of several such tables all that have the columns'),
    columns: z.record(z.string(), TableField).optional(),
    built,
  }),
  z.strictObject({
    kind: z.literal('feed'),
    only: z.array(z.string()).optional().describe('Only these of the common fields'),
    fields: z.record(z.string(), JsonField).optional(),
  }),
  z.strictObject({
    kind: z.literal('article'),
    fields: z.record(z.string(), z.enum(articleParts)).optional(),
  }),
]);
export type Extract = z.infer<typeof Extract>;
export type HtmlExtract = Extract & { kind: 'html' };
export type TableExtract = Extract & { kind: 'table' };

/** The rules of one value, whatever its source. */
export type ValueRules = z.infer<z.ZodObject<typeof valueRules>> & {
  readonly type: (typeof valueTypes)[number];
};
export type HtmlField = z.infer<typeof HtmlField>;
export type JsonField = z.infer<typeof JsonField>;

/** Holds if all given conditions hold. */
export const PageTest = z
  .strictObject({
    status: z.array(z.int()).optional(),
    url: z.string().min(1).optional().describe('The final address contains this'),
    select: selector.optional().describe('The page has a matching element'),
    text: z.string().min(1).optional().describe("The page's text contains this, ignoring case"),
    path: jmespath.optional().describe('The JSON response has a value at this path'),
  })
  .refine((test) => Object.keys(test).length > 0, 'needs at least one condition');
export type PageTest = z.infer<typeof PageTest>;

export const RecipeRequest = z.strictObject({
  url: template.regex(
    /^https?:\/\/[^/{}?#@\s]+\//,
    'must be http(s)://host/… with no placeholder, user name or password in the host',
  ),
  method: z.enum(['GET', 'POST']).default('GET'),
  query: z.record(z.string(), z.union([template, z.number(), z.boolean()])).optional(),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'is not a header name'), template)
    .refine((headers) => !Object.keys(headers).some((name) => /^(cookie|host|user-agent)$/i.test(name)), {
      message: 'Cookie, Host and User-Agent are not set by a recipe',
    })
    .optional(),
  form: z.record(z.string(), template).optional().describe('A POST body, form-encoded'),
  json: z.json().optional().describe('A POST body in JSON'),
});
export type RecipeRequest = z.infer<typeof RecipeRequest>;

const maxPages = z.int().min(1).max(50).default(10).describe('The most pages, whatever the param says');
export const Paging = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('next'),
    select: selector.optional().describe('A link in the page'),
    path: jmespath.optional().describe('Path of an address in the JSON response'),
    link_header: z.boolean().optional().describe('rel="next" of the Link header'),
    most: maxPages,
  }),
  z.strictObject({
    kind: z.literal('page'),
    query: z.string(),
    first: z.int().min(0).default(1),
    most: maxPages,
  }),
  z.strictObject({
    kind: z.literal('path'),
    path: z
      .string()
      .regex(/^\/[^?#]*\{page\}[^?#]*$/, 'must start with / and hold {page}')
      .describe('The path of a further page, such as /news/page/{page}/'),
    first: z.int().min(0).default(1).describe('Number of the first page'),
    most: maxPages,
  }),
  z.strictObject({
    kind: z.literal('offset'),
    query: z.string(),
    step: z.int().min(1).describe('Rows of a page'),
    first: z.int().min(0).default(0),
    most: maxPages,
  }),
  z.strictObject({ kind: z.literal('cursor'), query: z.string(), path: jmespath, most: maxPages }),
  z.strictObject({
    kind: z.literal('found').describe('The next page that each page itself names or links to'),
    most: maxPages,
  }),
]);
export type Paging = z.infer<typeof Paging>;

export const Total = z
  .strictObject({
    select: selector.optional().describe('An element of the page whose text has the total'),
    path: jmespath.optional().describe('Path of the total in the JSON response'),
    match: valueRules.match.describe('Cuts the number out of the text; its first group, or all'),
  })
  .refine(({ select, path }) => (select === undefined) !== (path === undefined), 'needs select or path');
export type Total = z.infer<typeof Total>;

export const Details = z.strictObject({
  url: template.min(1).describe('Address with {fields} of the row; "{url}" alone is a whole address'),
  extract: Extract,
  most: z.int().min(1).max(100).default(20).describe('Maximum number of rows whose details are fetched'),
});

export type Details = z.infer<typeof Details>;

export const Render = z.union([
  z.literal(true),
  z.strictObject({
    wait_for: selector
      .optional()
      .describe('Read the page when a matching element exists, after 10 s at most'),
    click: selector.optional().describe('A button that shows more rows'),
    clicks: z.int().min(1).max(20).default(5).describe('Maximum number of clicks, while the button exists'),
  }),
]);
export type Render = z.infer<typeof Render>;

export const Recipe = z
  .strictObject({
    defaults: z.record(z.string(), scalar).optional().describe('Params that the caller left out'),
    request: RecipeRequest,
    render: Render.optional().describe(
      'Load the pages in a browser, for sites that show nothing without scripts',
    ),
    extract: Extract,
    paging: Paging.optional(),
    total: Total.optional().describe('Total number of rows, if the first page has it'),
    details: Details.optional(),
    not_logged_in: z.array(PageTest).optional().describe('Any of these means that the session has expired'),
  })
  .refine(({ render, request }) => render === undefined || isPlainGet(request), {
    message: 'a browser opens addresses only: no method, headers, form or json',
    path: ['request'],
  })
  .refine(({ render, extract }) => render !== undefined || !('response' in extract) || !extract.response, {
    message: '"response" is for pages with "render"',
    path: ['extract'],
  });
export type Recipe = z.infer<typeof Recipe>;

const isPlainGet = ({ method, headers, form, json }: RecipeRequest) =>
  method === 'GET' && headers === undefined && form === undefined && json === undefined;
