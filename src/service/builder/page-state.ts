/** The state that a page brings along for its scripts: in scripts, and in attributes of its elements. */

import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { heldInAttribute } from '../recipes/extract-attribute.ts';
import { heldBy, mainOf, type Readings } from '../recipes/extract-script.ts';
import type { Candidate } from './candidate.ts';
import { selectorName } from './elements.ts';
import { isRow } from './json-columns.ts';
import { listCandidate, listsIn, type Place, recordCandidate, recordsIn } from './json-lists.ts';
import { asShown, type Shown } from './shown-values.ts';
import { wordsOf } from './words.ts';

const maxSelectors = 40;

function candidatesIn(
  value: unknown,
  start: string,
  place: Place,
  words: readonly string[],
  shown: Shown,
): Candidate[] {
  const lists = listsIn(value, start).map((found) =>
    listCandidate('page state', { ...found, about: [...words, ...found.about] }, place),
  );
  const records = recordsIn(value, start).map((found) =>
    recordCandidate('page state', { ...found, about: [...words, ...found.about] }, place),
  );
  return [...lists, ...records]
    .filter((candidate) => candidate !== undefined)
    .map((candidate) => asShown(candidate, shown));
}

/** `values` takes what is read, for those who look for something else in it. */
export async function stateCandidates(
  html: CheerioAPI,
  shown: Shown,
  values: unknown[] = [],
): Promise<Candidate[]> {
  const found = await scriptCandidates(html, shown, values);
  return [...found, ...(await attributeCandidates(html, shown, values))];
}

async function scriptCandidates(html: CheerioAPI, shown: Shown, values: unknown[]): Promise<Candidate[]> {
  const scripts = 'script:not([src]):not([type="application/ld+json"])';
  const readings: Readings = new Map();
  const selectors = new Set<string>();
  for (const { script } of await heldBy(html, scripts, readings)) {
    const selector = isTag(script) ? selectorOf(html, script, readings) : undefined;
    if (selector !== undefined && selectors.size < maxSelectors) selectors.add(selector);
  }
  const seen = new Set<unknown>();
  const candidates: Candidate[] = [];
  for (const selector of selectors) {
    for (const [index, { script, value }] of (await heldBy(html, selector, readings)).entries()) {
      if (seen.has(script)) continue;
      seen.add(script);
      values.push(value);
      candidates.push(...candidatesIn(value, `[${index}]`, { script: selector }, [], shown));
    }
  }
  return candidates;
}

/** By its id, what it writes its data to, or its type. */
function selectorOf(html: CheerioAPI, script: Element, readings: Readings): string | undefined {
  const { id, type } = script.attribs;
  if (id !== undefined && /^[\w-]+$/.test(id)) return `script[id="${id}"]`;
  const reading = readings.get(script);
  if (reading !== undefined && 'written' in reading) {
    const text = html(script).text();
    const names = [mainOf(reading.written), ...reading.written]
      .flatMap((one) => (one === undefined ? [] : [one.name, one.name.split('.').at(-1) ?? '']))
      // Numbers in names are those of one release.
      .filter((name) => name.length >= 3 && text.includes(name) && !/\d{2}|"/.test(name));
    const selectors = [...new Set(names)].slice(0, 6).map((name) => `script:contains("${name}")`);
    return selectors.find((selector) => html(selector).length === 1) ?? selectors[0];
  }
  return type === undefined ? undefined : `script[type="${type}"]`;
}

/** Elements that are looked at for JSON in their attributes. */
const maxElements = 20_000;
const maxAttributes = 20;
const minLength = 20;

async function attributeCandidates(html: CheerioAPI, shown: Shown, values: unknown[]): Promise<Candidate[]> {
  const holders = new Map<string, Element[]>();
  for (const element of html('*').toArray().slice(0, maxElements)) {
    if (!isTag(element)) continue;
    for (const [name, value] of Object.entries(element.attribs)) {
      if (value.length < minLength || !/^\s*(?:[{[]|JSON\.parse\()/.test(value)) continue;
      const known = holders.get(name);
      if (known !== undefined) known.push(element);
      else if (holders.size < maxAttributes && /^[:@\w.-]+$/.test(name)) holders.set(name, [element]);
    }
  }
  const candidates: Candidate[] = [];
  for (const [attribute, elements] of holders) {
    const select = selectorFor(attribute, elements);
    const place = { select, attribute };
    const words = wordsOf(attribute.replace(/^data-/, ''));
    const held = (await heldInAttribute(html, select, attribute)).map(({ value }) => value);
    // An object each: the rows themselves.
    const objects = held.flatMap((value: unknown) => (isRow(value) ? [value] : []));
    if (objects.length >= 2 && objects.length === held.length) {
      const rows = listCandidate('page state', { list: '[]', rows: objects, about: words }, place);
      if (rows !== undefined) candidates.push(asShown(rows, shown));
    }
    for (const [index, value] of held.slice(0, 3).entries()) {
      values.push(value);
      candidates.push(...candidatesIn(value, `[${index}]`, place, words, shown));
    }
  }
  return candidates;
}

function selectorFor(attribute: string, elements: readonly Element[]): string {
  const [first] = elements;
  const id = first?.attribs.id;
  if (elements.length === 1 && id !== undefined && /^[A-Za-z][\w-]*$/.test(id)) return `#${id}`;
  const names = new Set(elements.map(({ name }) => name));
  return `${names.size === 1 ? (first?.name ?? '') : ''}[${selectorName(attribute)}]`;
}
