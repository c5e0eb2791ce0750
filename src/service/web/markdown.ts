/** The content of a page as Markdown: keeps headings, lists and tables, and makes addresses absolute. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

const maxColumns = 50;
const maxRows = 5_000;

function createConverter(): TurndownService {
  const converter = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  converter.addRule('cell', {
    filter: ['th', 'td'],
    replacement: (content) =>
      ` ${content
        .replace(/^\s*(?:-|\d+\.) /gm, '')
        .replace(/\s*\n\s*/g, ' ')
        .replace(/\|/g, '\\|')
        .trim()} |`,
  });
  converter.addRule('row', {
    filter: 'tr',
    replacement(content, node) {
      const isFirst = node.previousSibling === null;
      const width = node.childNodes.length;
      return `|${content}\n${isFirst ? `|${' --- |'.repeat(width)}\n` : ''}`;
    },
  });
  converter.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
  converter.addRule('preformatted', {
    filter: 'pre',
    replacement(_, node) {
      const text = (node.textContent ?? '').replace(/\n$/, '');
      const fence = '`'.repeat(
        Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([marks]) => marks.length + 1)),
      );
      return `\n\n${fence}\n${text}\n${fence}\n\n`;
    },
  });
  converter.addRule('item', {
    filter: 'li',
    replacement(content, node) {
      const mark = node.parentNode?.nodeName === 'OL' ? `${countItems(node)}. ` : '- ';
      const text = content.trim().replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
      return text === '' ? '' : `${mark}${text}\n`;
    },
  });
  converter.addRule('term', { filter: 'dt', replacement: (content) => `\n\n**${content.trim()}**\n` });
  // An underscore inside a word is no markup.
  const escapeMarks = converter.escape;
  converter.escape = (text) => escapeMarks(text).replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}_\\])/gu, '_');
  return converter;
}
const converter = createConverter();

/** The number of an item. Looks only at the items before it, and at a bounded number of them. */
function countItems(item: TurndownService.Node): number {
  let number = 1;
  for (
    let { previousSibling } = item;
    previousSibling !== null && number < 1_000;
    { previousSibling } = previousSibling
  )
    if (previousSibling.nodeName === 'LI') number += 1;
  return number;
}

const elementsIn = (element: Element): Element[] => element.children.filter(isTag);

/** The table's own rows, without those of nested tables. */
const rowsOf = (table: Element): Element[] =>
  elementsIn(table).flatMap((child) =>
    child.name === 'tr'
      ? [child]
      : /^(?:thead|tbody|tfoot)$/.test(child.name)
        ? elementsIn(child).filter(({ name }) => name === 'tr')
        : [],
  );
const cellsOf = (row: Element) => elementsIn(row).filter(({ name }) => name === 'td' || name === 'th');

/** A table used for layout: its cells hold blocks, or it has only one column. */
function isLayout(html: CheerioAPI, table: Element, rows: readonly Element[]): boolean {
  if (!rows.some((row) => cellsOf(row).length > 1) || rows.length > maxRows) return true;
  if (/^(?:presentation|none)$/.test(table.attribs.role ?? '')) return true;
  return html(table).find('table, h1, h2, h3, form, article, section, pre, p + p + p').length > 0;
}

/** Every row gets every column, so that values stay below their headings; a spanning cell is in its first place. */
function toPlainTable(html: CheerioAPI, table: Element): void {
  const rows = rowsOf(table);
  if (isLayout(html, table, rows)) {
    for (const element of [table, ...html(table).find('tbody, thead, tfoot, tr, td, th').toArray()])
      element.name = 'div';
    return;
  }
  const caption = html(table).children('caption');
  const reached: number[] = [];
  const lines = rows.map((row) => {
    const line: (Element | undefined)[] = [];
    const skip = () => {
      while ((reached[line.length] ?? 0) > 0 && line.length < maxColumns) {
        reached[line.length] = (reached[line.length] ?? 0) - 1;
        line.push(undefined);
      }
    };
    for (const cell of cellsOf(row)) {
      skip();
      const across = Math.min(Number(cell.attribs.colspan) || 1, maxColumns - line.length);
      const down = Math.min(Number(cell.attribs.rowspan) || 1, maxRows);
      for (let step = 0; step < across; step++) {
        reached[line.length] = Math.max(down - 1, 0);
        line.push(step === 0 ? cell : undefined);
      }
    }
    skip();
    return line;
  });
  const width = Math.max(...lines.map(({ length }) => length));
  const plain = html('<table></table>');
  for (const line of lines.filter((cells) => cells.some((cell) => cell !== undefined))) {
    const row = html('<tr></tr>');
    for (let index = 0; index < width; index++) row.append(line[index] ?? html('<td></td>'));
    plain.append(row);
  }
  if (caption.length > 0) plain.before(html('<p></p>').append(caption.contents()));
  html(table).replaceWith(plain);
}

/** Makes addresses absolute, and removes pictures and addresses that a reader cannot open. */
function withAddresses(html: CheerioAPI, root: Element, base: string): void {
  html(root).find('img, picture').remove();
  for (const link of html(root).find('a').toArray()) {
    const href = link.attribs.href ?? '';
    const url =
      href !== '' && !href.startsWith('#') && URL.canParse(href, base) ? new URL(href, base) : undefined;
    const text = html(link).text().trim();
    if (text === '' || (href.startsWith('#') && text.length <= 1)) html(link).remove();
    else if (url !== undefined && /^(?:https?|mailto):$/.test(url.protocol))
      link.attribs = { href: url.href.replaceAll('(', '%28').replaceAll(')', '%29') };
    else link.name = 'span';
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
    const heading = html(link).find('h1, h2, h3, h4, h5, h6, p').first();
    if (href === undefined || heading.length === 0 || heading.find('a').length > 0) continue;
    heading.wrapInner(html('<a></a>').attr('href', href));
  }
}

/** Changes the tree. */
export function toMarkdown(html: CheerioAPI, root: Element, base: string): string {
  withAddresses(html, root, base);
  withoutBlocksInLinks(html, root);
  for (const table of html(root).find('table').toArray().reverse()) toPlainTable(html, table);
  if (root.name === 'table') toPlainTable(html, root);
  // A DOM of its own: turndown takes the node, so that its HTML parser is never used.
  const { document } = parseHTML(`<html><body>${html.html(root)}</body></html>`);
  return converter
    .turndown(document.body)
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/[ \t]+\n/g, (blanks) => (blanks.length === 3 ? '  \n' : '\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
