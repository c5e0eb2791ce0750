/** JSON in the attributes of elements: the props of components that a page hands to its scripts. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, isTag } from 'domhandler';
import type { Json } from './document.ts';
import { evaluateExpression } from './javascript-data.ts';
import { resolveReferences } from './references.ts';

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Astro's islands: each value with the number of its type, 0 for what is JSON and 1 for lists. */
function removeTypeTags(tagged: unknown): unknown {
  if (!Array.isArray(tagged)) return null;
  const [type, value] = tagged;
  if (Array.isArray(value)) return type === 1 || type === 5 ? value.map(removeTypeTags) : value;
  return type === 0 && isRow(value) ? untaggedProps(value) : value;
}
const untaggedProps = (props: Row) =>
  Object.fromEntries(Object.entries(props).map(([key, value]) => [key, removeTypeTags(value)]));

/** Livewire: lists and objects that PHP has classes for, each with a note of its kind: `[[…], {"s": "arr"}]`. */
function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [inner, note] = value;
    const isNoted =
      value.length === 2 && typeof inner === 'object' && isRow(note) && typeof note.s === 'string';
    return isNoted ? withoutNotes(inner) : value.map(withoutNotes);
  }
  if (!isRow(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutNotes(entry)]));
}

async function parseValue(text: string): Promise<unknown> {
  if (!/^\s*(?:[{[]|JSON\.parse\()/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Vue and Alpine: an expression.
    return evaluateExpression(text);
  }
}

/** What the attribute of each matching element holds; elements without data in it are left out. */
export async function readAttributeValues(
  html: CheerioAPI,
  selector: string,
  attribute: string,
): Promise<{ readonly element: AnyNode; readonly value: Json }[]> {
  const matches: { element: AnyNode; value: unknown }[] = [];
  for (const element of html(selector).toArray()) {
    if (!isTag(element)) continue;
    const value = await parseValue(element.attribs[attribute] ?? '');
    if (typeof value !== 'object' || value === null) continue;
    const plain =
      element.name === 'astro-island' && isRow(value)
        ? untaggedProps(value)
        : attribute.startsWith('wire:')
          ? withoutNotes(value)
          : value;
    matches.push({ element, value: plain });
  }
  const values = resolveReferences(matches.map(({ value }) => value));
  return matches.map(({ element }, index) => ({
    element,
    value: Array.isArray(values) ? (values[index] ?? null) : null,
  }));
}
