/** An action's parameters as a form, and what was typed into it. Whatever a form cannot show is typed as JSON. */
import { html } from 'hono/html';
import * as z from 'zod';
import { cut, type Html } from './html.ts';

/** Typed texts by the form's field names. */
export type Typed = Readonly<Record<string, string>>;

/** Schemas are their authors' own: whatever has another form than this is typed as JSON. */
const Property = z
  .object({
    type: z.string().optional().catch(undefined),
    title: z.string().optional().catch(undefined),
    description: z.string().optional().catch(undefined),
    enum: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .max(100)
      .optional()
      .catch(undefined),
    default: z.unknown().optional(),
    examples: z.array(z.unknown()).optional().catch(undefined),
  })
  .catch({ default: undefined });
const Schema = z
  .object({ properties: z.record(z.string(), Property).catch({}), required: z.array(z.string()).catch([]) })
  .catch({ properties: {}, required: [] });

interface Field {
  readonly id: string;
  readonly name: string;
  readonly property: z.infer<typeof Property>;
  readonly isRequired: boolean;
}

type Parameters = Readonly<Record<string, unknown>>;

const toFields = (parameters: Parameters): Field[] => {
  const { properties, required } = Schema.parse(parameters);
  // A field is found again by its place: its name may be anything.
  return Object.entries(properties).map(([name, property], index) => ({
    id: `param-${index}`,
    name,
    property,
    isRequired: required.includes(name),
  }));
};

export const paramInputs = (parameters: Parameters, typed: Typed): Html =>
  html`${toFields(parameters).map((field) => paramInput(field, typed[field.id] ?? ''))}`;

/** The same as hidden fields, for the form that confirms. */
export const hiddenParams = (typed: Typed): Html =>
  html`${Object.entries(typed).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;

/** An empty field is not sent. `problems` name fields whose text is not of their type. */
export function readParams(parameters: Parameters, form: URLSearchParams) {
  const params: Record<string, unknown> = {};
  const typed: Record<string, string> = {};
  const problems: string[] = [];
  for (const { id, name, property } of toFields(parameters)) {
    const text = form.get(id) ?? '';
    if (text === '') continue;
    typed[id] = text;
    const value = paramValue(property, text);
    if (value === undefined) problems.push(`${cut(name, 60)} is not valid JSON`);
    else params[name] = value;
  }
  return { params, typed, problems };
}

/** Undefined for text that is no JSON where JSON is asked for. */
function paramValue({ type, enum: choices }: Field['property'], text: string): unknown {
  const choice = choices?.find((choice) => String(choice) === text);
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

function paramInput({ id, name, property, isRequired }: Field, value: string): Html {
  const label = cut(property.title ?? name, 60);
  const hint = cut(
    [property.description?.trim().replace(/(?<![.!?:])$/, '.'), getExample(property)]
      .filter(Boolean)
      .join(' '),
    400,
  );
  const describedBy = hint === '' ? '' : html` aria-describedby="${id}-hint"`;
  const optional = isRequired ? '' : html` <span class="optional">(optional)</span>`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hint === '' ? '' : html`<span class="hint" id="${id}-hint">${hint}</span>`}${control(id, property, { value, isRequired, describedBy })}</div>`;
}

function control(
  id: string,
  { type, enum: choices }: Field['property'],
  { value, isRequired, describedBy }: { value: string; isRequired: boolean; describedBy: Html | string },
): Html {
  const attributes = html` id="${id}" name="${id}"${isRequired ? html` required` : ''}${describedBy}`;
  const options = choices?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  if (options !== undefined) {
    return html`<select${attributes}><option value="">${isRequired ? 'Choose' : 'Not set'}</option>${options.map(
      (option) =>
        html`<option value="${option}"${option === value ? html` selected` : ''}>${cut(option, 100)}</option>`,
    )}</select>`;
  }
  if (type === 'string')
    return html`<input${attributes} value="${value}" autocomplete="off" spellcheck="false">`;
  if (type === 'integer' || type === 'number') {
    return html`<input${attributes} type="number" step="${type === 'integer' ? '1' : 'any'}" value="${value}" autocomplete="off">`;
  }
  return html`<textarea${attributes} placeholder="JSON" spellcheck="false">${value}</textarea>`;
}

function getExample({ default: fallback, examples }: Field['property']): string {
  if (fallback !== undefined) return `Default: ${JSON.stringify(fallback)}.`;
  return examples === undefined || examples.length === 0 ? '' : `Example: ${JSON.stringify(examples[0])}.`;
}
