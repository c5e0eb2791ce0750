/** Charts without a library: a line over dates, and bars over days. */

import { getColumnNames, type ResultRow } from '../contract/result-rows.ts';
import { element, visible } from './elements.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const width = 640;
const height = 180;
/** Room above and below for labels that are twice as large where the page is narrow. */
const margin = { left: 8, right: 8, top: 26, bottom: 30 };
/** The least share of a column's values that must be dates or numbers. */
const enough = 0.8;
const fewestPoints = 3;

interface Point {
  readonly at: number;
  readonly value: number;
}

const datePattern = /^\d{4}-\d{2}(?:-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?)?$/;
const parseDate = (value: unknown): number =>
  typeof value === 'string' && datePattern.test(value) ? Date.parse(value) : Number.NaN;

/** Undefined where the rows have no column of dates or none of numbers. */
export function createChart(rows: readonly ResultRow[]): HTMLElement | undefined {
  const columns = getColumnNames(rows);
  const isMostly = (column: string, test: (value: unknown) => boolean) =>
    rows.length >= fewestPoints && rows.filter((row) => test(row[column])).length >= enough * rows.length;
  const date = columns.find((column) => isMostly(column, (value) => Number.isFinite(parseDate(value))));
  const numbers = columns.filter((column) => isMostly(column, (value) => Number.isFinite(value)));
  const [first] = numbers;
  if (date === undefined || first === undefined) return undefined;
  const select = element(
    'select',
    { 'aria-label': 'Column of the chart' },
    ...numbers.map((column) => element('option', { value: column }, visible(column))),
  );
  const figure = element('figure');
  const draw = () => {
    const points = toPoints(rows, date, select.value);
    figure.replaceChildren(
      lineChart(points, `${visible(select.value)} by ${visible(date)}`),
      element('figcaption', { class: 'quiet' }, `${visible(select.value)} by ${visible(date)}`),
    );
  };
  select.addEventListener('change', draw);
  draw();
  return element(
    'details',
    { class: 'chart' },
    element('summary', {}, 'Chart'),
    ...(numbers.length > 1 ? [select] : []),
    figure,
  );
}

function toPoints(rows: readonly ResultRow[], date: string, column: string): Point[] {
  const points = rows.flatMap((row) => {
    const [at, value] = [parseDate(row[date]), row[column]];
    return Number.isFinite(at) && typeof value === 'number' && Number.isFinite(value) ? [{ at, value }] : [];
  });
  return points.sort((a, b) => a.at - b.at);
}

function lineChart(points: readonly Point[], label: string): SVGElement {
  let [least, most] = [0, 0];
  for (const { value } of points) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const [start = 0, end = 0] = [points[0]?.at, points.at(-1)?.at];
  const x = (time: number) =>
    margin.left + ((time - start) / (end - start || 1)) * (width - margin.left - margin.right);
  const y = (value: number) =>
    height - margin.bottom - ((value - least) / (most - least || 1)) * (height - margin.top - margin.bottom);
  const line = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return drawing(
    `${label}: from ${toDay(start)} to ${toDay(end)}, between ${shortNumber(least)} and ${shortNumber(most)}`,
    shape('line', { x1: '0', x2: String(width), y1: String(y(0)), y2: String(y(0)), class: 'axis' }),
    shape('polyline', { points: line, class: 'line' }),
    text(shortNumber(most), margin.left, margin.top - 6),
    text(toDay(start), margin.left, height - 6),
    text(toDay(end), width - margin.right, height - 6, 'end'),
  );
}

/** `bars` from left to right. */
export function barChart(
  bars: readonly { readonly label: string; readonly value: number }[],
  label: string,
): SVGElement {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = (width - margin.left - margin.right) / bars.length;
  const room = height - margin.top - margin.bottom;
  const shapes = bars.map(({ label: name, value }, index) => {
    const tall = (value / most) * room;
    const bar = shape('rect', {
      x: (margin.left + index * step + step * 0.15).toFixed(1),
      y: (height - margin.bottom - tall).toFixed(1),
      width: (step * 0.7).toFixed(1),
      height: Math.max(value > 0 ? 1 : 0, tall).toFixed(1),
      rx: '2',
      class: 'bar',
    });
    const title = shape('title');
    title.textContent = `${name}: ${value}`;
    bar.append(title);
    return bar;
  });
  return drawing(
    `${label}; at most ${shortNumber(most)} in one`,
    shape('line', {
      x1: '0',
      x2: String(width),
      y1: String(height - margin.bottom),
      y2: String(height - margin.bottom),
      class: 'axis',
    }),
    ...shapes,
    text(shortNumber(most), margin.left, margin.top - 6),
    text(bars[0]?.label ?? '', margin.left, height - 6),
    text(bars.at(-1)?.label ?? '', width - margin.right, height - 6, 'end'),
  );
}

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
const shortNumber = (value: number): string =>
  new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

function drawing(label: string, ...shapes: readonly SVGElement[]): SVGElement {
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  svg.append(...shapes);
  return svg;
}

function shape(name: string, attributes: Readonly<Record<string, string>> = {}): SVGElement {
  const made = document.createElementNS(svgNamespace, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

function text(content: string, x: number, y: number, anchor = 'start'): SVGElement {
  const made = shape('text', { x: String(x), y: String(y), 'text-anchor': anchor });
  made.textContent = content;
  return made;
}
