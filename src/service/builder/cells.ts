/** What stands in the cells of a table's column beside each other: lines, links, badges, and words around numbers. */
import type { Element } from 'domhandler';
import { textOf } from '../recipes/text.ts';
import type { Column, Source } from './candidate.ts';
import { columnsOf } from './columns.ts';
import { collapse, elementsOf, shownText } from './elements.ts';
import type { PageContext } from './row-selectors.ts';

/** The share of the cells that must hold more than one text for their parts to be looked at. */
const enough = 0.3;
const maxParts = 12;

/** More than a text, formatted as a whole. */
function hasParts(cell: Element): boolean {
  const [only, second] = elementsOf(cell).filter(({ name }) => name !== 'br');
  if (only === undefined) return elementsOf(cell).length > 0;
  return second !== undefined || shownText(only) !== shownText(cell) || hasParts(only);
}

const wholeOf = (columns: readonly Column[]) => columns.find(({ source }) => isWhole(source));
const isWhole = (source: Source) =>
  (source.in === 'html' || source.in === 'table') &&
  source.select === undefined &&
  source.attribute === undefined &&
  source.line === undefined &&
  source.own !== true;

/** The columns inside of the cells of one column; `names` are the words of its header. */
export function partsOfCells(
  cells: readonly (Element | undefined)[],
  {
    header,
    names,
    order,
  }: { readonly header: string; readonly names: readonly string[]; readonly order: number },
  context: PageContext,
): Column[] {
  const present = cells.filter((cell) => cell !== undefined);
  const complex = present.filter(hasParts).length;
  const texts = present.map(shownText);
  if (present.length < 2 || texts.every((text) => text.length < 3)) return [];
  const rows = cells.map((cell) => (cell === undefined ? [] : [cell]));
  const columns = columnsOf(rows, { ...context, list: 'td' });
  const whole = wholeOf(columns);
  return columns
    .filter(
      (column) =>
        column !== whole &&
        (complex >= present.length * enough || column.division !== undefined) &&
        (!column.constant || column.type.rules.type === 'url'),
    )
    .slice(0, maxParts)
    .flatMap((column): Column[] => {
      if (column.source.in !== 'html') return [];
      return [
        {
          ...column,
          source: { ...column.source, in: 'table', header },
          nearNames: [...names, ...column.nearNames],
          isTitle: false,
          isTitleLink: false,
          order: order + (column.order + 1) / 2_000,
        },
      ];
    });
}

/** A part that stands beside others only in some rows, or beside what is the same in all: a note, a badge, "Tickets". */
const isNote = ({ fill, constant, type }: Column) =>
  constant || fill < 0.5 || type.rules.type === 'url' || type.rules.type === 'image';

/** In an element of its own, such as the link or the bold text that the details stand below. */
const isSetOff = ({ source, type }: Column) =>
  source.in === 'table' && source.select !== undefined && type.rules.type === 'text';

/**
 * The part that the header names where the rest of the cells are notes, or, of the column that names the rows
 * (`isTitle`), further lines; undefined where it names the whole of them.
 */
export function leadOf(
  parts: readonly Column[],
  cells: readonly (Element | undefined)[],
  isTitle: boolean,
): Column | undefined {
  const texts = cells
    .flatMap((cell) => (cell === undefined ? [] : [textOf(cell).trim()]))
    .filter((text) => text !== '');
  const inLines = texts.filter((text) => /\n\s*\S/.test(text)).length >= texts.length / 2;
  const begins = (column: Column) =>
    column.samples.every((sample, index) => collapse(texts[index] ?? '').startsWith(sample));
  const [lead] = parts.filter(
    (column) => column.fill > 0.95 && !isNote(column) && column.division === undefined && begins(column),
  );
  if (lead === undefined) return undefined;
  const others = parts.filter(
    (column) => column !== lead && !(column.division !== undefined && isWhole(column.source)),
  );
  return others.every(isNote) || (inLines && (isTitle || isSetOff(lead))) ? lead : undefined;
}
