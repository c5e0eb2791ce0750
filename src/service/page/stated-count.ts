/** What a page says of the number of its rows: "40 books found", "Showing 1–20 of 40", "No results for …". */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse } from './elements.ts';
import { findPosition, toCount } from './paging.ts';
import { getLines, isHidden } from './text.ts';

export interface StatedCount {
  /** As the page writes it. */
  readonly text: string;
  readonly total: number;
  /** The last row that the page shows, counted from the first of all; undefined where it does not say. */
  readonly last?: number | undefined;
}

const number = String.raw`(\d{1,3}(?:[.,'’\s]\d{3})+|\d{1,7})`;
const results = String.raw`(?:results?|listings?|treffer\p{L}*|ergebnis\p{L}*|r[eé]sultat\p{L}*|resultad\p{L}*|risultat\p{L}*|tr[eä]ff\p{L}*|(?:haku)?tulosta|(?:haku)?tuloksia|wynik\p{L}*|результат\p{L}*|výsled\p{L}*|találat\p{L}*|sonuç\p{L}*|rezultat\p{L}*|αποτ[εέ]λ[εέ]σμα\p{L}*)`;
const found = String.raw`(?:found|gefunden|trouvée?s?|encontrad\p{L}+|encontr(?:ó|aron)|encontrou|encontraram|trovat\p{L}+|gevonden|fundet|fundne|funnet|hittad\p{L}*|löytyi|znalezion\p{L}+|найден\p{L}*|nalezen\p{L}*|bulundu|βρέθηκ\p{L}+)`;
const none = String.raw`(?:no|zero|kein\p{L}{0,2}|aucun\p{L}*|ning[uú]n\p{L}*|sin|nenhum\p{L}*|não|nessun\p{L}*|non|geen|ing(?:en|a|et)|ei|nie|nic|brak|žádn\p{L}+|nincs\p{L}*|нет|не|ничего\sне)`;
const words = String.raw`(?:\p{L}[\p{L}-]*\s)`;
/** What may follow: a sentence about fewer things than the rows goes on otherwise. */
const end = String.raw`(?=\s*(?:$|[.:;,!(|·•–"„“«‘]|\b(?:for|matching|für|zu|pour|para|por|per|voor|for|för|dla|для|по)\s))`;

const counts = [
  new RegExp(
    String.raw`^(?:about|over|circa|ca\.?|env(?:iron|\.)|etwa|rund|alle)?\s?${number}\+?\s(?:search\s)?${results}${end}`,
    'iu',
  ),
  new RegExp(String.raw`^${words}{0,2}${number}\+?\s${words}{0,3}${found}${end}`, 'iu'),
  new RegExp(String.raw`^${words}{0,2}${found}:?\s${number}\+?(?:\s${words}{0,2}\p{L}+)?${end}`, 'iu'),
  /^(?:全|共|総数|总共|총)?\s?(\d{1,7})\s?(?:件|个结果|個結果|条结果|筆|건)/u,
];
const noRows = [
  new RegExp(
    String.raw`(?<![\p{L}\d.,])(?:(?:${none}|0)\s${words}{0,2}?(?:${results}|${found}))(?:\s${results})?(?!\p{L})`,
    'iu',
  ),
  /nothing (?:was )?found|did(?: not|n['’]t) match any(?:thing)?|could(?: not|n['’]t) find any(?:thing)?|nichts gefunden|rien trouvé|niets gevonden|intet fundet|inget hittades|nic nenalezeno|sonuç bulunamadı|見つかりません|該当(?:する.{0,8})?(?:なし|ありません)|没有(?:找到|结果)|未找到|검색 ?결과가 ?없/iu,
];

/** Characters of an element that says a number and little else. */
const maxLength = 200;
/** Words before "no results": "Sorry, we found". */
const maxBefore = 40;
/** Other lists, choices and ways to them. */
const elsewhere = new Set(
  'a aside button footer label nav noscript option script select style template'.split(' '),
);

/** Rather than a count. */
export const looksLikeYear = (written: string) => /^(?:19|20)\d\d$/.test(written);

function readCount(line: string): StatedCount | undefined {
  const position = findPosition(line);
  if (position !== undefined) return position;
  for (const form of counts) {
    const [text, written = ''] = form.exec(line) ?? [];
    if (text !== undefined && !looksLikeYear(written)) return { text: text.trim(), total: toCount(written) };
  }
  return undefined;
}

function readNone(line: string): string | undefined {
  const match = noRows.map((form) => form.exec(line)).find((found) => found !== null);
  return match === undefined || match.index > maxBefore ? undefined : match[0];
}

/** The lines of the page's short texts beside these rows. */
function linesBeside(html: CheerioAPI, rows: ReadonlySet<AnyNode>): string[] {
  const lines: string[] = [];
  const others = new Set<string>();
  const small = (element: Element): void => {
    if (isHidden(element)) return;
    if (elsewhere.has(element.name)) {
      for (const line of getLines(element)) others.add(line);
      return;
    }
    lines.push(...getLines(element));
    for (const child of element.children) if (isTag(child)) small(child);
  };
  /** The length of the text inside; undefined where it is more than that of a small element. */
  const visit = (node: AnyNode): number | undefined => {
    if (isText(node)) return node.data.trim().length;
    if (rows.has(node)) return undefined;
    if (!('children' in node) || (isTag(node) && (elsewhere.has(node.name) || isHidden(node)))) return 0;
    const lengths = node.children.map(visit);
    const length = lengths.reduce<number | undefined>(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0,
    );
    if (length !== undefined && length <= maxLength && isTag(node)) return length;
    for (const [at, child] of node.children.entries())
      if (isText(child)) lines.push(collapse(child.data));
      else if (isTag(child) && lengths[at] !== undefined) small(child);
    return undefined;
  };
  for (const node of html.root().toArray()) visit(node);
  return lines.filter((line) => line !== '' && line.length <= maxLength && !others.has(line));
}

export interface StatedCounts {
  /** Undefined where the page says none, or different ones. */
  readonly count: StatedCount | undefined;
  /** Words by which the page denies that there are rows. */
  readonly denial: string | undefined;
}

/** `rows`: the elements in which the page is not searched. */
export function findStatedCounts(html: CheerioAPI, rows: readonly AnyNode[]): StatedCounts {
  const lines = linesBeside(html, new Set(rows));
  const [first, ...others] = lines.flatMap((line) => readCount(line) ?? []);
  return {
    count: others.some(({ total }) => total !== first?.total) ? undefined : first,
    denial: lines.map(readNone).find((said) => said !== undefined),
  };
}
