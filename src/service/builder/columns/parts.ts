/** Finds parts of texts such as "Case No. 14-1629: X v. Y" by the dates, codes and separators that the texts share. */

import { literally } from '../../page/elements.ts';
import { groupBy } from '../../page/grouping.ts';
import { toFind } from '../../recipes/pattern.ts';
import { dateInText } from './dates.ts';

export interface Part {
  /** A regular expression (RE2) whose first group is the part. */
  readonly match: string;
  /** The text before the part that names it: "Filed" of "Filed: May 3". */
  readonly label: string;
  readonly values: readonly (string | null)[];
}

const maxText = 400;
const sampled = 40;
/** The least share of the texts that must have the form. */
const enough = 0.8;
const maxParts = 8;

/** Letters and digits with marks between: `14-1629`, `2021-Ohio-4548`, `CA2021-04-042`, `A.C. 24-P-171`. Times end with their half of the day. */
const code =
  '\\d{1,2}[:.]\\d{2}(?::\\d{2})?\\s?(?:[aApP]\\.[mM]\\.|[aApP][mM]\\b)|\\d{2,4} \\p{Lu}{1,4} \\d{3,}|(?:[A-Za-z]{1,4}[-.]){0,2}(?:[A-Za-z]{1,4}[-.]?)?\\d[A-Za-z\\d]*(?:[-–/.:][A-Za-z\\d]+)+|\\p{Lu}{1,4}-?\\d{3,}[A-Za-z]?|\\d{5,}';
const date = dateInText.join('|');
/** Separators of parts. A comma separates only beside a date or a code. */
const separators = ['\\s+[-–—|•·]\\s+', ':\\s+', ';\\s+', '\\s*[()[\\]]\\s*'];

interface Token {
  readonly kind: 'date' | 'code' | 'text' | 'separator';
  readonly text: string;
}

/** What follows a currency's sign is an amount: cut there, the sign would stand beside another number. */
const tokenPattern = new RegExp(
  `(?<date>(?<![\\p{L}\\d])(?:${date})(?!\\d))|(?<code>(?<![\\p{L}\\d]|\\p{Sc}\\s?[\\d.,]*)(?:${code})(?![\\p{L}\\d]))|(?<separator>${separators.join('|')})`,
  'gu',
);

/** Spaces and punctuation around a token belong to the separator beside it. Separators at both ends are dropped. */
function toTokens(text: string): Token[] {
  const tokens: Token[] = [];
  const add = (kind: Token['kind'], piece: string) => {
    const last = tokens.at(-1);
    if (kind === 'separator' && last?.kind === kind) tokens.splice(-1, 1, { kind, text: last.text + piece });
    else if (piece !== '') tokens.push({ kind, text: piece });
  };
  const addText = (raw: string) => {
    const [, lead = '', inner = '', tail = ''] = /^([\s\p{P}]*)(.*?)([\s\p{P}]*)$/u.exec(raw) ?? [];
    add('separator', lead);
    add('text', inner);
    if (inner !== '') add('separator', tail);
  };
  let at = 0;
  for (const { index, 0: whole, groups } of text.matchAll(tokenPattern)) {
    addText(text.slice(at, index));
    add(groups?.date !== undefined ? 'date' : groups?.code !== undefined ? 'code' : 'separator', whole);
    at = index + whole.length;
  }
  addText(text.slice(at));
  const start = tokens[0]?.kind === 'separator' ? 1 : 0;
  return tokens.slice(start, tokens.at(-1)?.kind === 'separator' ? -1 : undefined);
}

const toSign = ({ kind, text }: Token) =>
  kind === 'separator' ? text.replace(/\s+/g, ' ').trim() || ' ' : kind.slice(0, 1).toUpperCase();

/** A separator as a pattern: its marks, with any spaces around. A dash without spaces divides no parts: "Jay-Z - 99 Problems". */
const separatorPattern = (text: string) => {
  const marks = text.trim();
  if (/^\s+[-–—]\s+$/.test(text)) return `\\s+${marks}\\s+`;
  return marks === '' ? '\\s+' : `\\s*${marks.split(/\s+/).map(literally).join('\\s*')}\\s*`;
};

/** Words at the same place in all texts, which name the next part: "No.", "Filed". */
function constantAt(forms: readonly (readonly Token[])[], index: number): string | undefined {
  const first = forms[0]?.[index];
  if (first?.kind !== 'text' || forms.length < 3) return undefined;
  return forms.every((tokens) => tokens[index]?.text === first.text) ? first.text : undefined;
}

/** The whole form as one pattern, in which only the part at `wanted` is a group. */
function toPattern(forms: readonly (readonly Token[])[], wanted: number): string {
  const [form = []] = forms;
  const inner = { date, code, text: '.+?' };
  const pieces = form.map(({ kind, text }, index) => {
    if (kind === 'separator') return separatorPattern(text);
    const constant = constantAt(forms, index);
    const isLast = kind === 'text' && index === form.length - 1;
    // In brackets it ends with them: "(11 available)".
    const before = form[index - 1];
    const rest = /[([]\s*$/.test(before?.text ?? '') ? '[^()[\\]]+' : '.+';
    // Right behind a time or a date it begins with a sign, or it would take the last digit of "12:10".
    const isBehind = kind === 'text' && before !== undefined && before.kind !== 'separator';
    const open = isBehind ? `[^\\p{L}\\d]${isLast ? '.*' : '.*?'}` : isLast ? rest : inner[kind];
    const piece = constant === undefined ? open : literally(constant);
    return index === wanted ? `(${piece})` : `(?:${piece})`;
  });
  return `^\\W*?${pieces.join('')}\\W*$`;
}

const joint = '(?: ?[–—-] ?| (?:to|until|till|bis|au|al|tot|до) )';
const lastDay = `\\d{1,2}(?:\\.? (?:de )?\\p{L}{3,10}\\.? |([./])\\d{1,2}\\1\\d{2})|\\d{4}-\\d\\d-\\d`;
/** `3–5 May 2026`, `30 Aug – 2 Sep 2026`, `12.–14.11.2026`: its last date is not that of the text. */
const span = new RegExp(`\\d[./]?(?: \\p{L}{3,10}\\.?)?${joint}(?:${lastDay})`, 'u');
/** `ab 7.12.2026`: not that day, where others are days. */
const bound =
  /^(?:ab|seit|bis|from|since|until|till|dès|depuis|jusqu['’]au|desde|hasta|dal|fino al|vanaf|tot|från|с|до) /iu;
const haveSpans = (texts: readonly string[]) =>
  texts.some((text) => span.test(text)) ||
  (texts.some((text) => bound.test(text)) && !texts.every((text) => bound.test(text)));

function partsByForm(texts: readonly string[]): Part[] {
  const groups = groupBy(texts.map(toTokens), (form) => form.map(toSign).join(''));
  const [common = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  const [form = []] = common;
  if (form.length < 2 || form.length > 15 || common.length < Math.max(2, texts.length * 0.4)) return [];
  const isSpan = haveSpans(texts);
  return form.flatMap(({ kind }, index) =>
    kind === 'separator' ||
    (kind === 'date' && isSpan) ||
    constantAt(common, index) !== undefined ||
    beginsWithUnit(common, index)
      ? []
      : partFor(toPattern(common, index), labelFor(common, index), texts),
  );
}

/** Separators that most texts contain, for texts without a common form. */
const marks = ['\\s+[(\\[]', '\\s+[-–—|]\\s+'];

/** The text before the first separator, or the whole text if there is none. */
const partsBeforeMark = (texts: readonly string[]): Part[] =>
  (haveSpans(texts) ? [] : marks)
    .filter((mark) => texts.filter((text) => new RegExp(mark, 'u').test(text)).length >= texts.length * 0.4)
    .flatMap((mark) => partFor(`^(.+?)(?:${mark}.*)?$`, '', texts));

/** The text before the last comma, if only few different short texts follow it: "Ann Doe, J.", "Bo Roe, P.J.". */
function partsBeforeTitle(texts: readonly string[]): Part[] {
  const titles = texts.flatMap((text) => /^[^,].*,\s+([^,\d]{1,30})$/u.exec(text)?.[1] ?? []);
  const areFew = new Set(titles).size <= Math.max(2, titles.length / 3);
  return titles.length < texts.length * enough || titles.length < 3 || !areFew
    ? []
    : partFor('^(.+?)(?:,\\s+[^,\\d]{1,30})?$', '', texts);
}

/** What all texts say right behind a code, before a mark or the end: the unit of "41.200 km •", which names no later part. */
function unitAt(forms: readonly (readonly Token[])[], index: number): string | undefined {
  const [form = []] = forms;
  const [before, after] = [form[index + 1]?.text.trim(), form[index + 3]?.text.trim()];
  if (form[index]?.kind !== 'code' || before !== '' || after === '' || after?.includes(':')) return undefined;
  return constantAt(forms, index + 2);
}

/** Whether a text goes on with the unit of the figures before it: "players, from 8 years" of "2–4 players, from 8 years". */
function beginsWithUnit(forms: readonly (readonly Token[])[], index: number): boolean {
  const [form = []] = forms;
  if (form[index]?.kind !== 'text' || form[index - 2]?.kind !== 'code' || forms.length < 3) return false;
  const firstWords = forms.map((tokens) => tokens[index]?.text.split(/[\s,;]/)[0]);
  return form[index - 1]?.text.trim() === '' && new Set(firstWords).size === 1;
}

function labelFor(forms: readonly (readonly Token[])[], index: number): string {
  const isUnit = (at: number) => unitAt(forms, at - 2) !== undefined;
  const before = [index - 2, index - 1].flatMap((at) => (isUnit(at) ? [] : (constantAt(forms, at) ?? [])))[0];
  return (unitAt(forms, index) ?? before ?? '').replace(/[\s\p{P}]+$/u, '');
}

/** Uses the recipe engine's linear patterns: JavaScript's could run forever on other texts. */
const findValues = (texts: readonly (string | null)[], match: string) => {
  const find = toFind(match);
  return texts.map((text) => (text === null ? null : find(text)?.trim() || null));
};

/** The part as a list of one; empty where too few texts have it, or all have the same value. */
function partFor(
  match: string,
  label: string,
  texts: readonly string[],
  { least = enough, mayRepeat = false } = {},
): Part[] {
  const values = findValues(texts, match);
  const present = values.filter((value) => value !== null);
  const isSame = !mayRepeat && texts.length > 2 && new Set(present).size === 1;
  return isSame || present.length < texts.length * least ? [] : [{ match, label, values }];
}

const labelled = /(?<![\p{L}\d-])(\p{Lu}[\p{L}.'’/#() -]{1,30}?)\s*[:#]\s+(?=\S)/gu;

/** Possible labels in "Ann Doe Lower Court:": the words from each capital letter on. */
const toEnds = (words: string): string[] =>
  [...words.matchAll(/(?<![^\s])\p{Lu}/gu)].map(({ index }) => words.slice(index));

/** "Docket: 12-3 Judge: Ann Doe": labels that most texts have, each with the text up to the next label. */
function partsByLabel(texts: readonly string[]): Part[] {
  const found = texts.map((text) => [...text.matchAll(labelled)].map(([, label = '']) => toEnds(label)));
  const counts = new Map<string, number>();
  for (const ends of found)
    for (const label of new Set(ends.flat())) counts.set(label, (counts.get(label) ?? 0) + 1);
  const timesIn = (ends: readonly string[][], label: string) =>
    ends.filter((some) => some.includes(label)).length;
  // "Leeds Start" in "Location: Leeds Start: 2026", where others say "York Start": a value stands before the label.
  const hasValue = (label: string, times: number) =>
    [...counts].some(
      ([end, more]) =>
        more > times &&
        label.endsWith(` ${end}`) &&
        found.every((ends) => timesIn(ends, label) === 0 || timesIn(ends, label) === timesIn(ends, end)),
    );
  const least = Math.max(2, texts.length * 0.3);
  const labels = [...counts]
    .flatMap(([label, times]) => (times >= least && !hasValue(label, times) ? label : []))
    .slice(0, maxParts);
  const end = `[\\s|•·;,]*(?:(?:${labels.map(literally).join('|')})\\s*[:#]\\s|$)`;
  // Right behind the label another one says that its value is empty.
  return labels.flatMap((label) =>
    partFor(`${literally(label)}\\s*[:#]\\s+(.*?)${end}`, label, texts, { least: 0.3, mayRepeat: true }),
  );
}

/** The date that each text has somewhere. */
const dateAnywhere = (texts: readonly string[]): Part[] =>
  (haveSpans(texts) ? [] : dateInText)
    .filter(
      (pattern) =>
        texts.filter((text) => new RegExp(pattern, 'u').test(text)).length >= texts.length * enough,
    )
    .flatMap((pattern) => partFor(`(?:^|[^\\p{L}\\d])(${pattern})(?:$|\\D)`, '', texts, { mayRepeat: true }))
    .slice(0, 1);

/** The parts of a column's texts; none where the texts have no common form. */
export function findParts(texts: readonly (string | null)[]): Part[] {
  const present = texts
    .flatMap((text) => (text === null || text === '' || text.length > maxText ? [] : [text]))
    .slice(0, sampled);
  if (present.length < Math.max(1, texts.length * 0.5)) return [];
  const several =
    present.length > 1
      ? [...partsByForm(present), ...partsBeforeMark(present), ...partsBeforeTitle(present)]
      : [];
  const parts = [...partsByLabel(present), ...several, ...dateAnywhere(present)];
  const seen = new Set([JSON.stringify(present)]);
  const labels = new Set<string>();
  const distinct = parts.filter(({ values, label }) => {
    const key = JSON.stringify(values);
    // Two finders may find the same label; the first one ends the value at the next label.
    if (seen.has(key) || labels.has(label)) return false;
    if (label !== '') labels.add(label);
    return seen.add(key);
  });
  return distinct.slice(0, maxParts).map((part) => ({ ...part, values: findValues(texts, part.match) }));
}

/** Whether such words only name what follows. Others are part of it: "in stock", "from 60 €", "by appointment". */
export const namesRest = (lead: string, rest: readonly (string | null)[]): boolean => {
  if (/[:#]\s*$/.test(lead)) return true;
  const present = rest.filter((text) => text !== null && text !== '');
  const mostAre = (form: RegExp) =>
    present.filter((text) => form.test(text ?? '')).length >= present.length * enough;
  if (/No\.\s*$/.test(lead)) return mostAre(/\d/);
  // Names of people begin with a capital, and users are many: "by train" stands in several rows.
  const areUsers = () => mostAre(/^\S+$/) && new Set(present).size >= present.length * enough;
  return /(?:^|\s)by\s$/.test(lead) && (mostAre(/^\p{Lu}/u) || areUsers());
};

/** Words that begin most of several texts: "by ", "Filed: ", "No. ", "in ". */
export function sharedLead(texts: readonly (string | null)[]): string | undefined {
  const present = texts.filter((text) => text !== null && text !== '');
  const [first] = present;
  if (typeof first !== 'string' || present.length < 3 || new Set(present).size < 2) return undefined;
  const form = /^(?:\p{L}[\p{L} .]{0,30}[:#](?!\/\/)|(?:\p{Ll}+ ){1,5}|(?:\p{L}+ ){0,2}No\.)\s*(?=\S)/u;
  let [lead] = form.exec(first) ?? [];
  while (lead !== undefined) {
    const start = lead;
    const leading = present.filter((text) => text?.startsWith(start) && text.length > start.length);
    if (leading.length >= present.length * enough) return start;
    // Drops the last word until the lead begins most of the texts.
    lead = /^(?:\p{Ll}+ )+(?=\p{Ll}+ $)/u.exec(start)?.[0];
  }
  return undefined;
}

/** The pattern of the text after a label that all of some lines have. */
export const afterLabel = (lead: string): string => `^${literally(lead.trim())}\\s*(.+)$`;

/** The pattern of the text after such words and a mark, or of the whole text without them. */
export const afterLead = (lead: string, mark = ''): string =>
  `^(?:${literally(lead.trim())}${mark}\\s*)?(.+)$`;
