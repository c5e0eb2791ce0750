/** State beside what the page shows of it: prices that it counts in hundredths, and codes that the page puts in words. */

import type { Candidate, Column } from './candidate.ts';
import { inWholes } from './json-columns.ts';
import { plain } from './words.ts';

export interface Shown {
  readonly text: string;
  readonly numbers: ReadonlySet<number>;
}

const maxText = 500_000;

/** What a page shows: its text, and its numbers however they are written. */
export function shownValues(text: string): Shown {
  const numbers = new Set<number>();
  for (const [found] of text.slice(0, maxText).matchAll(/\d[\d.,'’\u00a0\u202f]*/g)) {
    const digits = found.replace(/[.,'’\u00a0\u202f]+$/, '').replace(/['’\u00a0\u202f]/g, '');
    const isComma = /^\d+,\d\d?$|\.\d{3},\d/.test(digits);
    numbers.add(Number(isComma ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '')));
    if (/^\d{1,3}(?:\.\d{3})+$/.test(digits)) numbers.add(Number(digits.replaceAll('.', '')));
  }
  return { text: plain(text.slice(0, maxText)).replace(/\s+/g, ' '), numbers };
}

const isMost = <T>(values: readonly T[], passes: (value: T) => boolean) =>
  values.length > 0 && values.filter(passes).length >= values.length * 0.8;

const isNumeric = (column: Column) =>
  column.type.rules.type === 'number' && column.samples.every((sample) => /^\d+$/.test(sample));

/** IN_STOCK, full-time: one of a few, in the words of a program. */
const isCode = (column: Column) =>
  column.type.rules.type === 'text' &&
  column.samples.length > 1 &&
  column.samples.every((sample) =>
    /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:[_-][a-z0-9]+)+)$/.test(sample),
  ) &&
  new Set(column.samples).size <= Math.max(column.samples.length / 2, 2);

/** 2467 seconds as 41:07, and no such number as it is. */
function showsLength(seconds: number, text: string): boolean {
  if (seconds < 60 || seconds > 100_000) return false;
  const two = (part: number) => String(part).padStart(2, '0');
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor((seconds % 3_600) / 60),
    two(seconds % 60),
  ];
  return text.includes(hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`);
}

/** Whatever is shown otherwise is taken as it is shown, or from where it is shown. */
export function asShown(candidate: Candidate, { text, numbers }: Shown): Candidate {
  const isShown = (sample: string) => text.includes(plain(sample).replace(/\s+/g, ' ').trim());
  const title = candidate.columns.find(({ isTitle }) => isTitle);
  if (title === undefined || !isMost(title.samples, isShown)) return candidate;
  const columns = candidate.columns.flatMap((column): Column[] => {
    if (isCode(column) && !column.samples.some(isShown)) return [];
    // Seconds that the page shows as 41:07 are taken from there.
    if (isNumeric(column) && isMost(column.samples, (sample) => showsLength(Number(sample), text))) return [];
    const inHundreds = (sample: string) => numbers.has(Number(sample) / 100);
    const isHundredths =
      isNumeric(column) &&
      column.source.in === 'json' &&
      isMost(column.samples, (sample) => Number(sample) >= 100 && inHundreds(sample)) &&
      !column.samples.some((sample) => numbers.has(Number(sample)));
    if (!isHundredths || column.source.in !== 'json') return [column];
    return [
      {
        ...column,
        source: { in: 'json', path: inWholes(column.source.path) },
        samples: column.samples.map((sample) => String(Number(sample) / 100)),
      },
    ];
  });
  return { ...candidate, columns };
}
