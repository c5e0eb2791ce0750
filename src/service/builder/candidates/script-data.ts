/** The data that a page embeds for its own scripts as JSON. */
import type { CheerioAPI } from 'cheerio/slim';
import { isTag } from 'domhandler';
import { readScriptValues, type ScriptValue } from '../../page/scripts.ts';
import type { Structure } from './candidate.ts';
import { structuresInJson } from './json-structures.ts';

const maxScripts = 40;
const maxStructures = 8;

export function findScriptData(html: CheerioAPI): Structure[] {
  const scripts = 'script:not([src]):not([type="application/ld+json"])';
  const structures: Structure[] = [];
  const bySelector = new Map<string, ScriptValue[]>();
  for (const held of readScriptValues(html, scripts).slice(0, maxScripts)) {
    const selector = scriptSelector(html, held);
    if (selector === undefined) continue;
    const matches = bySelector.get(selector) ?? readScriptValues(html, selector);
    bySelector.set(selector, matches);
    const index = matches.findIndex(({ script }) => script === held.script);
    if (index >= 0) structures.push(...structuresInJson(held.value, `[${index}]`, selector));
  }
  return structures.slice(0, maxStructures);
}

/** A selector by the script's id, by the variable that it assigns, or by its type. */
function scriptSelector(html: CheerioAPI, { script, name }: ScriptValue): string | undefined {
  const { id, type } = isTag(script) ? script.attribs : {};
  if (id !== undefined && /^[\w-]+$/.test(id)) return `script[id="${id}"]`;
  if (name === undefined) return type === undefined ? undefined : `script[type="${type}"]`;
  // Numbers in names change with the site's next release.
  const names = [name, name.split('.').at(-1) ?? ''].filter((one) => one.length >= 3 && !/\d{2}/.test(one));
  const selectors = names.map((one) => `script:contains("${one}")`);
  return selectors.find((selector) => html(selector).length === 1) ?? selectors[0];
}
