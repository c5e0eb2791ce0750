/** JSON inside an HTML page: JSON-LD, scripts that are JSON or assign it to a name, and items of microdata. */
import type { CheerioAPI } from 'cheerio/slim';
import type { AnyNode } from 'domhandler';
import type { JmespathValue } from './document.ts';
import { isItem, readItem } from './items.ts';
import { followIds } from './linked-ids.ts';

/** The data of a script. */
export interface ScriptValue {
  readonly script: AnyNode;
  readonly value: JmespathValue;
  /** The name that the script assigns it to: `window.__STATE__`. */
  readonly name?: string | undefined;
}

/** Markup that hides a script from old browsers or from XML: comments and CDATA sections. */
const openingMark = /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)/;
const closingMark = /(?:-->|(?:\/\/|\/\*)?\s*\]\]>(?:\s*\*\/)?)$/;
/** Characters at a script's end that are searched for its closing mark: searching anywhere takes quadratic time. */
const closingMarkChars = 200;

function removeMarks(text: string): string {
  const script = text.trim().replace(openingMark, '');
  const end = Math.max(0, script.length - closingMarkChars);
  return (script.slice(0, end) + script.slice(end).replace(closingMark, '')).trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Repairs common mistakes in JSON: line breaks and `\'` inside of strings, commas after the last entry. An unterminated
 * string matches up to the end; otherwise the search for its end would restart at each quote.
 */
const repaired = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/g, (found) =>
      found === ',' ? '' : found.replace(/(\\["\\/bfnrtu])|\\(.)/g, '$1$2'),
    );

/** `name = {…}`, the whole script. */
const assignment = /^(?:(?:var|let|const)\s+)?([\w$.]{1,100})\s*=\s*(?=[{[])/;

/** The JSON that a script is or assigns. JavaScript is not parsed: pages filled only by scripts need a browser. */
function readScript(text: string): { readonly value: unknown; readonly name?: string } {
  const plain = removeMarks(text);
  const [head = '', name] = assignment.exec(plain) ?? [];
  if (name === undefined)
    return { value: parsed(plain) ?? (/^[{[]/.test(plain) ? parsed(repaired(plain)) : undefined) };
  return { value: parsed(plain.slice(head.length).replace(/;$/, '')), name };
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
