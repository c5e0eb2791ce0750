/** Extraction by CSS selectors. */
import type { Cheerio, CheerioAPI } from 'cheerio/slim';
import { type AnyNode, isTag, isText } from 'domhandler';
import { PageChangedError } from '../foundation/errors.ts';
import type { Document, Extracted, Row } from '../page/document.ts';
import { getShownLines, shownText } from '../page/elements.ts';
import { evaluatePath, type JmespathValue } from '../page/json.ts';
import { readScriptValues } from '../page/scripts.ts';
import { getText, imageAddress } from '../page/text.ts';
import { ElementDoubts } from './element-doubts.ts';
import { FoundByOrder } from './found-by-order.ts';
import { Headings, selectorsAbove } from './headings.ts';
import { toFind } from './pattern.ts';
import type { HtmlExtract, HtmlField, ValueRules } from './recipe-schema.ts';
import { RowFields } from './row-fields.ts';
import { asStated, type TypedValue, toTyped } from './values.ts';

/** The lines of what is found in a row: of one element, or of the elements of a row of siblings. */
function linesOf(found: Cheerio<AnyNode>): string[] {
  const [first, ...others] = found.toArray();
  if (first !== undefined && isTag(first) && others.length === 0) return getShownLines(first);
  const text = found.toArray().map(getText).join(' ');
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** A pattern that begins with a label: `Owner\s*[:#]\s+(.*?)`. */
const labelled = /^\^?(?:\(\?:\^\|\\s\))?\p{L}(?:[\p{L}\p{M} ’'/&-]|\\[^\p{L}\d])*(?:\\s\*)?(?:\[:#\]|:)/u;

/** A label that rows may lack: `^(?:Owner:\s*)?(.+)$`. */
const optional = /^\^\(\?:(.+[:#])\\s\*\)\?\(\.\+\)\$$/;
const beginsWithLabel = /^\p{Lu}[\p{L}\p{M} .'’/&-]{0,30}:\s/u;

/**
 * The line at this place. Where a pattern finds its label in another one instead, that one: a row may lack the lines before.
 * Behind another label stands another value.
 */
function lineAt(lines: readonly string[], place: number, match: ValueRules['match']): string | undefined {
  const own = lines[place - 1];
  const [pattern = ''] = [match ?? []].flat();
  const [, label] = optional.exec(pattern) ?? [];
  if (label === undefined && !labelled.test(pattern)) return own;
  const find = toFind(label === undefined ? pattern : `^${label}`);
  const holds = (line: string | undefined) => line !== undefined && find(line) !== undefined;
  if (holds(own)) return own;
  const isOther = label !== undefined && own !== undefined && beginsWithLabel.test(own);
  return lines.find(holds) ?? (isOther ? undefined : own);
}

/** Counts the lines of which the field is one. What a pattern finds is not found by its order alone. */
export function countLines(
  byOrder: FoundByOrder,
  name: string,
  field: HtmlField,
  elements: Cheerio<AnyNode>,
): void {
  // The first line is the first of all rows.
  if ('line' in field && field.line !== undefined && field.line > 1 && field.match === undefined)
    byOrder.countLines(name, linesOf(elements.first()).length);
}

function readFieldValue(element: Cheerio<AnyNode>, field: HtmlField): unknown {
  // An element without the attribute says that it is not so; JSON without the member says nothing.
  if ('attribute' in field && field.attribute !== undefined)
    return element.attr(field.attribute) ?? (field.type === 'boolean' ? false : undefined);
  if (field.type === 'url') return element.attr('href') ?? element.find('a[href]').attr('href');
  if (field.type === 'image') {
    const image = element.is('img') ? element : element.find('img').first();
    return imageAddress(image.attr() ?? {});
  }
  if (
    field.type === 'boolean' &&
    !('match' in field && field.match) &&
    !('map' in field && field.map) &&
    !('contains' in field && field.contains)
  )
    return true;
  if ('line' in field && field.line !== undefined) return lineAt(linesOf(element), field.line, field.match);
  if (!('own' in field) || field.own !== true)
    return (
      (field.type === 'date' ? element.attr('datetime') : undefined) ??
      element.toArray().map(shownText).join(' ')
    );
  return element
    .contents()
    .toArray()
    .map((node) => (isText(node) ? node.data : ' '))
    .join('')
    .replace(/^[\s|·•,:–—-]+|[\s|·•,–—-]+$/g, '');
}

/** What a field's selector finds inside of `root`: a row, a table's cell or the whole page. A row of siblings has several roots. */
export function findElements(root: Cheerio<AnyNode>, { select }: HtmlField): Cheerio<AnyNode> {
  if (select === undefined) return root;
  const elements = root.find(select);
  return root.length > 1 ? root.filter(select).add(elements) : elements;
}

/** The field's value, of what `findElements` found. */
export function readElements(elements: Cheerio<AnyNode>, field: HtmlField, base: string): TypedValue {
  if ('all' in field && field.all === true) {
    const each = elements
      .toArray()
      .map((_, index) => readTyped(elements.eq(index), field, base))
      .filter(({ value, reads }) => value !== null || reads !== undefined);
    const reads = each.flatMap((one) => one.reads ?? []);
    const values = each.map(({ value }) => value);
    return reads.length === each.length
      ? { value: values, reads }
      : { value: values.filter((value) => value !== null) };
  }
  const first = elements.first();
  if (first.length === 0) return { value: field.type === 'boolean' ? false : null };
  return readTyped(first, field, base);
}

function readTyped(element: Cheerio<AnyNode>, field: HtmlField, base: string): TypedValue {
  const raw = readFieldValue(element, field);
  const isStated = 'attribute' in field && field.attribute !== undefined;
  return toTyped(isStated ? asStated(raw, field) : raw, field, base);
}

/** Where a field is searched: in the row, or in the heading above it. */
export function getRoot(
  field: HtmlField,
  row: Cheerio<AnyNode>,
  html: CheerioAPI,
  headings: Headings,
): Cheerio<AnyNode> {
  if (!('above' in field) || field.above === undefined) return row;
  const [first] = row.toArray();
  const heading = first === undefined ? undefined : headings.before(first, field.above);
  return heading === undefined ? html('') : html(heading);
}

/** The data of the scripts that a single record's fields name, by selector. */
function readScripts(html: CheerioAPI, fields: HtmlExtract['fields']): Map<string, JmespathValue> {
  const scriptValues = new Map<string, JmespathValue>();
  for (const field of Object.values(fields)) {
    if (!('script' in field) || scriptValues.has(field.script)) continue;
    scriptValues.set(
      field.script,
      readScriptValues(html, field.script).map(({ value }) => value),
    );
  }
  return scriptValues;
}

/** `maxRows`: the most rows to read, for callers that show only a few. */
export function extractHtml(
  document: Document,
  extraction: HtmlExtract,
  maxRows = Number.POSITIVE_INFINITY,
): Extracted {
  const { html, base } = document;
  const { list, siblings } = extraction;
  const headings = new Headings(html);
  const scripts = readScripts(html, extraction.fields);
  const fields = new RowFields(document, extraction.built === undefined);
  const byOrder = new FoundByOrder(extraction.built?.among);
  const ofElements = new ElementDoubts();
  const readField = (root: Cheerio<AnyNode>, name: string, field: HtmlExtract['fields'][string]) => {
    if (!('script' in field)) {
      const from = getRoot(field, root, html, headings);
      const elements = findElements(from, field);
      const isOne =
        !('all' in field && field.all === true) && !('above' in field && field.above !== undefined);
      if (field.select !== undefined && isOne)
        byOrder.count(name, elements.toArray(), field.select, (select) =>
          findElements(from, { ...field, select }).toArray(),
        );
      countLines(byOrder, name, field, elements);
      const typed = readElements(elements, field, base);
      if (list !== undefined && isOne) ofElements.count(name, field, typed, elements.get(0), root.get(0));
      return typed;
    }
    const raw = evaluatePath(scripts.get(field.script) ?? [], field.path);
    return toTyped(asStated(raw, field), field, base);
  };
  const read = (root: Cheerio<AnyNode>) => {
    const row: Row = {};
    let complete = true;
    for (const [name, field] of Object.entries(extraction.fields))
      complete = fields.set(row, name, field, readField(root, name, field)) && complete;
    return { row, complete };
  };
  if (list === undefined) {
    const { row, complete } = read(html.root());
    fields.settle([row]);
    if (!complete) throw new PageChangedError('The page lacks a required value; it may have changed');
    return { kind: 'record', record: row, doubts: fields.doubts };
  }
  const above = headings.of(selectorsAbove(extraction.fields));
  const matches = above.size === 0 ? html(list) : html(list).filter((_, element) => !above.has(element));
  const completeRows: Row[] = [];
  for (const index of matches.toArray().keys()) {
    if (completeRows.length >= maxRows) break;
    const element = matches.eq(index);
    const { row, complete } = read(siblings === true ? element.add(element.nextUntil(list)) : element);
    if (!complete || fields.isEmpty(row, element.get(0))) continue;
    completeRows.push(row);
    ofElements.countRow(element.get(0), row);
  }
  fields.settle(completeRows);
  if (matches.length > 0 && completeRows.length === 0)
    throw new PageChangedError('No entry of the page has all required values; the page may have changed');
  return {
    kind: 'rows',
    rows: completeRows,
    doubts: [...fields.doubts, ...byOrder.doubts, ...ofElements.doubts],
    // Rows of several elements have those of all others beside them.
    among: siblings === true ? undefined : byOrder.among,
  };
}
