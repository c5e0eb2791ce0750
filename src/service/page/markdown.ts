/** The content of a page as Markdown: keeps what its elements mean, makes addresses absolute, writes tables as tables. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, Element, isTag, isText, Text } from 'domhandler';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { collapse, getClasses, getElements, ownText, shownText } from './elements.ts';
import { writeOutElements } from './markdown-elements.ts';
import { inLink, nameImages } from './markdown-pictures.ts';
import { itemMarks, toPieces } from './markdown-pieces.ts';
import { tabOf } from './panels.ts';
import { layOut, tablesOf } from './tables.ts';
import { markQuotes } from './threads.ts';

const maxColumns = 50;
/** Cells of one table: where few rows are wide, all rows get as many. */
const maxCells = 60_000;

/** What a line of a list, a heading or a quote begins with. */
const lineStart = /^(?:\s*(?:[-*+]|\d+[.)]|#{1,6}|>|:)\s+(?:\[[ x]\]\s)?)+/;
/** Each paragraph between its own marks, and each line of a list; none around tables and code, which would end there. */
const between = (mark: string, content: string) =>
  content.includes('```')
    ? content
    : content
        .split(/(\n{2,})/)
        .map((part) => {
          if (part.trim() === '' || /^\s*\|/.test(part)) return part;
          const lines = part.split('\n').some((line) => lineStart.test(line)) ? part.split('\n') : [part];
          return lines.map((line) => markLine(mark, line)).join('\n');
        })
        .join('');
const markLine = (mark: string, line: string) => {
  const [start = ''] = lineStart.exec(line) ?? [];
  const text = line.slice(start.length);
  return text.trim() === '' ? line : start + text.replace(/^(\s*)([\s\S]*?)(\s*)$/, `$1${mark}$2${mark}$3`);
};
const marks: Readonly<Record<string, string>> = {
  DEL: '~~',
  S: '~~',
  STRIKE: '~~',
  INS: '++',
  MARK: '==',
  EM: '*',
  I: '*',
  STRONG: '**',
  B: '**',
};
const oneLine = (content: string) => content.replace(/ *\n\s*/g, ' ').trim();

function createConverter(): TurndownService {
  const converter = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  const add = (name: string, replacement: TurndownService.ReplacementFunction) =>
    converter.addRule(name, { filter: ({ nodeName }) => nodeName === name, replacement });
  for (const [name, mark] of Object.entries(marks)) add(name, (content) => between(mark, content));
  add('X-MARKDOWN', (_, node) => node.textContent ?? '');
  converter.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, { nodeName }) =>
      `\n\n${'#'.repeat(Number(nodeName.slice(1)))} ${oneLine(content)}\n\n`,
  });
  add('TABLE', (content) => `\n\n${content.trim()}\n\n`);
  for (const name of ['TD', 'TH']) add(name, (content) => ` ${inCell(content)} |`);
  add('TR', (content, { previousSibling, childNodes }) => {
    const line = previousSibling === null ? `|${' --- |'.repeat(childNodes.length)}\n` : '';
    return `|${content}\n${line}`;
  });
  add('PRE', (_, node) => fenced(node.textContent ?? '', node.getAttribute('data-language') ?? ''));
  add('LI', (content, node) => {
    const mark = node.getAttribute('data-mark') ?? '- ';
    const text = content.trim().replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
    return text === '' ? '' : `${mark}${text}\n`;
  });
  add('DT', (content) => `\n\n**${oneLine(content).replaceAll('**', '')}**\n`);
  add('DD', (content) => `\n: ${content.trim().replace(/\n(?=.)/g, '\n  ')}\n`);
  // An underscore inside a word is no markup.
  const escapeMarks = converter.escape;
  converter.escape = (text) =>
    escapeMarks(text)
      .replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}_\\])/gu, '_')
      .replace(/~~(?=\S)/g, '\\~~');
  return converter;
}
const converter = createConverter();

/** The lines of a cell, and the items of its lists, apart by `<br>`. */
const inCell = (content: string) =>
  content
    .trim()
    .replace(/^#{1,6} (.*)$/gm, '**$1**')
    .replace(/\s*\n\s*/g, '<br>')
    .replace(/\|/g, '\\|');

function fenced(written: string, language: string): string {
  // Turndown's work grows with the square of a run of line breaks, and the final text keeps no longer run either.
  const text = written.replace(/^\n|\n$/g, '').replace(/\n{3,}/g, '\n\n');
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

/** A table used for layout: its cells hold blocks, or it has only one column. */
function isLayout(html: CheerioAPI, table: Element, rows: readonly { cells: readonly unknown[] }[]): boolean {
  if (!rows.some(({ cells }) => cells.length > 1)) return true;
  if (/^(?:presentation|none)$/.test(table.attribs.role ?? '')) return true;
  return html(table).find('table, h1, h2, h3, form, article, section, pre, p + p + p').length > 0;
}

/**
 * Every row gets every column, so that values stay below their headings. A cell that spans rows or columns is repeated, as in
 * the rows of a table; one across the whole table is in its first place. Names of groups of columns go before the columns'
 * own names. Adds to `missing` what is left out of a very large table.
 */
function toPlainTable(html: CheerioAPI, table: Element, missing: string[]): void {
  const { rows, heads } = layOut(table);
  if (isLayout(html, table, rows)) {
    const parts = 'caption, tbody, thead, tfoot, tr, td, th, colgroup, col';
    const own = html(table)
      .find(parts)
      .toArray()
      .filter((part) => html(part).closest('table').is(table));
    for (const element of [table, ...own]) element.name = 'div';
    return;
  }
  const fullWidth = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const width = Math.min(fullWidth, maxColumns);
  const most = heads + Math.floor(maxCells / width);
  if (fullWidth > width)
    missing.push(`${fullWidth - width} of ${fullWidth} columns of a table are left out of the text.`);
  if (rows.length > most)
    missing.push(`${rows.length - most} of ${rows.length} rows of a table are left out of the text.`);
  const plain = html('<table></table>');
  const addRow = (cells: readonly (readonly Element[])[]) => {
    const row = html(new Element('tr', {}));
    for (let index = 0; index < width; index++) {
      const cell = html(new Element('td', {}));
      for (const [place, part] of (cells[index] ?? []).entries()) {
        if (place > 0) cell.append(new Text(' '));
        cell.append(html(part).contents().clone());
      }
      row.append(cell);
    }
    plain.append(row);
  };
  const names = rows.slice(0, heads).filter(({ cells }) => heads === 1 || new Set(cells).size > 1);
  for (const { cells } of rows.slice(0, heads).filter((row) => !names.includes(row)))
    if (cells[0] !== undefined) html(table).before(html('<p></p>').append(html(cells[0]).contents().clone()));
  if (names.length > 1)
    addRow(
      Array.from({ length: width }, (_, index) => [
        ...new Set(names.flatMap(({ cells }) => cells[index] ?? [])),
      ]),
    );
  for (const { cells } of rows.slice(names.length > 1 ? heads : heads - names.length, most))
    if (cells.some((cell) => cell !== undefined)) {
      const isAcross = cells.length >= width && new Set(cells).size === 1;
      addRow(cells.map((cell, index) => (cell === undefined || (isAcross && index > 0) ? [] : [cell])));
    }
  const caption = html(table).children('caption, [role="caption"]');
  if (caption.length > 0) html(table).before(html('<p></p>').append(caption.contents()));
  html(table).replaceWith(plain);
}

function numberItems(list: Element): void {
  for (const [item, mark] of itemMarks(list)) item.attribs['data-mark'] = mark;
}

const blocksInCode = /^(?:div|p|li|tr|section|figure)$/;
const isBlockLine = ({ name, attribs }: Element) =>
  blocksInCode.test(name) || /display\s*:\s*(?:block|flex|grid|table-row)/.test(attribs.style ?? '');

/** The text of code: a line for each block, and where `<br>` breaks it. */
function codeText(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!isTag(node)) return '';
  if (node.name === 'br') return '\n';
  let text = '';
  for (const child of node.children) {
    const isCell = isTag(child) && /^t[dh]$/.test(child.name) && /\S$/.test(text);
    const part = `${isCell ? '\t' : ''}${codeText(child)}`;
    const isLine = isTag(child) && isBlockLine(child);
    const needsBreak = isLine && text !== '' && !text.endsWith('\n');
    const wasLine = child.prev !== null && isTag(child.prev) && isBlockLine(child.prev);
    text +=
      (needsBreak || (wasLine && !isLine && !/^\s*\n/.test(part) && !text.endsWith('\n')) ? '\n' : '') + part;
  }
  return text;
}

function flattenCode(html: CheerioAPI, pre: Element): void {
  const classes = [pre, ...html(pre).find('code').toArray()]
    .map(({ attribs }) => attribs.class ?? '')
    .join(' ');
  const [, said, brushed] =
    /(?:^|\s)(?:lang|language|highlight-source)-([\w+#-]+)|brush:\s*([\w+#-]+)/.exec(classes) ?? [];
  const language = said ?? brushed;
  const text = codeText(pre);
  html(pre).empty().append(new Text(text));
  pre.attribs = language === undefined ? {} : { 'data-language': language };
}

/** Removes the numbers of lines, which stand in a cell of their own beside the code. */
function removeLineNumbers(html: CheerioAPI, piece: Element): void {
  for (const numbers of html(piece).find('td:first-child pre').toArray()) {
    const [first, ...lines] = html(numbers).text().trim().split(/\s+/).map(Number);
    const isCount = first !== undefined && lines.every((line, index) => line === first + index + 1);
    const cell = html(numbers).closest('td');
    if (isCount && Number.isInteger(first) && cell.next().find('pre').length > 0) cell.remove();
  }
}

const openable = /^(?:https?|mailto|tel|sms):$/;

/** Makes addresses absolute, and removes those that a reader cannot open. */
function withAddresses(html: CheerioAPI, root: Element, base: string): void {
  for (const link of html(root).find('a, area').toArray()) {
    const href = link.attribs.href ?? '';
    const url =
      href !== '' && !href.startsWith('#') && URL.canParse(href, base) ? new URL(href, base) : undefined;
    if (collapse(html(link).text()) === '') {
      const name = collapse(link.attribs['aria-label'] ?? link.attribs.title ?? link.attribs.alt ?? '');
      if (url !== undefined && name !== '' && link.name === 'area') html(link).append(new Text(name));
    }
    const text = collapse(html(link).text());
    if (text === '' || (href.startsWith('#') && /^[^\p{L}\p{N}]$/u.test(text))) html(link).remove();
    else if (url !== undefined && openable.test(url.protocol)) {
      link.name = 'a';
      link.attribs = { href: inLink(url.href) };
    } else link.name = 'span';
  }
}

/** Readers do not understand Markdown links around blocks, so the link goes around the words of its first heading. */
function withoutBlocksInLinks(html: CheerioAPI, root: Element): void {
  for (const link of html(root)
    .find('a:has(h1, h2, h3, h4, h5, h6, p, div, ul, li, section, article)')
    .toArray()) {
    const { href } = link.attribs;
    link.name = 'div';
    link.attribs = {};
    const written = () =>
      html(link)
        .find(':not(:has(div, ul, section, article))')
        .toArray()
        .find((one) => ownText(one) !== '');
    const heading = html(link).find('h1, h2, h3, h4, h5, h6, p').get(0) ?? written();
    if (href === undefined || heading === undefined || html(heading).find('a').length > 0) continue;
    html(heading).wrapInner(html('<a></a>').attr('href', href));
  }
}

/** Names a panel by its tab, which is a control, unless its own text begins so; `npm install` under "npm" is code. */
function nameByTab(html: CheerioAPI, panel: Element, tab: Element): void {
  const label = shownText(tab);
  const isCode = html(panel).find('h1, h2, h3, h4, h5, h6, p, pre').get(0)?.name === 'pre';
  if (!isCode && collapse(html(panel).text()).toLowerCase().startsWith(label.toLowerCase())) return;
  const name = html('<p></p>').append(html('<strong></strong>').text(label));
  if (/^(?:table|ul|ol|dl)$/.test(panel.name)) html(panel).before(name);
  else html(panel).prepend(name);
}

const ofTalk = /(?:^|[-_])(?:comment|reply|answer|response|post|message)(?:[-_]|$)/i;

/** Comments in a comment answer it: they stand in a quote's place, which shows how deep they are. */
function nestAnswers(html: CheerioAPI, piece: Element): void {
  for (const element of html(piece).find('div, article, section').toArray().reverse()) {
    const names = getClasses(element).filter((name) => ofTalk.test(name));
    const isAnswer = names.some((name) =>
      html(element)
        .parents(element.name)
        .toArray()
        .some((around) => getClasses(around).includes(name)),
    );
    if (isAnswer) element.name = 'blockquote';
  }
}

/** Where each value of a list stands before its name, as a large number over a small word does, the names come first. */
function namesFirst(html: CheerioAPI, piece: Element): void {
  for (const list of html(piece).find('dl, dl > div').toArray()) {
    const parts = getElements(list).filter(({ name }) => name === 'dt' || name === 'dd');
    const isTurned = parts.every(({ name }, at) => name === (at % 2 === 0 ? 'dd' : 'dt'));
    if (!isTurned || parts.length % 2 !== 0) continue;
    for (const [at, value] of parts.entries())
      if (at % 2 === 0) html(value).before(parts.slice(at + 1, at + 2));
  }
}

/** The Markdown of a copy, which is changed. */
function writePiece(
  html: CheerioAPI,
  piece: Element,
  base: string,
  title: string,
  missing: string[],
): string {
  const [page] = html.root().toArray();
  for (const panel of html(piece).find('[id], [aria-labelledby]').toArray()) {
    const tab = page === undefined ? undefined : tabOf(panel, page);
    if (tab !== undefined) nameByTab(html, panel, tab);
  }
  nestAnswers(html, piece);
  namesFirst(html, piece);
  markQuotes(html, piece);
  writeOutElements(html, piece, base, missing);
  nameImages(html, piece, base, title);
  withAddresses(html, piece, base);
  withoutBlocksInLinks(html, piece);
  removeLineNumbers(html, piece);
  for (const pre of html(piece).find('pre').toArray().reverse()) flattenCode(html, pre);
  for (const list of html(piece).find('ol').toArray()) numberItems(list);
  for (const table of html(piece).find(tablesOf).toArray().filter(isTag).reverse())
    toPlainTable(html, table, missing);
  // A DOM of its own: turndown takes the node, so that its HTML parser is never used.
  const { document } = parseHTML(`<html><body>${html.html(piece)}</body></html>`);
  // Turndown changes what it takes, and copies it first: here the copy would be of a copy.
  document.body.cloneNode = () => document.body;
  return converter
    .turndown(document.body)
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/[ \t]+\n/g, (blanks) => (blanks.length === 3 ? '  \n' : '\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The names of the page, which pictures need not repeat. */
export const readNames = (html: CheerioAPI): string => collapse(html('h1, title').text()).toLowerCase();

/** Adds to `missing` what is left out of very large tables. `title`: for many roots, the names are read once. */
export function toMarkdown(
  html: CheerioAPI,
  root: Element,
  base: string,
  missing: string[] = [],
  title = readNames(html),
): string {
  let text = '';
  for (const { element, joint } of toPieces(root)) {
    const written = writePiece(html, element, base, title, missing);
    if (written !== '') text += text === '' ? written : `${joint}${written}`;
  }
  return text;
}
