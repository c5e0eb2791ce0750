/**
 * What a page says of the number of its rows. Surely: "40 books found", "Showing 1–20 of 40", "No results for …", wherever it
 * stands. Perhaps, of anything and beside the rows only: "30 products", "and 20 more".
 */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse, getElements, getParent, isWithin, shownText } from './elements.ts';
import { findPosition, toCount } from './further-page.ts';
import { getLines, isHidden } from './text.ts';

export interface StatedCount {
  /** As the page writes it. */
  readonly text: string;
  /** At least so many, where the page says only that the list is cut. */
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

/** What may be said of things that are counted, before or behind them. */
const present = String.raw`(?:open|current|active|available|upcoming|live|total|offene\p{L}?|aktuelle\p{L}?|aktive\p{L}?|verfügbare?\p{L}?|kommende\p{L}?|ouvert\p{L}*|disponib\p{L}+|actuel\p{L}*|abiert\p{L}*|activ\p{L}+|apert\p{L}|beschikba\p{L}+|lediga?)`;
/** A number of anything and nothing else, and a number of more: what else such a line says may be of something else. */
const anything = [
  new RegExp(String.raw`^${number}\s(?:${present}\s)?\p{L}[\p{L}-]{3,}(?:\s${present})?$`, 'iu'),
  new RegExp(String.raw`^\p{L}[\p{L}\s-]*\s?\(${number}\)$`, 'u'),
];
const more = [
  new RegExp(String.raw`^\+\s?(?=[1-9])${number}(?:\s\p{L}+){0,2}$`, 'u'),
  new RegExp(
    String.raw`^(?:and|und|et|y|e|en|och|og)\s(?=[1-9])${number}\s(?:\p{L}+\s)?(?:more|others?|weitere\p{L}*|autres?|más|altri|meer|till|flere)(?:\s\p{L}+)?$`,
    'iu',
  ),
];

const only =
  '(?:only|just|nur|lediglich|seule?s?|uniquement|s[oó]lo|solamente|únicamente|soltanto|apenas|somente|alleen|slechts|kun|endast|bara|vain|tylko|pouze|jen|только)';
const first = String.raw`(?:first|ersten?|premi[eè]re?s?|primer[oa]?s|prim[ie]|primeir[oa]s|eerste|første|första|ensimmäis\p{L}+|pierwsz\p{L}+|prvních|перв\p{L}+)`;
const limited = String.raw`(?:limit(?:ed|é\p{L}*|ad[oa]s?|at[oaei]|iert)|restricted|restreint\p{L}*|capped|truncated|beschränkt|begrenzt|begränsa\p{L}*|begrænset|beperkt|ograniczon\p{L}+|omezen\p{L}*|rajattu|ограничен\p{L}*)`;
/** "Results limited to 5", "only the first 5 are shown": words of a list that is cut behind so many. */
const cut = [
  new RegExp(String.raw`(?<!\p{L})${limited}\s${words}{0,3}${number}(?![\p{L}\d%])`, 'iu'),
  new RegExp(
    String.raw`(?<!\p{L})${only}\s${words}{0,3}?(?:${first}\s${number}|${number}\s${first})(?!\p{L})`,
    'iu',
  ),
  new RegExp(String.raw`(?<!\p{L})${first}\s${number}\s${results}(?!\p{L})`, 'iu'),
];

/** Characters of an element that says a number and little else. */
const maxLength = 200;
/** Words before "no results": "Sorry, we found". */
const maxBefore = 40;
/** Choices and ways to other lists. */
const ways = 'a aside button footer label nav noscript option script select style template'.split(' ');
const elsewhere = new Set(ways);
const elsewhereOrList = new Set([...ways, ...'dl form ol table ul'.split(' ')]);
/** Levels of the blocks around the rows in which their head and foot stand. */
const levels = 2;

/** Rather than a count. */
const looksLikeYear = (written: string) => /^(?:19|20)\d\d$/.test(written);

/** The number in a line of one of these forms, which is no year. */
function readForm(line: string, forms: readonly RegExp[]): StatedCount | undefined {
  for (const form of forms) {
    const [text, written = ''] = form.exec(line) ?? [];
    if (text !== undefined && !looksLikeYear(written)) return { text: text.trim(), total: toCount(written) };
  }
  return undefined;
}

function readNone(line: string): string | undefined {
  const match = noRows.map((form) => form.exec(line)).find((found) => found !== null);
  return match === undefined || match.index > maxBefore ? undefined : match[0];
}

interface Line {
  readonly text: string;
  /** Whether its element says nothing elsewhere, something, or is elsewhere. */
  readonly place: 'here' | 'mixed' | 'elsewhere';
}

/** The lines of an element and of those inside. */
function linesIn(element: Element, others: ReadonlySet<string>): Line[] {
  if (isHidden(element)) return [];
  const own = getLines(element);
  if (others.has(element.name)) return own.map((text) => ({ text, place: 'elsewhere' }));
  const inner = getElements(element).flatMap((child) => linesIn(child, others));
  const place = inner.some((line) => line.place !== 'here') ? 'mixed' : 'here';
  return [...own.map((text) => ({ text, place }) as const), ...inner];
}

/** The lines of the page's short texts outside of these rows. */
function linesOutside(html: CheerioAPI, rows: ReadonlySet<AnyNode>): string[] {
  const lines: Line[] = [];
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
      if (isText(child)) lines.push({ text: collapse(child.data), place: 'here' });
      else if (isTag(child) && lengths[at] !== undefined) lines.push(...linesIn(child, elsewhere));
    return undefined;
  };
  for (const node of html.root().toArray()) visit(node);
  const others = new Set(lines.filter(({ place }) => place === 'elsewhere').map(({ text }) => text));
  return lines
    .map(({ text }) => text)
    .filter((text) => text !== '' && text.length <= maxLength && !others.has(text));
}

export interface StatedCounts {
  /** Undefined where the page says none, or different ones. */
  readonly count: StatedCount | undefined;
  /** Words by which the page denies that there are rows. */
  readonly denial: string | undefined;
}

/** What is said surely. `rows`: the elements in which the page is not searched. */
export function findStatedCounts(html: CheerioAPI, rows: readonly AnyNode[]): StatedCounts {
  const lines = linesOutside(html, new Set(rows));
  const [first, ...others] = lines.flatMap((line) => findPosition(line) ?? readForm(line, counts) ?? []);
  return {
    count: others.some(({ total }) => total !== first?.total) ? undefined : first,
    denial: lines.map(readNone).find((said) => said !== undefined),
  };
}

/** The lines of the short elements beside the blocks that hold all of these rows, or tables. */
function linesBeside(rows: readonly Element[]): Line[] {
  const blocks: Element[] = [];
  const [first = null] = rows;
  for (
    let block = first === null || first.name === 'table' ? first : getParent(first);
    blocks.length < levels && block !== null && block.name !== 'body';
    block = getParent(block)
  )
    blocks.push(block);
  return blocks
    .filter((block) => rows.every((row) => isWithin(row, block)))
    .flatMap((block) => block.parent?.children.filter((other) => other !== block) ?? [])
    .filter((other) => isTag(other))
    .filter((other) => shownText(other).length <= maxLength)
    .flatMap((other) => linesIn(other, elsewhereOrList));
}

/** Whether the line says that the list is cut behind so many rows. */
const saysCut = (text: string, rows: number): boolean =>
  cut.some(
    (form) =>
      form
        .exec(text)
        ?.slice(1)
        .some((written) => toCount(written) === rows) === true,
  );

/**
 * What may say that there are more rows; undefined where nothing does, or different lines. `places`: the elements of these rows, or
 * the tables that have them.
 */
export function findLargerCount(places: readonly Element[], rows: number): StatedCount | undefined {
  const readLine = (text: string): StatedCount | undefined => {
    const further = readForm(text, more);
    const total = further === undefined ? readForm(text, anything)?.total : rows + further.total;
    return total === undefined || total <= rows ? undefined : { text, total };
  };
  const lines = linesBeside(places);
  // A link to all of them may stand in the same line.
  const ofCut = lines.find(({ text, place }) => place !== 'elsewhere' && saysCut(text, rows));
  if (ofCut !== undefined) return { text: ofCut.text, total: rows + 1 };
  const plain = new Set(lines.flatMap(({ text, place }) => (place === 'here' ? text : [])));
  const [said, ...others] = [...plain].flatMap((line) => readLine(line) ?? []);
  return others.length === 0 ? said : undefined;
}
