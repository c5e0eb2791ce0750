/** JSON inside an HTML page: JSON-LD, scripts that are JSON or assign it to a name, and items of microdata. */
import type { CheerioAPI } from 'cheerio/slim';
import type { AnyNode } from 'domhandler';
import { exceededLimit, maxJsonDepth } from '../../contract/json-limits.ts';
import { isItem, readItem } from './items.ts';
import { type JmespathValue, readJsonText } from './json.ts';
import { followIds } from './linked-ids.ts';

/** The data of a script. */
export interface ScriptValue {
  readonly script: AnyNode;
  readonly value: JmespathValue;
  /** The name that the script assigns it to: `window.__STATE__`. */
  readonly name?: string | undefined;
}

/** `name = {…}`, the whole script, also in a comment or a CDATA section. */
const assignment =
  /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)?\s*(?:(?:var|let|const)\s+)?([\w$.]{1,100})\s*=\s*(?=[{[])/;

/** The JSON that a script is or assigns. JavaScript is not parsed: pages filled only by scripts need a browser. */
function readScript(source: string): { readonly value: unknown; readonly name?: string } {
  const text = source.trim();
  if (exceededLimit(text, { depth: maxJsonDepth }) !== undefined) return { value: undefined };
  const [head = '', name] = assignment.exec(text) ?? [];
  const value = readJsonText(text.slice(head.length))?.value;
  return name === undefined ? { value } : { value, name };
}

interface Held {
  readonly script: AnyNode;
  readonly value: unknown;
  readonly name?: string;
}

/**
 * The data of each matching script, and the item at each matching element of microdata or RDFa; others are left out.
 */
export function readScriptValues(html: CheerioAPI, selector: string): ScriptValue[] {
  const held = html(selector)
    .toArray()
    .flatMap((script): Held[] => {
      if (!isItem(script)) return [{ script, ...readScript(html(script).text()) }];
      // A nested item is part of the outer one.
      return html(script).parents(selector).length === 0 ? [{ script, value: readItem(script) }] : [];
    })
    .filter(({ value }) => value !== undefined);
  const values = followIds(held.map(({ value }) => value));
  return held.map(({ script, name }, index) => ({ script, name, value: values[index] ?? null }));
}
