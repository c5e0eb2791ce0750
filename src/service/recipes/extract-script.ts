/** JSON inside of an HTML page's scripts: JSON-LD, the state that an application starts from, and items of microdata. */
import type { CheerioAPI } from 'cheerio/slim';
import type { AnyNode } from 'domhandler';
import type { Json } from './document.ts';
import { isItem, readItem } from './extract-item.ts';
import { isFlattened, unflatten, unflattenStream } from './flattened.ts';
import { flightRows } from './flight.ts';
import { type AssignedValue, evaluateExpression, readAssignedValues } from './javascript-data.ts';
import { resolveReferences } from './references.ts';

/** What a script holds. */
export interface ScriptValue {
  readonly script: AnyNode;
  readonly value: Json;
}

/** A script that is JSON, or what one in JavaScript writes down. */
type Reading = { readonly json: unknown } | { readonly written: readonly AssignedValue[] };
/** Scripts that were read, for those who look at them again. */
export type Readings = Map<AnyNode, Reading>;

/** Values that frameworks write in pieces, by the function that is given the pieces. */
const streams: readonly {
  readonly name: RegExp;
  readonly piece: (value: unknown) => unknown;
  readonly whole: (text: string) => unknown;
}[] = [
  {
    name: /__next_f\.push$/,
    piece: (value) => (Array.isArray(value) ? value[1] : undefined),
    whole: flightRows,
  },
  { name: /streamController\.enqueue$/, piece: (value) => value, whole: unflattenStream },
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const angularQuotes: Readonly<Record<string, string>> = { q: '"', s: "'", a: '&', l: '<', g: '>' };

/** What is JSON at once, or in the one assignment or call that the script is: no syntax tree is needed for it. */
function findJson(text: string): Reading | undefined {
  const whole = parsed(text);
  if (whole !== undefined) return { json: whole };
  if (text.includes('&q;')) {
    const json = parsed(text.replace(/&([qsalg]);/g, (_, letter: string) => angularQuotes[letter] ?? ''));
    if (json !== undefined) return { json };
  }
  const [head, name, mark] =
    /^(?:(?:var|let|const)\s+)?([\w$.]{1,100})\s*(=|\()\s*(?=[{["])/.exec(text) ?? [];
  if (head === undefined || name === undefined) return undefined;
  const argument = text.slice(head.length).replace(/;$/, '').trimEnd();
  const value = parsed(mark === '(' ? argument.replace(/\)$/, '') : argument);
  return value === undefined ? undefined : { written: [{ value, name }] };
}

/** Marks that hide a script from old browsers or from XML: comments and CDATA sections. */
const openingMark = /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)/;
const closingMark = /(?:-->|(?:\/\/|\/\*)?\s*\]\]>(?:\s*\*\/)?)$/;
/** Characters at a script's end in which its closing mark stands: to look for it anywhere takes quadratic time. */
const closingMarkChars = 200;

function removeMarks(text: string): string {
  const script = text.trim().replace(openingMark, '');
  const end = Math.max(0, script.length - closingMarkChars);
  return (script.slice(0, end) + script.slice(end).replace(closingMark, '')).trim();
}

async function readScript(text: string): Promise<Reading> {
  const script = removeMarks(text);
  const json = findJson(script);
  if (json !== undefined) return json;
  if (/^[{[]/.test(script)) {
    // Nearly JSON: line breaks in texts, or commas after the last entry.
    const line = script.replace(/\p{Cc}+/gu, ' ');
    const value = parsed(line) ?? (await evaluateExpression(line));
    if (typeof value === 'object' && value !== null) return { json: value };
  }
  return { written: /[{["'`]/.test(script) ? await readAssignedValues(script) : [] };
}

/** Values that are counted where it is judged how much a script says. */
const maxCounted = 100_000;

/** Roughly the characters of its texts. */
function countValues(value: unknown): number {
  let extent = 0;
  const open: unknown[] = [value];
  for (let count = 0; count < maxCounted && open.length > 0; count++) {
    const node = open.pop();
    if (typeof node === 'object' && node !== null) for (const entry of Object.values(node)) open.push(entry);
    extent += typeof node === 'string' ? node.length + 1 : 1;
  }
  return extent;
}

/** The value that says most among those that a script assigns. */
export function findMain(written: readonly AssignedValue[]): AssignedValue | undefined {
  const [first, ...others] = written;
  if (first === undefined || others.length === 0) return first;
  const measured = written.map((assigned) => ({ assigned, extent: countValues(assigned.value) }));
  return measured.reduce((most, next) => (next.extent > most.extent ? next : most)).assigned;
}

/**
 * What each of the matching scripts holds: the JSON that it is, or the longest value that it writes down. What a
 * framework writes in pieces counts as held by the first script with a piece. Scripts without data are left out. An element
 * that is an item of microdata or RDFa holds that item.
 */
export async function readScriptValues(
  html: CheerioAPI,
  selector: string,
  readings: Readings = new Map(),
): Promise<ScriptValue[]> {
  const entries: { script: AnyNode; value: unknown }[] = [];
  const pieces = new Map<(typeof streams)[number], { held: { value: unknown }; text: string }>();
  for (const script of html(selector).toArray()) {
    if (isItem(script)) {
      // An item inside of another one is a part of that one.
      if (html(script).parents(selector).length === 0) entries.push({ script, value: readItem(script) });
      continue;
    }
    const reading = readings.get(script) ?? (await readScript(html(script).text()));
    readings.set(script, reading);
    if ('json' in reading) {
      entries.push({ script, value: isFlattened(reading.json) ? unflatten(reading.json) : reading.json });
      continue;
    }
    const rest: AssignedValue[] = [];
    for (const assigned of reading.written) {
      const stream = streams.find(({ name }) => name.test(assigned.name));
      if (stream === undefined) rest.push(assigned);
      const piece = stream?.piece(assigned.value);
      if (stream === undefined || typeof piece !== 'string') continue;
      const existing = pieces.get(stream);
      if (existing === undefined) {
        const withValue = { script, value: undefined };
        entries.push(withValue);
        pieces.set(stream, { held: withValue, text: piece });
      } else existing.text += piece;
    }
    const main = findMain(rest);
    if (main !== undefined && typeof main.value === 'object') entries.push({ script, value: main.value });
  }
  for (const [stream, { held: withValue, text }] of pieces) withValue.value = stream.whole(text);
  const withValue = entries.filter(({ value }) => value !== undefined);
  const values = resolveReferences(withValue.map(({ value }) => value));
  return withValue.map(({ script }, index) => ({
    script,
    value: Array.isArray(values) ? (values[index] ?? null) : null,
  }));
}
