/** Everything that one row of a page shows: texts, addresses, images and times, each with where it is and what names it. */
import { type Element, isTag } from 'domhandler';
import { imageAddress } from '../recipes/image-address.ts';
import { anchorOf, ownNames } from './anchors.ts';
import { isAdvertising } from './class-names.ts';
import { classesOf, collapse, elementsOf, shownText, tagOf } from './elements.ts';
import { type Counts, labelBeside, labelInside } from './labels.ts';
import { isInline, isPlain, labelledLines, plainLines, readText } from './slot-texts.ts';
import { type Drawn, drawnRating } from './stars.ts';
import { wordsOf } from './words.ts';

/** One step from a row to an element. */
export interface Step {
  readonly tag: string;
  /** A selector that needs no position: by itemprop, class, data attribute or label. */
  readonly anchor: string | undefined;
  /** Among the siblings of its tag, from 1. */
  readonly position: number;
  /** So many stand beside it that its place among them tells nothing. */
  readonly crowded?: boolean;
}

export interface Slot {
  readonly element: Element;
  readonly steps: readonly Step[];
  /** The attribute that holds the value; undefined for the text. */
  readonly attribute: string | undefined;
  readonly kind: 'text' | 'url' | 'image' | 'date';
  readonly value: string;
  /** The element's own text, without that of the elements inside. */
  readonly own: boolean;
  /** Labels in it name elements inside, not the rest of it. */
  readonly leads: boolean;
  /** A text that stands before the value and names it. */
  readonly label: string | undefined;
  /** What a sign before it may say of it. */
  readonly signNames: readonly string[];
  readonly names: readonly string[];
  readonly nearNames: readonly string[];
  /** The part of the text that is the value, as a regular expression. */
  readonly match?: string | undefined;
  /** Of a text in several lines the one that is the value, from 1. */
  readonly line?: number | undefined;
  /** Its lines are slots of their own. */
  readonly divided?: true | undefined;
  /** It is drawn, not written: how it is read. */
  readonly drawn?: Drawn | undefined;
  /** In a text that is struck out, which no longer holds: what it is found by. */
  readonly struck: string | undefined;
  readonly inHeading: boolean;
  readonly inLink: boolean;
}

/** Of one row; a bound on the work. */
const maxSlots = 2_000;
/** More children than this are a list of their own. */
const maxPlaces = 200;

const skipped = new Set(
  'script style noscript template svg button select option input textarea form iframe canvas'.split(' '),
);
/** A button that shows how many there are: replies, votes. */
const isNumber = (element: Element) => /^\d[\d.,]*[km]?(?:\s\p{L}{3,12})?$/iu.test(shownText(element));

/** What names the element after it is no value. */
const isLabel = (element: Element) =>
  /^(?:span|label|small)$/.test(element.name) &&
  classesOf(element).some((name) => /(?:^|[-_])label$/i.test(name)) &&
  element.parent?.children.some((other) => other !== element && isTag(other)) === true;

const isHeading = (element: Element) => /^h[1-6]$/.test(element.name);
const isStruck = (element: Element) =>
  /^(?:del|s|strike)$/.test(element.name) || classesOf(element).some((name) => formerly.test(name));
const struckSelector = ({ name }: Element, step: Step | undefined) =>
  /^(?:del|s|strike)$/.test(name) && !step?.anchor?.startsWith('.') ? name : (step?.anchor ?? name);
/** Classes of prices that hold no longer. */
const formerly =
  /(?:^|[-_])(?:old|was|former|before|compare|crossed|strike|striked|strikethrough|rrp|msrp|uvp|original)(?:$|[-_])|line-through|(?:old|was|compare|original)-?[pP]rice/;
/** `star-rating Three`, not `line-clamp-two`. */
const spelledRating = (name: string) =>
  /\b(?:zero|one|two|three|four|five)\b/i.test(name) && /rating|stars?\b|score/i.test(name);
const digitsOf = (element: Element) => shownText(element).replace(/\D/g, '');
const repeats = (shown: Element, hidden: Element) =>
  digitsOf(hidden) !== '' && digitsOf(shown) === digitsOf(hidden);

/** "Original price was: 26,50 €" for screen readers, beside the price as it is shown. */
const explains = (spoken: Element, hidden: Element) => {
  const text = shownText(spoken);
  return text.length > shownText(hidden).length + 5 && text.includes(shownText(hidden));
};
/** "18.2k", with "18,230 views" for whoever points at it: the pattern of the number. */
function numberInFull(shown: string, said: string | undefined): string | undefined {
  const [, digits, thousands] = /^(\d[\d.,]*)\s?([kmb])?$/i.exec(shown) ?? [];
  const [number, more] = said?.match(/\d[\d.,]*/g) ?? [];
  if (digits === undefined || number === undefined || more !== undefined) return undefined;
  const plain = (text: string) => text.replace(/\D/g, '');
  const isSame = thousands === undefined ? plain(number) === plain(digits) : plain(number).length > 3;
  return isSame && plain(number).startsWith(plain(digits).slice(0, 1)) ? '\\d[\\d.,]*' : undefined;
}

/** Without anything in it that shows or leads somewhere. */
const isMute = (element: Element): boolean =>
  element.name === 'svg' ||
  (!/^(?:img|a|button|input)$/.test(element.name) &&
    elementsOf(element).every((child) => !/^(?:img|a|button|input)$/.test(child.name) && isMute(child)));
const isHiddenAway = (element: Element) => element.attribs['aria-hidden'] === 'true';

/** What screen readers pass over shows again what they read, or they read again, in more words, what is shown. */
const isShownTwice = (child: Element, children: readonly Element[], hidden: readonly Element[]) =>
  hidden.length > 0 &&
  (isHiddenAway(child)
    ? children.some((other) => other !== child && repeats(other, child) && !explains(other, child))
    : hidden.some((other) => repeats(child, other) && explains(child, other)));

/** Attributes that hold the value as programs want it. */
const dataAttribute =
  /^data-(?:price|rating|score|stars?|rate|date|time|timestamp|epoch|sort|author|name|title|sku|stock|brand|category|value|amount|year|location|city)(?!.*-ids?$)|^data-[a-z-]+-(?:price|rating|score|stars|sku)$/;
/** Of a custom element: what its author gave it. */
const ownAttribute =
  /^(?!(?:class|id|style|slot|part|is|href|src|srcset|dir|lang|role|tabindex|hidden|title|name|type|theme|variant|size|color|loading|v-.*|ng-.*|data-.*|aria-.*|on.*|x-.*|.*-ids?)$)[a-z][a-z-]{2,}$/;
const isoDay = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/;
/** Seconds or milliseconds since 1970, from 2001 on. */
const unixTime = /^1\d{9}(?:\d{3})?$/;
/** What an element that shows no text says in its place. */
const spokenBy = ({ attribs }: Element) =>
  ['aria-label', 'title', 'data-tooltip', 'data-original-title']
    .map((key) => [key, collapse(attribs[key] ?? '')] as const)
    .find(([, said]) => said !== '' && said.length <= 60);
/** Of a picture: what it shows is told there alone. */
const signWords = (element: Element) => {
  const said = `${element.attribs.src ?? ''} ${element.attribs.class ?? ''} ${element.attribs['data-src'] ?? ''}`;
  return [
    ...(/flag/i.test(said) ? ['country', 'flag'] : []),
    ...(/weather|forecast|sky/i.test(said) ? ['condition', 'weather'] : []),
    ...(/logo/i.test(said) ? ['company', 'brand', 'logo'] : []),
  ];
};

/** `data-format="csv"` of "CSV": the attribute says again what it shows, and of what kind that is. */
const keysOf = ({ attribs }: Element, shown: string) =>
  Object.entries(attribs)
    .filter(
      ([key, value]) =>
        key.startsWith('data-') && value.length > 1 && value.toLowerCase() === shown.toLowerCase(),
    )
    .flatMap(([key]) => wordsOf(key.slice('data-'.length)));

/** "Acme logo" is the picture of Acme's. */
const nameInLogo = (alt: string) => alt.replace(/\s+logo$|^logo\s+(?:of\s+)?/i, '');

/** What the pictures of a row that are signs of something, such as a company's logo, show: by the name of it. */
function picturesIn(roots: readonly Element[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let visited = 0;
  const walk = (element: Element) => {
    visited += 1;
    if (visited > maxSlots) return;
    const words = element.name === 'img' ? signWords(element) : [];
    const name = nameInLogo(collapse(element.attribs.alt ?? ''));
    if (name !== '' && words.length > 0) found.set(name, words);
    for (const child of elementsOf(element)) walk(child);
  };
  for (const root of roots) walk(root);
  return found;
}

/** The texts of elements without others inside, in small letters. */
function leafTexts(roots: readonly Element[]): string[] {
  const found: string[] = [];
  const walk = (element: Element) => {
    if (found.length > maxSlots) return;
    const children = elementsOf(element);
    if (children.length === 0) found.push(shownText(element).toLowerCase());
    for (const child of children) walk(child);
  };
  for (const root of roots) walk(root);
  return found.filter((text) => text !== '');
}

const linkWords = (href: string) =>
  /^(?:[a-z]+:\/\/|#|javascript:)/i.test(href)
    ? []
    : wordsOf(href.replace(/^.*[/#](?=[a-z])/i, '').slice(0, 40)).filter((word) => /^[a-z]{4,}$/.test(word));

interface Inside {
  readonly heading: boolean;
  readonly link: boolean;
  readonly struck: string | undefined;
  readonly label?: string | undefined;
  readonly sign?: readonly string[] | undefined;
}

/** All that is in the row: what it is called says what the row is. */
const isWholeRow = ({ parent }: Element, [root, ...others]: readonly Element[]) =>
  root !== undefined && others.length === 0 && parent === root && elementsOf(root).length === 1;

/** The slots of one row in the order of the page. */
export function slotsOf(roots: readonly Element[], counts: Counts): Slot[] {
  const slots: Slot[] = [];
  const shownHere = roots.map(shownText).join(' ').toLowerCase();
  const shownIn = (said: string) => shownHere.includes(said.toLowerCase());
  const pictured = picturesIn(roots);
  const leaves = leafTexts(roots);
  // "Ann's avatar" beside "Ann"
  const repeatsShown = (alt: string) =>
    leaves.some((leaf) => leaf.length >= Math.max(3, alt.length * 0.3) && alt.toLowerCase().includes(leaf));
  const walk = (element: Element, steps: readonly Step[], near: readonly string[], inside: Inside): void => {
    const { attribs, name } = element;
    if (attribs.hidden !== undefined || slots.length >= maxSlots) return;
    if (skipped.has(name) && name !== 'svg' && !(name === 'button' && (inside.heading || isNumber(element))))
      return;
    if (
      steps.length > 0 &&
      ((isAdvertising(classesOf(element)) && !isWholeRow(element, roots)) || isLabel(element))
    )
      return;
    const names = ownNames(element, steps.length - 1);
    const state: Inside = {
      heading: inside.heading || isHeading(element),
      link: inside.link || name === 'a',
      struck:
        inside.struck ??
        (isStruck(element) && steps.length > 0 ? struckSelector(element, steps.at(-1)) : undefined),
      label: inside.label,
    };
    const beside = labelBeside(element, counts);
    const lead = labelInside(element, counts);
    const said = lead ?? beside;
    const before = said?.sign === true ? undefined : said?.text;
    const sign = said?.sign === true ? wordsOf(said.text) : (inside.sign ?? []);
    const add = (
      kind: Slot['kind'],
      value: string | undefined,
      attribute: string | undefined,
      more: Partial<
        Pick<Slot, 'names' | 'own' | 'label' | 'match' | 'leads' | 'line' | 'drawn' | 'divided'>
      > = {},
    ) => {
      const shown = collapse(value ?? '');
      if (shown === '') return;
      slots.push({
        element,
        steps,
        attribute,
        kind,
        value: shown,
        own: more.own ?? false,
        leads: more.leads ?? false,
        label: more.label ?? before ?? inside.label,
        signNames: sign,
        names:
          more.leads === true
            ? []
            : [...names, ...(more.names ?? []), ...(state.struck === undefined ? [] : ['old'])],
        nearNames: name === 'a' && kind === 'text' ? [...linkWords(attribs.href ?? ''), ...near] : near,
        match: more.match,
        line: more.line,
        divided: more.divided,
        drawn: more.drawn,
        struck: state.struck,
        inHeading: state.heading,
        inLink: state.link,
      });
    };
    const { content } = attribs;
    if (name === 'meta' || name === 'link' || (content !== undefined && attribs.itemprop !== undefined)) {
      if (attribs.itemprop !== undefined) {
        const isImage = /^(?:image|logo|thumbnailUrl)$/i.test(attribs.itemprop);
        const isAddress = isImage || /^(?:url|link|sameAs)$/i.test(attribs.itemprop);
        const isEnumeration = /^https?:\/\/schema\.org\//.test(content ?? attribs.href ?? '');
        add(
          isImage ? 'image' : isAddress ? 'url' : 'text',
          content ?? attribs.href,
          content === undefined ? 'href' : 'content',
          {
            match: isEnumeration ? '[^/]+$' : undefined,
          },
        );
      }
      if (name === 'meta' || name === 'link') return;
    }
    if (name === 'img') {
      add('image', imageAddress(attribs), undefined, { names: ['image'] });
      const alt = collapse(attribs.alt ?? '');
      if (alt.length <= 60 && !shownIn(nameInLogo(alt)) && !repeatsShown(alt))
        add('text', alt, 'alt', { names: signWords(element) });
      return;
    }
    if (name === 'a' && attribs.href !== undefined && !/^(?:#|javascript:)/i.test(attribs.href)) {
      const contact = /^(mailto|tel):/i.exec(attribs.href)?.[1]?.toLowerCase();
      if (contact === undefined) add('url', attribs.href, undefined, { names: ['url', 'link'] });
      else {
        names.push(contact === 'tel' ? 'phone' : 'email');
        // "Email" as a link: the address is in it alone.
        const address = attribs.href.slice(contact.length + 1).replace(/\?.*$/, '');
        const isShown = contact === 'tel' ? digitsOf(element).length >= 6 : shownText(element).includes('@');
        if (!isShown) {
          add('text', address, 'href', { match: `^${contact}:([^?]*)` });
          return;
        }
      }
    }
    if (name === 'time' && attribs.datetime !== undefined) {
      add('date', attribs.datetime, undefined);
      // What a board of departures shows: the day and the zone are for programs.
      if (/^\d{1,2}[:.]\d\d(?:\s?[ap]\.?m\.?)?$/i.test(shownText(element)))
        add('text', shownText(element), undefined, { names: ['time', 'clock'] });
      return;
    }
    if ((name === 'data' || name === 'meter') && attribs.value !== undefined)
      add('text', attribs.value, 'value');
    const whole = shownText(element);
    const spoken = spokenBy(element);
    if (
      whole === '' &&
      spoken !== undefined &&
      isMute(element) &&
      !/\d/.test(spoken[1]) &&
      !shownIn(spoken[1])
    )
      add('text', spoken[1], spoken[0], { names: signWords(element) });
    if (name === 'svg') return;
    // "2 days ago", with the day in full for whoever points at it.
    const { title } = attribs;
    const inFull = numberInFull(whole, title);
    if (inFull !== undefined)
      add('text', title, 'title', { match: inFull, names: wordsOf(title?.replace(/\d[\d.,]*/g, '') ?? '') });
    if (title !== undefined && title !== whole && isoDay.test(title)) add('date', title, 'title');
    else if (name === 'abbr' && title !== undefined && title !== whole && /\p{L}/u.test(title))
      add('text', title, 'title');
    const drawn = drawnRating(element);
    if (drawn !== undefined && !/\d/.test(spoken?.[1] ?? ''))
      add('text', drawn.value, drawn.attribute, { drawn, names: ['rating', 'star'] });
    // What stars show is often in a class ("star-rating Three") or in a label for screen readers.
    if (spelledRating(attribs.class ?? '')) add('text', attribs.class, 'class', { names: ['rating'] });
    const stars = attribs['aria-label'] ?? (/^[★☆\s]*$/.test(whole) ? title : undefined);
    if (stars !== undefined && /\d/.test(stars) && stars.length < 60 && !/\d/.test(whole))
      add('text', stars, attribs['aria-label'] === undefined ? 'title' : 'aria-label', {
        names: ['rating'],
      });
    for (const [key, value] of Object.entries(attribs)) {
      const isData = dataAttribute.test(key) || (name.includes('-') && ownAttribute.test(key));
      if (!isData || value.length >= 80 || value === whole) continue;
      const told = wordsOf(key.replace(/^data-(?:sort-?)?/, '')).filter((word) => word !== 'value');
      if (unixTime.test(value)) add('date', value, key, { names: told });
      else add('text', value, key, { names: told });
    }
    const text = readText(element, whole, lead?.element);
    const lines = text.value === undefined ? [] : plainLines(element, whole);
    if (text.value !== undefined) {
      if (title !== undefined && /(?:…|\.\.\.)$/.test(whole) && title.length >= whole.length)
        add('text', title, 'title');
      else
        add('text', text.value, undefined, {
          ...(lines.length > 0 ? { divided: true } : {}),
          own: text.own,
          leads: text.defines !== true && (text.labels?.size ?? 0) > 0,
          names:
            text.defines === true
              ? ['definition']
              : [...(pictured.get(text.value) ?? []), ...keysOf(element, text.value)],
        });
      for (const line of labelledLines(element, whole)) add('text', line.value, undefined, line);
      for (const [index, line] of lines.entries()) add('text', line, undefined, { line: index + 1 });
    }
    if (text.whole === true) return;
    // Where a link leads often says what it shows: /stargazers, #reviews.
    const led = name === 'a' ? linkWords(attribs.href ?? '') : [];
    const nearNames = [...names, ...led, ...near].slice(0, 8);
    const children = elementsOf(element);
    const isShort = whole.length <= 80 && beside !== undefined;
    const named = text.label ?? (isShort && beside.sign !== true ? beside.text : undefined);
    const below = {
      ...state,
      ...(named === undefined ? {} : { label: named }),
      ...(isShort ? { sign } : {}),
    };
    const labels = new Set(
      [lead, ...children.map((child) => labelBeside(child, counts))].map((one) => one?.element),
    );
    const positions = new Map<string, number>();
    const hidden = children.filter(isHiddenAway);
    const crowded = children.length > maxPlaces;
    for (const child of children) {
      const position = (positions.get(child.name) ?? 0) + 1;
      positions.set(child.name, position);
      if (labels.has(child)) continue;
      if (text.value !== undefined && isPlain(child, text.own) && elementsOf(child).length === 0) continue;
      if (text.value !== undefined && !text.own && state.heading && isInline(child)) continue;
      if (isShownTwice(child, children, hidden)) continue;
      const own = text.labels?.get(child);
      walk(
        child,
        [...steps, { tag: tagOf(child), anchor: anchorOf(child, counts), position, crowded }],
        nearNames,
        own === undefined ? below : { ...below, label: own },
      );
    }
  };
  roots.forEach((root, index) => {
    const steps: Step[] =
      roots.length === 1
        ? []
        : [{ tag: tagOf(root), anchor: index === 0 ? undefined : anchorOf(root, counts), position: index }];
    walk(root, steps, [], { heading: false, link: false, struck: undefined });
  });
  return slots;
}
