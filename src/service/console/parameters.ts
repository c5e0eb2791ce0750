/** An action's parameters, as far as a table can show them; the schema itself stands beside it. */
import { html } from 'hono/html';
import * as z from 'zod';
import { cut, type Html, table } from './html.ts';

/** Schemas are their authors' own: whatever has another form than this is left to the JSON. */
const Property = z
  .object({
    type: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .catch(undefined),
    description: z.string().optional().catch(undefined),
    enum: z.array(z.unknown()).optional().catch(undefined),
    default: z.unknown().optional(),
  })
  .catch({ default: undefined });
const Schema = z
  .object({
    properties: z.record(z.string(), Property).catch({}),
    required: z.array(z.string()).catch([]),
  })
  .catch({ properties: {}, required: [] });

const maxRows = 100;
/** Characters. */
const maxSchemaLength = 20_000;

export function parameters(actionName: string, schema: Readonly<Record<string, unknown>>): Html {
  const { properties, required } = Schema.parse(schema);
  const rows = Object.entries(properties)
    .slice(0, maxRows)
    .map(
      ([
        name,
        property,
      ]) => html`<tr><th scope="row"><code>${cut(name, 100)}</code> <span class="optional">${required.includes(name) ? 'required' : 'optional'}</span></th>
<td>${describeType(property)}</td>
<td>${describe(property)}</td></tr>`,
    );
  return html`${
    rows.length === 0
      ? html`<p class="quiet">No parameters.</p>`
      : table(
          `Parameters of ${actionName}`,
          html`<tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">Meaning</th></tr>`,
          rows,
        )
  }
<details><summary>JSON Schema<span class="visually-hidden"> of ${actionName}</span></summary>
<pre tabindex="0">${cut(JSON.stringify(schema, undefined, 2), maxSchemaLength)}</pre></details>`;
}

const describeType = ({ type }: z.infer<typeof Property>): string =>
  cut([type ?? 'any'].flat().join(' or '), 60);

function describe(property: z.infer<typeof Property>): string {
  const choices = property.enum && `One of: ${property.enum.slice(0, 20).map(valueText).join(', ')}.`;
  const fallback = property.default === undefined ? undefined : `Default: ${valueText(property.default)}.`;
  const description = property.description?.trim().replace(/(?<![.!?:])$/, '.');
  return cut([description, choices, fallback].filter((text) => text && text !== '.').join(' '), 600);
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
