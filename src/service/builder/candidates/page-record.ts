/**
 * The page as one record: its heading, its head's metadata, labelled values, lists below headings, and elements with
 * telling classes.
 */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { isSynonym } from '../../catalog/synonyms.ts';
import {
  classWords,
  collapse,
  getClasses,
  getElements,
  getTag,
  shownText,
  stableClasses,
  tagWithClass,
} from '../../page/elements.ts';
import { addTo } from '../../page/grouping.ts';
import { isNavigation } from '../../page/surroundings.ts';
import type { Place } from '../columns/place.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findLabelledValues } from './labelled-values.ts';
import { findSections } from './sections.ts';

const maxNamed = 30;
const maxText = 400;

/** What the head of a page states, by its names and those of its tags. */
const metas: readonly { readonly names: readonly string[]; readonly properties: readonly string[] }[] = [
  { names: ['image'], properties: ['og:image', 'twitter:image', 'og:image:url'] },
  { names: ['description', 'summary'], properties: ['og:description', 'description'] },
  { names: ['author'], properties: ['author', 'article:author'] },
  { names: ['date published'], properties: ['article:published_time', 'date'] },
  { names: ['date modified'], properties: ['article:modified_time'] },
];

/** The heading, and what the head of the page states. */
function headPlaces(html: CheerioAPI): Place[] {
  const heading = html('h1')
    .toArray()
    .find((element) => shownText(element) !== '');
  const options = heading === undefined ? [] : ['h1', tagWithClass(heading), 'main h1', 'article h1'];
  const select = options.find((selector) => html(selector).get(0) === heading);
  const places: Place[] =
    select === undefined
      ? []
      : [{ source: { select }, label: 'Heading', names: ['title', 'name'], isTitle: true }];
  for (const { names, properties } of metas) {
    // Many pages write `name` where `property` is meant.
    const isStated = (select: string) => html(select).length > 0;
    const label = properties.find((name) => isStated(`meta[property="${name}"], meta[name="${name}"]`));
    const select = [`meta[property="${label}"]`, `meta[name="${label}"]`].find(isStated);
    if (label === undefined || select === undefined || !html(select).attr('content')) continue;
    const hint = names[0] === 'image' ? 'image' : undefined;
    places.push({ source: { select, attribute: 'content' }, label, names, hint });
  }
  return places;
}

/** Whether a class names a label and not a value: "ingredients title", "card label". */
const isLabelName = (words: readonly string[]) =>
  words.length > 1 &&
  /^(?:labels?|titles?|titre|titulo|headings?|headers?|links?|buttons?|icons?)$/.test(words.at(-1) ?? '') &&
  words.slice(0, -1).some(isSynonym);

/** Elements whose class says what they hold, if one element has it, or several siblings. */
function namedPlaces(html: CheerioAPI): Place[] {
  const byClass = new Map<string, Element[]>();
  for (const element of html<Element, string>('body [class]').toArray().slice(0, 8_000)) {
    if (/^(?:body|nav|script|style|svg|form|input|button|iframe)$/.test(element.name)) continue;
    for (const name of stableClasses(getClasses(element))) addTo(byClass, name, element);
  }
  const places: Place[] = [];
  for (const [name, elements] of byClass) {
    const words = classWords([name]);
    if (places.length >= maxNamed || !words.some(isSynonym) || isLabelName(words) || isNavigation(elements))
      continue;
    const place = namedPlace(name, elements, html);
    if (place !== undefined) places.push({ ...place, label: words.join(' '), names: [words.join(' ')] });
  }
  return places;
}

function namedPlace(
  name: string,
  elements: readonly Element[],
  html: CheerioAPI,
): Pick<Place, 'source' | 'hint'> | undefined {
  const shown = elements.filter((element) => shownText(element) !== '');
  const [element] = shown;
  if (element === undefined) {
    const image = elements.find((one) => one.name === 'img' || html(one).find('img').length > 0);
    return image === undefined
      ? undefined
      : { source: { select: `${getTag(image)}.${name}` }, hint: 'image' };
  }
  const select = `${getTag(element)}.${name}`;
  const tag = ['li', 'p'].find((one) => html(select).find(one).length > 1);
  if (tag !== undefined) return { source: { select: `${select} ${tag}`, all: true } };
  if (shown.some((one) => shownText(one).length > maxText)) return undefined;
  if (shown.length > 1) return { source: { select, all: true } };
  return getElements(element).length > 6 ? undefined : { source: { select } };
}

/** The places in the page's structured data, each with the script that its path starts from. */
function statedRecordPlaces(records: readonly Structure[]): Place[] {
  const [fullest] = [...records].sort((one, other) => other.places.length - one.places.length);
  return (fullest?.places ?? []).flatMap((place): Place[] => {
    const extract = fullest?.toExtract([{ name: 'value', source: place.source, rules: { type: 'text' } }]);
    const script = extract?.kind === 'json' ? extract.script : undefined;
    const path = extract?.kind === 'json' ? extract.fields?.value?.path : undefined;
    if (script === undefined || path === undefined) return [];
    const { markup } = place.source;
    return [{ ...place, source: { script, path, ...(markup && { markup }) }, isStated: true }];
  });
}

/** Undefined if the page shows only a heading. `records`: its structured data. */
export function findPageRecord(html: CheerioAPI, records: readonly Structure[]): Structure | undefined {
  const places = [
    ...statedRecordPlaces(records),
    ...headPlaces(html),
    ...findSections(html),
    ...findLabelledValues(html),
    ...namedPlaces(html),
  ];
  if (places.length < 2) return undefined;
  return {
    kind: 'record',
    many: false,
    rows: 1,
    about: collapse(html('title').first().text()).slice(0, 100),
    places,
    toExtract: toExtract((fields) => ({ kind: 'html', fields: toFields(fields) })),
  };
}
