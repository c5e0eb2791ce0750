/** Finds the day of publication in texts, and tells it from other days. */
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { readDate } from '../../compare/date.ts';
import { collapse, shownText } from '../page/elements.ts';
import { inLine } from '../page/slot-names.ts';

/** Behind a time. The day is the one that the page shows, in whatever zone that is. */
const zone = /(?<=\d(?: ?[ap]\.?m\.?)?) ?\(?(?!am|pm|a\.m|p\.m)\p{L}{2,5}\)?$/iu;

export const toDay = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const iso = /^\s*((?:1[5-9]|2[01])\d\d-\d\d-\d\d)/.exec(value)?.[1];
  return iso ?? (readDate(value.trim().replace(zone, '')) ?? readDate(value))?.slice(0, 10);
};

/** Nothing was published tomorrow: that is when something will be. */
export const untilToday = (day: string | undefined): string | undefined =>
  day === undefined || Date.parse(day) > Date.now() ? undefined : day;

export const ofPublication =
  /publi|post|dat(?:e|um|a|o)$|fecha|veröffentlich|erschienen|vom$|stand|online|added|since|geplaatst|opublikowan|dodan/i;

/** What tells another day than that of publication. */
export const otherDay =
  /\b(?:updated?|modified|revised|event|deadline|expir\w*|due|start|end|born|birth|clos(?:es|ed|ing)|ends|opens|\w*frist|\w*schluss|aktualisiert|geändert|mis à jour|actualizado|clôture|échéance|cierre|plazo|scadenza)\b/i;

/** Before a date that is not that of the text. */
const otherBefore =
  /(?:\b(?:born|died|since|until|before|after|from|between|deadline|geboren|gestorben|seit|bis|née?|nacid[oa])\b[^.;]{0,12})$/iu;
/** A heading and the text below it have no space between them. */
const sentenceBefore = /(?:On|In|Am) $/u;
export const dayForms =
  /\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{4}\b|\b\p{L}{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b|\b\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:de\s+)?\p{L}{3,12}\.?,?\s+(?:de\s+)?\d{4}\b/u;

/** The day of a date in such a form. */
const readForm = (written: string) => toDay(written.replace(/(\d)(?:st|nd|rd|th)\b/, '$1'));

/** The first date in a text, as it is written there. */
export function findDay(text: string): string | undefined {
  const { 0: written, index = 0 } = dayForms.exec(text) ?? {};
  if (
    written === undefined ||
    otherBefore.test(text.slice(0, index)) ||
    sentenceBefore.test(text.slice(0, index))
  )
    return undefined;
  return untilToday(readForm(written));
}

/** The most that a line with several days says, in characters. */
const longestLine = 200;

/** The text of an element with each stated day as `YYYY-MM-DD`; undefined where it is longer than a line. */
function readLine(element: Element): string | undefined {
  let line = '';
  const walk = (node: AnyNode): void => {
    if (line.length > longestLine) return;
    if (isText(node)) line += node.data;
    if (!isTag(node)) return;
    const day = node.name === 'time' ? toDay(node.attribs.datetime) : undefined;
    const own = day === undefined ? '' : shownText(node);
    if (day !== undefined)
      line += ` ${findDay(own) === undefined ? own.replace(/\P{L}*\d.*$/su, '') : ''} ${day} `;
    else {
      line += ' ';
      for (const child of node.children) walk(child);
    }
  };
  walk(element);
  return line.length > longestLine ? undefined : collapse(line);
}

const allDays = new RegExp(dayForms.source, 'gu');

/** What a line calls each of its days. */
function readLabels(line: string) {
  let end = 0;
  return [...line.matchAll(allDays)].flatMap(({ 0: written, index }) => {
    const before = line.slice(end, index).split(inLine).at(-1) ?? '';
    end = index + written.length;
    const day = readForm(written);
    return day === undefined ? [] : [{ day, label: collapse(before) }];
  });
}

/**
 * Tells several days in one line apart by what the line calls them: "Closes 24 Nov 2025 · Posted 3 Nov 2025". Returns 'none' where
 * all are called something else, and undefined where that says nothing, as where there is one day.
 */
export function chooseDay(element: Element): string | 'none' | undefined {
  const labels = readLabels(readLine(element) ?? '');
  if (new Set(labels.map(({ day }) => day)).size < 2) return undefined;
  const others = labels.filter(({ label }) => !otherDay.test(label));
  const published = others.find(({ label }) => ofPublication.test(label));
  if (published !== undefined) return published.day;
  if (others.length === 0) return 'none';
  const isCalled = labels.every(({ label }) => /\p{L}/u.test(label));
  // Beside the day of an update, a name may stand before that of publication.
  return isCalled && others.length === labels.length ? 'none' : undefined;
}
