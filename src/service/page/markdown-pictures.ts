/** What pictures, drawings and signs say in Markdown: their names, with their addresses. */
import type { CheerioAPI } from 'cheerio/slim';
import { Element, isTag, isText, Text } from 'domhandler';
import { collapse, getElements, getParent, getPosition } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
import { getText, iconName, imageAddress, isDrawnScale, isSign, isUnseenScale, spokenName } from './text.ts';
import { Weights } from './weights.ts';

/** Text that is Markdown already. */
export const asMarkdown = (text: string): Element => new Element('x-markdown', {}, [new Text(text)]);

/** An address in Markdown ends at a bracket. */
export const inLink = (address: string): string => address.replaceAll('(', '%28').replaceAll(')', '%29');

/** What stands for a picture, with its address where it has one that a reader can open. */
function drawAs(html: CheerioAPI, picture: Element, said: string, address?: string): void {
  const { next } = picture;
  const isBesideBracket = next !== null && isText(next) && next.data.startsWith('(');
  if (isBesideBracket) html(picture).after(new Text(' '));
  const end = address === undefined ? '' : `(${inLink(address)})`;
  html(picture).replaceWith(asMarkdown(`![${said.replace(/[[\]]/g, '')}]${end}`));
}

export const absolute = (address: string | undefined, base: string) =>
  address !== undefined &&
  !/^(?:data|blob|about|javascript):/i.test(address.trim()) &&
  URL.canParse(address, base)
    ? new URL(address, base).href
    : undefined;

/** A cell or an item that says all by a picture: its other text counts. */
function nameEmptyCells(html: CheerioAPI, root: Element): void {
  // Inner ones first: what they say is not said again.
  for (const place of html(root).find('td, th, dd, li, p').toArray().reverse()) {
    if (collapse(html(place).text()) !== '') continue;
    const named = spokenName(place);
    if (named !== '' && html(place).find('img[alt]:not([alt=""]), a[href], input').length === 0)
      html(place).append(new Text(collapse(named)));
  }
}

/** Whether there are words right beside it, in one line with it. */
const isInText = ({ prev, next }: Element) =>
  [prev, next].some((node) => node !== null && isText(node) && collapse(node.data) !== '');

/** The least label that tells what is drawn, in characters, and not only what a sign is called. */
const longLabel = 25;

/** Icons of one kind whose titles differ tell something, such as what is in a dish. */
function nameTitles(html: CheerioAPI, root: Element): void {
  const icons = html(root)
    .find('i[title]')
    .toArray()
    .filter((icon) => html(icon).text().trim() === '' && html(icon).closest('a, button').length === 0);
  const kinds = groupBy(icons, ({ attribs }) => attribs.class?.split(/\s+/)[0] ?? '');
  for (const kind of kinds.values()) {
    const titles = new Set(kind.map(({ attribs }) => attribs.title));
    if (titles.size < 2) continue;
    for (const icon of kind) html(icon).replaceWith(new Text(` ${collapse(icon.attribs.title ?? '')} `));
  }
}

/** A sign without a text, such as the stars of a rating, says what its label says, also where it is all of a cell. */
export function nameDrawings(html: CheerioAPI, root: Element): void {
  const drawings =
    '[role="img"][aria-label], li [aria-label], li i[title], p i[aria-label], td i[aria-label], dd i[aria-label], [aria-label]:has(> svg), [title]:has(> svg)';
  for (const drawing of html(root).find(drawings).toArray()) {
    if (html(drawing).closest('a, button').length > 0) continue;
    const label = collapse(drawing.attribs['aria-label'] ?? '');
    const inner = collapse(html(drawing).text());
    // A label stands for the whole of a drawing, of which the text is a part; a short one without a text names a sign.
    if (drawing.name === 'svg' && (inner !== '' || label.length >= longLabel)) {
      const said = label.includes(inner) ? label : `${label}: ${inner}`;
      drawAs(html, drawing, said);
      continue;
    }
    const isAlone = inner === '' && html(drawing).find('img, input, iframe').length === 0;
    if (!isAlone) continue;
    const said = collapse(spokenName(drawing));
    // The box before an ingredient is called as the ingredient.
    const [item] = html(drawing).closest('li').toArray();
    if (item !== undefined && collapse(getText(item)).includes(said)) html(drawing).remove();
    else if (isInText(drawing) || html(drawing).closest('li').length > 0)
      html(drawing).replaceWith(new Text(` ${said} `));
    else if (drawing.attribs.role !== 'img') html(drawing).empty().append(new Text(said));
  }
  nameTitles(html, root);
  nameEmptyCells(html, root);
}

/** What icons are called that say no. */
const isNo = /^(?:x|times|close|cross|xmark|ban|remove|cancel)(?:-|$)/;

/** What tells a drawing from others: its name, else its lines. */
function readIcon(html: CheerioAPI, icon: Element) {
  const inside = [icon, ...html(icon).find('use').toArray()];
  const [name] = inside.flatMap((one) => iconName(one) ?? []);
  const lines = html(icon).find('path').toArray();
  return { name, look: name ?? lines.map(({ attribs }) => attribs.d).join(' ') };
}

/** The element around an icon that says something; the cell or the item of a list that says nothing else. */
function itemOf(icon: Element, weights: Weights): Element | null {
  const textOf = (element: Element) => weights.of(element).text;
  let item = getParent(icon);
  while (item !== null && textOf(item) === textOf(icon) && item.name !== 'td') item = getParent(item);
  if (item === null) return null;
  const whole = textOf(item);
  let place: Element | null = item;
  while (place !== null && !/^(?:td|li)$/.test(place.name) && textOf(place) === whole)
    place = getParent(place);
  return place !== null && textOf(place) === whole ? place : item;
}

/**
 * Icons that tell items of a list, or cells of a column, apart, such as ticks and crosses: names them. Adds to `missing` that
 * some have no name. The icons of other lists repeat what stands beside them.
 */
export function nameIcons(html: CheerioAPI, root: Element, missing: string[]): void {
  const weights = new Weights();
  const items = new Map<Element, Element[]>();
  for (const icon of html(root).find('i, svg, span[class]').toArray()) {
    const isIcon = icon.name === 'svg' || iconName(icon) !== undefined;
    if (!isIcon || (!isSign(icon) && weights.of(icon).text > 0)) continue;
    const item = itemOf(icon, weights);
    if (item !== null && html(icon).closest('a, button, h1, h2, h3').length === 0) addTo(items, item, icon);
  }
  const alone = [...items].flatMap(([item, icons]) =>
    icons.length === 1 ? icons.map((icon) => ({ item, icon, ...readIcon(html, icon) })) : [],
  );
  const lists = groupBy(alone, ({ item }) =>
    item.name === 'td' ? html(item).closest('table').get(0) : item.parent,
  );
  const groups = [...lists.values()].flatMap((list) => [
    ...groupBy(list, ({ item }) => `${item.name} ${item.name === 'td' ? getPosition(item) : ''}`).values(),
  ]);
  for (const group of groups) {
    const looks = new Set(group.map(({ look }) => look)).size;
    const texts = new Set(group.map(({ item }) => collapse(html(item).text()))).size;
    const areTold = looks < group.length ? looks !== texts : group.some(({ name = '' }) => isNo.test(name));
    if (looks < 2 || !areTold) continue;
    for (const { icon, name } of group)
      if (name !== undefined) html(icon).replaceWith(new Text(` (${name}) `));
      else if (!missing.includes(unnamedIcons)) missing.push(unnamedIcons);
  }
  for (const icon of html(root).find('[class*="material-"]').toArray().filter(isSign))
    if (isInText(icon)) html(icon).remove();
}
const unnamedIcons =
  'Drawings without a name that tell items or cells apart, as ticks and crosses do, are left out.';

/** A scale says which of its steps holds only by its label. */
export function labelScales(html: CheerioAPI, root: Element): void {
  for (const scale of html(root).find('[aria-label]').toArray()) {
    const label = collapse(scale.attribs['aria-label'] ?? '');
    const text = html(scale).text();
    if (/\d/.test(label) && scale.children.length > 0 && isDrawnScale(text, label))
      html(scale).empty().append(new Text(label));
    else if (isUnseenScale(text, label)) {
      if (label.includes(text.replace(/[()\s]/g, ''))) html(scale).empty();
      html(scale).prepend(new Text(`${label} `));
    }
  }
  nameScales(html, root);
}

/** "4 of 5 stars" or "4 stars", also where the picture is all that says it. */
const ofScale = /^[^\d]{0,40}(?:\d{1,3}(?:[.,]\d+)?[^\d]{1,20}\d{1,3}|(?:10|\d)(?:[.,]\d+)?)[^\d]{0,20}$/;
/** What one picture alone says, such as the class of a hotel. */
const ofStars =
  /\d\s*(?:of|out of|von|sur|de|di|van)\s*\d|(?<!\p{L})(?:stars?|sterne?|étoiles?|estrellas?|stelle|sterren)(?!\p{L})/iu;
/**
 * Pictures of scales, such as the stars of each review: like others but for their numbers. Pictures of a gallery are
 * numbered in their order.
 */
function nameScales(html: CheerioAPI, root: Element): void {
  const labelled = ({ name, attribs }: Element) =>
    collapse((name === 'img' ? attribs.alt : (attribs['aria-label'] ?? attribs.title)) ?? '');
  const scales = html(root)
    .find('img[alt], [role="img"][aria-label], span[title]')
    .toArray()
    .map((element) => ({ element, label: labelled(element) }))
    .filter(({ element, label }) => ofScale.test(label) && /\p{L}/u.test(label) && isEmpty(html, element));
  for (const group of groupBy(scales, ({ label }) => label.replace(/[\d.,]+/g, '0')).values()) {
    const isNumbered = group.every(({ label }, index) => label.includes(`${index + 1}`));
    const isAlone = group.length === 1;
    // A picture that stands in a text is named there.
    const isNamed = group.some(({ element, label }) => element.name === 'img' || !ofStars.test(label));
    if (isAlone ? isNamed : isNumbered) continue;
    for (const { element, label } of group) html(element).replaceWith(new Text(` ${label} `));
  }
}

const isEmpty = (html: CheerioAPI, element: Element) => collapse(html(element).text()) === '';

/** The least number of signs side by side that may be a scale. */
const leastSigns = 3;
/** The parts of a scale that is only drawn: signs side by side, or a length; undefined where it is none. */
function drawnScale(html: CheerioAPI, element: Element): string | undefined {
  const [, length] = /(?:^|;)\s*width:\s*([\d.]+%)/.exec(element.attribs.style ?? '') ?? [];
  if (length !== undefined) return length;
  const inside = getElements(element);
  const areSigns = inside.every((one) => one.name === 'svg' || iconName(one) !== undefined || isSign(one));
  return areSigns && inside.length >= leastSigns
    ? inside.map((one) => readIcon(html, one).look || one.attribs.class).join(' ')
    : undefined;
}

/** Adds to `missing` that stars or bars say something which no text beside them says. */
export function tellDrawnScales(html: CheerioAPI, root: Element, missing: string[]): void {
  const isSaid = (element: Element) => {
    const beside = collapse(html(element).parent().text());
    return beside.length <= longLabel && /\d/.test(beside.replace(/\([^)]*\)/g, ''));
  };
  const scales = html(root)
    // A length without a class is one of the layout.
    .find(
      'div[class][style*="width"], span[class][style*="width"], :has(> svg), :has(> i), :has(> span[class])',
    )
    .toArray()
    .filter((element) => isEmpty(html, element) && !isSaid(element))
    .flatMap((element) => {
      const drawn = drawnScale(html, element);
      return drawn === undefined ? [] : [{ look: `${element.name} ${element.attribs.class}`, drawn }];
    });
  const groups = groupBy(scales, ({ look }) => look).values();
  const areTold = [...groups].some((group) => new Set(group.map(({ drawn }) => drawn)).size > 1);
  if (areTold) missing.push('What is only drawn, such as stars or bars without a label, is left out.');
}

const sentence = 'p, figure, td, th, dd, dt, h1, h2, h3, h4, h5, h6, blockquote, caption';

/** Whether it stands between the paragraphs, as no picture of a card does. */
const isOfContent = ({ parent }: Element) =>
  parent === null || !isTag(parent) || /^(?:main|article|body|section)$/.test(parent.name);

/**
 * A picture's `alt` stands for it in a sentence, in a cell, or as a figure. The pictures of cards and galleries repeat
 * what stands beside them.
 */
export function nameImages(html: CheerioAPI, root: Element, base: string, title: string): void {
  for (const image of html(root).find('img').toArray()) {
    const alt = collapse(image.attribs.alt ?? '').replace(/[[\]]/g, '');
    const place = html(image).closest(sentence);
    const isPlaced = place.length > 0 || (alt.length >= longLabel && isOfContent(image));
    const isShown = isInText(image) || (isPlaced && html(image).closest('a, li').length === 0);
    const isSaid = [collapse(place.text()).toLowerCase(), title].some((text) =>
      text.includes(alt.toLowerCase()),
    );
    const isName = /\.(?:jpe?g|png|gif|webp|svg|avif)$/i.test(alt);
    if (alt === '' || !isShown || isSaid || isName) html(image).remove();
    else {
      // In a sentence or a cell it stands for a word.
      const isWord = isInText(image) || html(image).closest('td, th').length > 0;
      drawAs(html, image, alt, isWord ? undefined : absolute(imageAddress(image.attribs), base));
    }
  }
}
