/**
 * An action's parameters, read from its JSON Schema once: as a table, and as a form. Parameters that fit neither are
 * shown as JSON.
 */
import { html } from 'hono/html';
import * as z from 'zod';
import type { Html } from '../../http/page.ts';
import { cut, dataTable, hiddenField, sentence, spoken } from './html.ts';

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

const maxRows = 100;
/** Characters. */
const maxSchemaLength = 20_000;

export function paramTable(actionName: string, schema: Schema): Html {
  const rows = readFields(schema)
    .slice(0, maxRows)
    .map(
      ({ name, property, isRequired }) =>
        html`<tr><th scope="row"><code>${cut(name, 100)}</code> <span class="optional">${isRequired ? 'required' : 'optional'}</span></th>
<td>${cut((property.type ?? ['any']).join(' or '), 60)}</td><td>${describe(name, property, 600)}</td></tr>`,
    );
  return html`${
    rows.length === 0
      ? html`<p class="quiet">No parameters.</p>`
      : dataTable(`Parameters of ${actionName}`, [['Parameter'], ['Type'], ['Meaning']], rows)
  }
<details><summary>JSON Schema${spoken(` of ${actionName}`)}</summary>
<pre tabindex="0">${cut(JSON.stringify(schema, undefined, 2), maxSchemaLength)}</pre></details>`;
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** The author's description unless it repeats the label, and the schema's bounds. */
function describe(label: string, property: Field['property'], maxLength: number): string {
  const { description = '', enum: choices, default: preset, examples = [] } = property;
  const said = description.trim().replace(/\.$/, '').toLowerCase() === label.toLowerCase() ? '' : description;
  const texts = [
    said.trim() === '' ? '' : sentence(said),
    choices === undefined ? '' : `One of: ${choices.slice(0, 20).map(toText).join(', ')}.`,
    describeBounds(property),
    preset === undefined ? '' : `Default: ${toText(preset)}.`,
    preset === undefined && examples.length > 0 ? `Example: ${toText(examples[0])}.` : '',
  ];
  return cut(texts.filter((text) => text !== '').join(' '), maxLength);
}

function describeBounds({ minimum, maximum, maxLength }: Field['property']): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}.`;
  if (minimum !== undefined) return `At least ${minimum}.`;
  if (maximum !== undefined) return `At most ${maximum}.`;
  return maxLength === undefined ? '' : `At most ${maxLength} characters.`;
}

export const paramInputs = (schema: Schema, typed: FormEntries): Html =>
  html`${readFields(schema).map((field) => paramInput(field, typed[field.id] ?? ''))}`;

/** The same as hidden fields, for the form that confirms. */
export const hiddenParams = (typed: FormEntries): Html =>
  html`${Object.entries(typed).map(([name, value]) => hiddenField(name, value))}`;

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

function paramInput(field: Field, value: string): Html {
  const { id, name, property, isRequired } = field;
  const label = cut(property.title ?? name, 60);
  const shown = isShownAsChoice(field) ? { ...property, enum: undefined } : property;
  const hint = describe(label, shown, 400);
  const describedBy = hint === '' ? '' : html` aria-describedby="${id}-hint"`;
  const optional = isRequired ? '' : html` <span class="optional">(optional)</span>`;
  const attributes = html` id="${id}" name="${id}"${isRequired ? html` required` : ''}${describedBy}`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hint === '' ? '' : html`<span class="hint" id="${id}-hint">${hint}</span>`}${control(field, value, attributes)}</div>`;
}

const isShownAsChoice = ({ property, type }: Field): boolean =>
  property.enum === undefined ? type === 'boolean' : property.enum.length <= 100;

function control(field: Field, value: string, attributes: Html): Html {
  const { type, property, isRequired } = field;
  if (isShownAsChoice(field)) {
    const options = property.enum?.map(toText) ?? ['true', 'false'];
    return html`<select${attributes}><option value="">${isRequired ? 'Choose' : 'Not set'}</option>${options.map(
      (option) =>
        html`<option value="${option}"${option === value ? html` selected` : ''}>${cut(option, 100)}</option>`,
    )}</select>`;
  }
  if (type === 'string')
    return html`<input${attributes} value="${value}"${attribute('maxlength', property.maxLength)} autocomplete="off" spellcheck="false">`;
  if (type === 'integer' || type === 'number') {
    const bounds = [attribute('min', property.minimum), attribute('max', property.maximum)];
    return html`<input${attributes} type="number" step="${type === 'integer' ? '1' : 'any'}"${bounds} value="${value}" autocomplete="off">`;
  }
  return html`<textarea${attributes} placeholder="JSON" spellcheck="false">${value}</textarea>`;
}

const attribute = (name: 'min' | 'max' | 'maxlength', value: number | undefined): Html | string =>
  value === undefined ? '' : html` ${name}="${String(value)}"`;
