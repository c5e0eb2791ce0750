/** Tables whose columns have headers. */
import type { Element } from 'domhandler';
import type { Document } from '../recipes/document.ts';
import { gridOf, headersOf } from '../recipes/extract-table.ts';
import { type Candidate, type Column, fieldOf, type NamedColumn } from './candidate.ts';
import { shownText } from './elements.ts';
import { pathTo } from './row-selectors.ts';
import { surroundings } from './surroundings.ts';
import { text, typeOfTexts } from './value-type.ts';
import { wordsOf } from './words.ts';

const maxTables = 20;

export function tableCandidates(document: Document, language: string, root: Element): Candidate[] {
  const { html } = document;
  const context = { html, language, root };
  return html('table')
    .toArray()
    .slice(0, maxTables)
    .flatMap((table): Candidate[] => {
      const selector = html('table').length === 1 ? 'table' : pathTo(table, context);
      if (html(selector).get(0) !== table) return [];
      const { grid, headerRows } = gridOf(document, selector);
      const headerCells = grid[headerRows - 1] ?? [];
      const headers = headersOf(headerCells);
      const rows = grid
        .slice(headerRows)
        .filter((cells) => cells.length > 1 && !cells.every((cell) => cell === cells[0]))
        .slice(0, 40);
      const isHeader =
        headerCells.every(({ name }) => name === 'th') ||
        html(table).find('thead').length > 0 ||
        saysWhat(
          headers,
          rows.map((cells) => Array.from(cells, (cell) => (cell === undefined ? '' : shownText(cell)))),
        );
      if (!isHeader || rows.length === 0 || headers.length < 2 || new Set(headers).size < headers.length)
        return [];
      const columns = headers.flatMap((header, index): Column[] => {
        const cells = rows.map((row) => row[index]);
        const values = cells
          .map((cell) => (cell === undefined ? '' : shownText(cell)))
          .filter((value) => value !== '');
        const links = cells.filter(
          (cell) => cell !== undefined && html(cell).find('a[href]').length > 0,
        ).length;
        const images = cells.filter((cell) => cell !== undefined && html(cell).find('img').length > 0).length;
        const type = typeOfTexts(values, language);
        const shared = {
          names: [...new Set([...wordsOf(header), ...wordsOf(type.unitWords ?? '')])],
          nearNames: [],
          isTitle: false,
          fill: values.length / rows.length,
          constant: values.length > 2 && new Set(values).size === 1,
          length: values.reduce((sum, value) => sum + value.length, 0) / Math.max(values.length, 1),
          samples: values.slice(0, 12),
          order: index,
        };
        const found: Column[] = [];
        if (values.length > 0) {
          const unitInHeader = /[([]\s*(°?[A-Za-z€$£%²³/]{1,8})\s*[)\]]/.exec(header)?.[1];
          const unit =
            type.rules.type === 'number' && type.unit === undefined && unitInHeader !== undefined
              ? { ...type, unit: 'unit' as const, rules: { ...type.rules, unit: unitInHeader } }
              : type;
          found.push({ ...shared, type: unit, source: { in: 'table', header } });
        }
        if (links >= rows.length * 0.6)
          found.push({
            ...shared,
            names:
              values.length === 0
                ? [...shared.names, 'url', 'link']
                : ['url', 'link', ...shared.names.slice(0, 1)],
            type: { rules: { type: 'url' } },
            fill: links / rows.length,
            source: { in: 'table', header },
          });
        if (images >= rows.length * 0.6)
          found.push({
            ...shared,
            names: ['image', ...shared.names],
            type: { rules: { type: 'image' } },
            fill: images / rows.length,
            source: { in: 'table', header },
          });
        return found;
      });
      const title = columns.find(({ type, constant }) => type.rules.type === 'text' && !constant);
      if (title !== undefined) Object.assign(title, { isTitle: true });
      return [
        {
          kind: 'table',
          many: true,
          element: table,
          rows: grid.length - headerRows,
          about: [...wordsOf(html(table).find('caption').text()), ...surroundings(table, true)],
          columns: columns.map((column) =>
            column.type.rules.type === 'json' ? { ...column, type: text } : column,
          ),
          extract: (fields: readonly NamedColumn[]) => ({
            kind: 'table',
            table: selector,
            columns: Object.fromEntries(
              fields.map((field) => {
                const header = field.column.source.in === 'table' ? field.column.source.header : '';
                return [field.name, { header, ...fieldOf(field, false) }];
              }),
            ),
          }),
        },
      ];
    });
}

/** A first row without `th` is a header where it has no numbers and the rows below have. */
function saysWhat(headers: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const isNumber = (value: string | undefined) => value !== undefined && /^\D{0,3}\d/.test(value);
  if (headers.some(isNumber) || headers.some((header) => header.length > 40)) return false;
  return headers.some((_, index) => rows.length > 1 && rows.every((row) => isNumber(row[index])));
}
