/** The data that a page embeds for its own scripts, in script elements and in attributes. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { readAttributeValues } from '../../recipes/extract-attribute.ts';
import { findMain, type Readings, readScriptValues } from '../../recipes/extract-script.ts';
import { selectorName } from '../page/elements.ts';
import type { Structure } from './candidate.ts';
import { structuresInJson } from './json-structures.ts';

const maxSelectors = 40;
/** Elements that are looked at for JSON in their attributes. */
const maxElements = 20_000;
const maxAttributes = 20;
const minLength = 20;

/** Adds every value that it reads to `values`, for other finders. */
export async function findPageState(html: CheerioAPI, values: unknown[]): Promise<Structure[]> {
  return [...(await inScripts(html, values)), ...(await inAttributes(html, values))];
}

async function inScripts(html: CheerioAPI, values: unknown[]): Promise<Structure[]> {
  const scripts = 'script:not([src]):not([type="application/ld+json"])';
  const readings: Readings = new Map();
  const selectors = new Set<string>();
  for (const { script } of await readScriptValues(html, scripts, readings)) {
    const selector = isTag(script) ? scriptSelector(html, script, readings) : undefined;
    if (selector !== undefined && selectors.size < maxSelectors) selectors.add(selector);
  }
  const seen = new Set<unknown>();
  const structures: Structure[] = [];
  for (const selector of selectors)
    for (const [index, { script, value }] of (await readScriptValues(html, selector, readings)).entries()) {
      if (seen.has(script)) continue;
      seen.add(script);
      values.push(value);
      structures.push(...structuresInJson(value, `[${index}]`, { script: selector }));
    }
  return structures;
}

/** A selector by the script's id, by the variable that it assigns, or by its type. */
function scriptSelector(html: CheerioAPI, script: Element, readings: Readings): string | undefined {
  const { id, type } = script.attribs;
  if (id !== undefined && /^[\w-]+$/.test(id)) return `script[id="${id}"]`;
  const reading = readings.get(script);
  if (reading === undefined || !('written' in reading))
    return type === undefined ? undefined : `script[type="${type}"]`;
  const text = html(script).text();
  const names = [findMain(reading.written), ...reading.written]
    .flatMap((value) => (value === undefined ? [] : [value.name, value.name.split('.').at(-1) ?? '']))
    // A number in a name changes with the next release.
    .filter((name) => name.length >= 3 && text.includes(name) && !/\d{2}|"/.test(name));
  const selectors = [...new Set(names)].slice(0, 6).map((name) => `script:contains("${name}")`);
  return selectors.find((selector) => html(selector).length === 1) ?? selectors[0];
}

/** The elements with JSON in an attribute, by the attribute's name. */
function findHolders(html: CheerioAPI): Map<string, Element[]> {
  const holders = new Map<string, Element[]>();
  for (const element of html('*').toArray().filter(isTag).slice(0, maxElements))
    for (const [name, value] of Object.entries(element.attribs)) {
      if (value.length < minLength || !/^\s*(?:[{[]|JSON\.parse\()/.test(value)) continue;
      const others = holders.get(name);
      if (others !== undefined) others.push(element);
      else if (holders.size < maxAttributes && /^[:@\w.-]+$/.test(name)) holders.set(name, [element]);
    }
  return holders;
}

async function inAttributes(html: CheerioAPI, values: unknown[]): Promise<Structure[]> {
  const structures: Structure[] = [];
  for (const [attribute, elements] of findHolders(html)) {
    const select = attributeSelector(attribute, elements);
    const location = { select, attribute };
    const held = (await readAttributeValues(html, select, attribute)).map(({ value }) => value);
    for (const [index, value] of held.slice(0, 3).entries()) {
      values.push(value);
      structures.push(...structuresInJson(value, `[${index}]`, location));
    }
  }
  return structures;
}

function attributeSelector(attribute: string, elements: readonly Element[]): string {
  const [first] = elements;
  const id = first?.attribs.id;
  if (elements.length === 1 && id !== undefined && /^[A-Za-z][\w-]*$/.test(id)) return `#${id}`;
  const names = new Set(elements.map(({ name }) => name));
  return `${names.size === 1 ? (first?.name ?? '') : ''}[${selectorName(attribute)}]`;
}
