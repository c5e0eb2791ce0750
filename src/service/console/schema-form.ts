/**
 * An action's parameters, read from its JSON Schema once, as a form. Parameters that fit no field are typed as JSON.
 */
import { html } from 'hono/html';
import * as z from 'zod';
import { booleanText, columnLabel } from '../../contract/result-rows.ts';
import { type FormField, formField, type Html } from '../../http/page.ts';
import { cut, sentence, spoken } from './html.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A form's entries by field name. */
export type FormEntries = Readonly<Record<string, string>>;

/** Authors may write any schema: malformed members are ignored. */
const Property = z
  .object({
    type: z
      .union([z.string().transform((type) => [type]), z.array(z.string())])
      .optional()
      .catch(undefined),
    title: z.string().optional().catch(undefined),
    description: z.string().optional().catch(undefined),
    enum: z.array(z.unknown()).min(1).optional().catch(undefined),
    items: z
      .object({ enum: z.array(z.unknown()).min(1) })
      .optional()
      .catch(undefined),
    default: z.unknown().optional(),
    examples: z.array(z.unknown()).optional().catch(undefined),
    minimum: z.number().optional().catch(undefined),
    maximum: z.number().optional().catch(undefined),
    maxLength: z.int().nonnegative().optional().catch(undefined),
  })
  .catch({ default: undefined });
const ObjectSchema = z
  .object({ properties: z.record(z.string(), Property).catch({}), required: z.array(z.string()).catch([]) })
  .catch({ properties: {}, required: [] });

interface Field {
  /** A field is found again by its place: its name may be anything. */
  readonly id: string;
  readonly name: string;
  readonly property: z.infer<typeof Property>;
  /** The only type beside null; undefined if there are several or none. */
  readonly type: string | undefined;
  readonly isRequired: boolean;
}

function readFields(schema: Schema): Field[] {
  const { properties, required } = ObjectSchema.parse(schema);
  return Object.entries(properties).map(([name, property], index) => {
    const types = (property.type ?? []).filter((type) => type !== 'null');
    const type = types.length === 1 ? types[0] : undefined;
    return { id: `param-${index}`, name, property, type, isRequired: required.includes(name) };
  });
}

/** Characters. */
const maxSchemaLength = 20_000;

/** What a program sends. */
export const schemaDetails = (actionName: string, schema: Schema): Html =>
  html`<details><summary>JSON Schema of the parameters${spoken(` of ${actionName}`)}</summary>
<pre tabindex="0">${cut(JSON.stringify(schema, undefined, 2), maxSchemaLength)}</pre></details>`;

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** The author's description unless it repeats the label, and the schema's bounds. */
function describe(label: string, property: Field['property'], maxLength: number): string {
  const { description = '', enum: choices, items, default: preset, examples = [] } = property;
  const said = description.trim().replace(/\.$/, '').toLowerCase() === label.toLowerCase() ? '' : description;
  const texts = [
    said.trim() === '' ? '' : sentence(said),
    choices === undefined ? '' : `One of: ${listChoices(choices, toText)}.`,
    items === undefined ? '' : `Any of: ${listChoices(items.enum, JSON.stringify)}.`,
    describeBounds(property),
    preset === undefined ? '' : `Default: ${toText(preset)}.`,
    preset === undefined && examples.length > 0 ? `Example: ${toText(examples[0])}.` : '',
  ];
  return cut(texts.filter((text) => text !== '').join(' '), maxLength);
}

const listChoices = (choices: readonly unknown[], show: (choice: unknown) => string): string =>
  choices.slice(0, 20).map(show).join(', ');

function describeBounds({ minimum, maximum, maxLength }: Field['property']): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}.`;
  if (minimum !== undefined) return `At least ${minimum}.`;
  if (maximum !== undefined) return `At most ${maximum}.`;
  return maxLength === undefined ? '' : `At most ${maxLength} characters.`;
}

/** A field for each parameter. The first has the cursor; a default is filled in where nothing was typed yet. */
export const paramInputs = (schema: Schema, typed: FormEntries, isFresh: boolean): Html =>
  html`${readFields(schema).map((field, index) =>
    formField({
      ...toFormField(field, typed[field.id] ?? (isFresh ? presetOf(field) : '')),
      focus: index === 0,
    }),
  )}`;

const presetOf = ({ property, type }: Field): string =>
  property.default === undefined
    ? ''
    : type === 'string' || property.enum !== undefined
      ? toText(property.default)
      : JSON.stringify(property.default);

/** The form entries that would give these params. */
export const typeParams = (schema: Schema, params: Schema): FormEntries =>
  Object.fromEntries(
    readFields(schema)
      .filter(({ name }) => Object.hasOwn(params, name))
      .map(({ id, name, type, property }) => {
        const isText = property.enum !== undefined || type === 'string';
        return [id, isText ? toText(params[name]) : JSON.stringify(params[name])];
      }),
  );

/** An empty field is not sent. `problems` name fields whose text is not of their type. */
export function readParams(schema: Schema, posted: URLSearchParams) {
  const params: Record<string, unknown> = {};
  const typed: Record<string, string> = {};
  const problems: string[] = [];
  for (const field of readFields(schema)) {
    const text = posted.get(field.id) ?? '';
    if (text === '') continue;
    typed[field.id] = text;
    const value = readParam(field, text);
    if (value === undefined) problems.push(`${cut(field.name, 60)} is not valid JSON`);
    else params[field.name] = value;
  }
  return { params, typed, problems };
}

/** Undefined for text that is no JSON where JSON is asked for. */
function readParam({ type, property }: Field, text: string): unknown {
  const choice = property.enum?.find((candidate) => toText(candidate) === text);
  if (choice !== undefined) return choice;
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      // Text that is not a number is passed on: the check against the schema reports it.
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
  }
}

function toFormField(field: Field, value: string): FormField {
  const { id, name, property, type, isRequired } = field;
  const label = cut(property.title ?? columnLabel(name), 60);
  const isChoice = isShownAsChoice(field);
  const hint = describe(label, isChoice ? { ...property, enum: undefined } : property, 400);
  const shown: FormField = { id, label, hint, value, required: isRequired };
  if (isChoice) {
    const none = ['', isRequired ? 'Choose' : 'Not set'] as const;
    const choices = property.enum?.map(toText).map((text) => [text, cut(text, 100)] as const) ?? booleans;
    return { ...shown, type: 'select', options: [none, ...choices] };
  }
  if (type === 'string')
    return { ...shown, attributes: { maxlength: property.maxLength, autocomplete: 'off' } };
  if (type === 'integer' || type === 'number') {
    const { minimum: min, maximum: max } = property;
    return {
      ...shown,
      type: 'number',
      attributes: { step: type === 'integer' ? '1' : 'any', min, max, autocomplete: 'off' },
    };
  }
  return { ...shown, type: 'textarea', attributes: { placeholder: 'JSON' } };
}

const booleans = [true, false].map((value) => [String(value), booleanText(value)] as const);

const isShownAsChoice = ({ property, type }: Field): boolean =>
  property.enum === undefined ? type === 'boolean' : property.enum.length <= 100;
