/** "Room 12", "Room 305": a word that all values start with says what they are. */
export function sharedStart(values: readonly string[]): string {
  const [start = ''] = /^\p{L}{3,}(?=\s)/u.exec(values[0] ?? '') ?? [];
  const isShared =
    start !== '' &&
    values.length > 1 &&
    values.every((value) => value.length < 40 && value.startsWith(`${start} `));
  return isShared ? start : '';
}

/** How the texts of a place are read: a label cut off, a rating, the parts of a line, or simply a type. */
import type { ValueRules } from '../recipes/schema.ts';
import { amountsIn, isPerUnit, perUnit } from './amounts.ts';
import { collapse, literally } from './elements.ts';
import type { Slot } from './slots.ts';
import type { Drawn } from './stars.ts';
import { stem } from './stem.ts';
import { fromFirstDigit, text, typeOfTexts, type ValueType } from './value-type.ts';
import { wordsOf } from './words.ts';

/** "Price: 12" in every row: the label names the column and is cut off. */
function labelIn(values: readonly string[]): { label: string; match: string } | undefined {
  const [first = ''] = values;
  const label = /^(\p{L}[\p{L} /()-]{1,28}):\s+\S/u.exec(first)?.[1];
  if (
    label !== undefined &&
    values.filter((value) => value.startsWith(`${label}:`)).length >= values.length * 0.9
  )
    return { label, match: `^${literally(label)}:\\s*(.*)` };
  const word = /^(by|By|von|Von|par|Par|por|Por|Posted by|posted by|Written by|written by)\s+\S/.exec(
    first,
  )?.[1];
  if (word !== undefined && values.every((value) => value.startsWith(`${word} `)))
    return { label: 'by', match: `^${literally(word)}\\s+(.*)` };
  // "ext. 2001", "Tel. 0445 221190"
  const short = /^(\p{L}{2,6})\.\s?[\d+(]/u.exec(first)?.[1];
  if (short !== undefined && !said.test(short) && values.every((value) => value.startsWith(`${short}.`)))
    return { label: short, match: `^${literally(short)}\\.\\s*(.*)` };
  return undefined;
}
/** Short forms before a number that belong to it. */
const said =
  /^(?:ca|approx|circa|about|min|max|est|avg|no|nr|us|rs|kr|fr|jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sept?|o[ck]t|nov|de[czk]|gen|mag|giu|lug|ago|set|ott|dic|ene|abr|f[eé]v|avr|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)$/i;

/** A type within what a pattern finds: "Tue 3 May 2024" after a label is a date from its first digit on. */
function within(type: ValueType, match: string): ValueType {
  const inner = type.rules.type === 'date' ? type.rules.match : undefined;
  const dated = match.replace(/\((\.\*\??)\)/u, (group, any: string) => {
    if (inner === fromFirstDigit) return `\\D*?(\\d${any})`;
    return inner === undefined ? group : `.*?${inner}.*?`;
  });
  return { ...type, rules: { ...type.rules, match: dated } };
}

const stars = Object.fromEntries(
  [0, 1, 2, 3, 4, 5].flatMap((count) => [
    ['★'.repeat(count) + '☆'.repeat(5 - count), count],
    ...(count > 0 ? [['★'.repeat(count), count]] : []),
    ...(count > 0 ? [['⭐'.repeat(count), count]] : []),
  ]),
);
const spelled: Readonly<Record<string, number>> = { zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5 };
const spelledMap = Object.fromEntries(
  Object.entries(spelled).flatMap(([word, value]) => [
    [word, value],
    [`${word[0]?.toUpperCase()}${word.slice(1)}`, value],
  ]),
);

export interface Reading {
  readonly type: ValueType;
  /** From a label in the text. */
  readonly names: readonly string[];
  /** A part by a sign that many texts have which are one value: taken only where the whole does not do. */
  readonly weak?: true;
  /** From what stands beside a number. */
  readonly unitNames?: readonly string[];
}

const outOf =
  /(\d+(?:[.,]\d+)?)\s*(?:out of|von|sur|de|su|van|av|af|z)\s*(?:5|10)(?:\s\p{L}+)?(?![\d.,]*\d)/u;

/** Stars and spelled numbers are a rating. */
function ratingOf(values: readonly string[], attribute: string | undefined): Reading | undefined {
  if (attribute === 'class') {
    const rules: ValueRules = {
      type: 'json',
      match: '\\b([Zz]ero|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive)\\b',
      map: spelledMap,
    };
    return { type: { rules }, names: ['rating'] };
  }
  if (
    values.every((value) => Object.hasOwn(stars, value.replace(/\s/g, ''))) &&
    values.every((value) => !/\s/.test(value))
  )
    return { type: { rules: { type: 'json', map: stars } }, names: ['rating', 'star'] };
  // "A star rating of 4.8 out of 5."
  if (values.length > 1 && values.every((value) => value.length < 60 && outOf.test(value))) {
    const found = typeOfTexts(
      values.flatMap((value) => outOf.exec(value)?.[1] ?? []),
      'en',
    );
    if (found.rules.type === 'number')
      return { type: { rules: { ...found.rules, match: outOf.source } }, names: ['rating', 'star'] };
  }
  return undefined;
}

/** What parts of a text stand apart by, as regular expressions; the last where a text has several of them. */
const separators = [
  '\\|',
  '·',
  '•',
  '\\s[–—]\\s',
  '\\s/\\s',
  '\\s-\\s',
  // "Soup ........ 4.50"
  '(?:\\.\\s?){3,}|…+',
  '[|·•]|\\s[–—-]\\s|\\s/\\s',
];

/** "Ann | 3 May 2024 | 5 comments" in every row: one reading for each part. */
function partsOf(values: readonly string[], language: string): Reading[] {
  if (values.length < 2 || values.some((value) => value.length > 160)) return [];
  for (const gap of separators) {
    const pattern = new RegExp(gap, 'u');
    const split = values.map((value) => value.split(pattern).map(collapse));
    const counts = new Set(split.map(({ length }) => length));
    const [count = 0] = counts;
    if (counts.size !== 1 || count < 2 || count > 6) continue;
    return Array.from({ length: count }, (_, index) => {
      const parts = split.map((each) => each[index] ?? '');
      const before = `^(?:.*?(?:${gap})){${index}}\\s*`;
      const label = labelIn(parts);
      const inside =
        label === undefined
          ? parts
          : parts.map((part) => new RegExp(label.match, 'u').exec(part)?.[1] ?? part);
      const type = typeOfTexts(inside, language);
      const prefix = label === undefined ? '' : label.match.replace(/^\^|\(\.\*\)$/g, '');
      // What follows the separator is cut off by a look ahead, so that the last part needs none.
      const match = `${before}${prefix}(.*?)\\s*(?:${gap}|$)`;
      return {
        type: within(type, match),
        names: [...wordsOf(label?.label ?? ''), ...wordsOf(type.unitWords ?? '')],
      };
    });
  }
  return inBrackets(values, language);
}

/** "Senior Engineer, Berlin (remote)": what stands before commas of the same number, and in a bracket at the end. */
function inBrackets(values: readonly string[], language: string): Reading[] {
  if (values.some((value) => value.length > 100)) return [];
  const bracket = /\s*\(([^()]{1,40})\)$/;
  const hasBracket = values.every((value) => bracket.test(value));
  const split = values.map((value) => (hasBracket ? value.replace(bracket, '') : value).split(/,\s+/));
  const counts = new Set(split.map(({ length }) => length));
  const [count = 0] = counts;
  // Sentences have commas as well.
  const isSplit =
    counts.size === 1 &&
    count >= 2 &&
    count <= 4 &&
    split.every((parts) =>
      parts.every((part) => part !== '' && part.length <= 40 && !/^\p{Ll}+\s/u.test(part)),
    );
  const reading = (parts: readonly string[], match: string): Reading => {
    const type = typeOfTexts(parts, language);
    const told = sharedStart(parts);
    return {
      type: within(type, match),
      names: wordsOf(type.unitWords ?? told),
      ...(told === '' ? { weak: true } : {}),
    };
  };
  const end = hasBracket ? '\\s*\\([^()]*\\)$' : '$';
  const heads = !isSplit
    ? []
    : Array.from({ length: count }, (_, index) =>
        reading(
          split.map((parts) => parts[index] ?? ''),
          `^(?:[^,]*,\\s+){${index}}(.*?)(?:,\\s|${end})`,
        ),
      );
  if (!hasBracket) return heads;
  const inside = values.map((value) => bracket.exec(value)?.[1] ?? '');
  return [
    ...(heads.length > 0
      ? heads
      : [
          reading(
            split.map((parts) => parts.join(', ')),
            `^(.*?)${end}`,
          ),
        ]),
    reading(inside, '\\(([^()]*)\\)$'),
  ];
}

/** "By Jane Doe in Travel": whose it is, and where it belongs. */
function bylineOf(values: readonly string[]): Reading[] {
  const by = '^(?:[Bb]y|[Vv]on|[Pp]ar|[Pp]or|[Dd]i|[Dd]oor|[Aa]v|[Aa]f)\\s+';
  const stop = '(?=\\s+(?:in|on|am|le|el|op|den)\\s|\\s*(?:[|·•,(]|\\s[–—-]\\s)|\\s+\\d|$)';
  const author = `${by}(\\p{Lu}.*?)${stop}`;
  const matches = (match: string) =>
    values.filter((value) => new RegExp(match, 'u').test(value)).length >= values.length * 0.9;
  if (values.some((value) => value.length > 120) || !matches(author)) return [];
  const topic = `${by}\\p{Lu}.*?\\s(?:in|dans|en|unter)\\s+(\\p{Lu}.*?)${stop}`;
  return [
    { type: { rules: { type: 'text', match: author } }, names: ['author'] },
    ...(matches(topic)
      ? [{ type: { rules: { type: 'text' as const, match: topic } }, names: ['category', 'section'] }]
      : []),
  ];
}

const medium = '(?:[Pp]hoto(?:graph(?:ed)?)?|[Ii]mage|[Pp]icture|[Ff]oto|[Pp]ainted|[Dd]rawn|[Ww]ritten)';
/** Names begin with capital letters, so that "paid by card" is no credit; hence no flag for either case. */
const name = "\\p{Lu}[\\p{L}.'’-]*(?:\\s+(?:\\p{Ll}{1,3}\\s+)?\\p{Lu}[\\p{L}.'’-]*){0,4}";
const credit = new RegExp(
  `^(.{1,80}?)[\\s,.;·|–—(-]+((?:${medium}\\s*)?(?:[Bb]y|[Vv]on|[Pp]ar|[Pp]or)|(?:${medium}|[Cc]redit|[Aa]rtist)\\s*:|©)\\s*(${name})(?:,?\\s*\\(?\\d{4}\\)?)?\\)?\\.?$`,
  'u',
);

/** "Fog on the pier. Photo: Ann Lee", "Fog by Ann Lee": what it shows, and whose it is. */
function creditsOf(values: readonly string[]): Reading[] {
  const found = values.map((value) => (value.length > 160 ? null : credit.exec(value)));
  if (values.length < 2 || found.filter((one) => one !== null).length < values.length * 0.9) return [];
  const isPhoto = found.some((one) => /photo|foto|image|picture/i.test(one?.[2] ?? ''));
  const markers = [...new Set(found.flatMap((one) => one?.[2] ?? []))].slice(0, 6).map(literally).join('|');
  const title = `^(.+?)[\\s,.;·|–—(-]+(?:${markers})\\s*\\p{Lu}[^()]{1,40}\\)?$`;
  const whose = `^.+?[\\s,.;·|–—(-]+(?:${markers})\\s*(\\p{Lu}[^()]{1,40}?)(?:,?\\s*\\(?\\d{4}\\)?)?\\)?\\.?$`;
  return [
    { type: { rules: { type: 'text', match: title } }, names: ['title', 'caption'] },
    {
      type: { rules: { type: 'text', match: whose } },
      names: isPhoto ? ['photographer', 'author'] : ['author'],
    },
  ];
}

const lead = new RegExp(`^(${medium}\\s*(?:by\\b|:|©)|©|[Cc]redit\\s*:)\\s*\\p{Lu}`, 'u');

/** "Photo: Ann Lee" and "Photograph by Ann Lee" in the same place. */
function creditOf(values: readonly string[]): Reading | undefined {
  const found = values.map((value) => (value.length > 80 ? null : lead.exec(value)));
  if (values.length < 2 || found.filter((one) => one !== null).length < values.length * 0.9) return undefined;
  const markers = [...new Set(found.flatMap((one) => one?.[1] ?? []))].slice(0, 6).map(literally).join('|');
  const match = `^(?:${markers})\\s*(\\p{Lu}.*?)(?:,?\\s*\\(?\\d{4}\\)?)?$`;
  return { type: { rules: { type: 'text', match } }, names: ['photographer', 'author'] };
}

/** "3 credits", "1-4 credits", "1 credit": what is counted, where ranges make it a text. */
function countedIn(values: readonly string[]): string {
  const nouns = values.map((value) => /^\d[\d.,\s–—-]*(?:to\s\d+\s)?(\p{L}{3,})$/u.exec(value)?.[1]);
  const [first = ''] = nouns;
  const same = nouns.every(
    (noun) => noun !== undefined && stem(noun.toLowerCase()) === stem(first.toLowerCase()),
  );
  return values.length > 1 && same ? first : '';
}

const drawnReading = ({ match, times, map }: Drawn): Reading => ({
  type: {
    rules: {
      type: map === undefined ? 'number' : 'json',
      ...(match === undefined ? {} : { match }),
      ...(times === undefined ? {} : { times }),
      ...(map === undefined ? {} : { map }),
    },
  },
  names: ['rating', 'star'],
});

/** How the texts of a place are read: label cut off, rating, parts, or simply its type. */
export function readingsOf(values: readonly string[], slot: Slot, language: string): Reading[] {
  if (slot.kind === 'url' || slot.kind === 'image')
    return [{ type: { rules: { type: slot.kind } }, names: [] }];
  if (slot.drawn !== undefined) return [drawnReading(slot.drawn)];
  if (slot.match !== undefined) {
    const type = typeOfTexts(values, language);
    const names = wordsOf(slot.label ?? '');
    return [{ type: within(type, slot.match), names }];
  }
  if (slot.kind === 'date') {
    if (values.every((value) => /^\d{10,13}$/.test(value)))
      return [{ type: { rules: { type: 'date' } }, names: ['date'] }];
    const type = typeOfTexts(values, language);
    return [{ type: type.rules.type === 'number' ? text : type, names: ['date'] }];
  }
  const rating = ratingOf(values, slot.attribute);
  if (rating !== undefined) return [rating];
  const label = slot.leads ? undefined : labelIn(values);
  const whole = (() => {
    if (label === undefined) return typeOfTexts(values, language);
    const inside = values.map((value) => new RegExp(label.match, 'u').exec(value)?.[1] ?? value);
    const type = typeOfTexts(inside, language);
    return within(type, label.match);
  })();
  const named = label === undefined ? [] : label.label === 'by' ? ['author'] : wordsOf(label.label);
  const unitWords = [
    ...(isPerUnit(values) ? [perUnit, 'unit', 'price'] : []),
    ...wordsOf(whole.unitWords ?? (sharedStart(values) || countedIn(values))),
  ];
  const main: Reading = { type: whole, names: named, unitNames: unitWords };
  if (whole.rules.type !== 'text' || slot.inHeading) return [main];
  const credited = creditOf(values);
  if (credited !== undefined) return [credited];
  const byline = bylineOf(values);
  const amounts = amountsIn(values, language);
  const credits = creditsOf(values);
  const parts = credits.length > 0 ? credits : partsOf(values, language);
  // A number that a noun tells is no part to be told by its place.
  const others = parts.filter(({ type }) => amounts.length === 0 || type.rules.type !== 'number');
  if (byline.length === 0) return [main, ...amounts, ...others];
  const [author] = byline;
  const isMore = byline.length > 1 || parts.length > 0 || amounts.length > 0;
  if (!isMore || author === undefined) return [main, ...amounts, ...others];
  // The whole is more than a name.
  return [{ ...main, type: text, names: [] }, ...byline, ...amounts, ...others.slice(1)];
}
