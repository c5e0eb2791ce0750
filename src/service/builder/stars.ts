/** Ratings that are drawn: a bar of a certain width, icons of which some are filled, a class with a number in it. */
import type { Element } from 'domhandler';
import { classesOf, elementsOf, shownText } from './elements.ts';

export interface Drawn {
  readonly value: string;
  readonly attribute?: 'style' | 'class';
  readonly match?: string;
  readonly times?: number;
  readonly map?: Readonly<Record<string, number>>;
  readonly count?: Readonly<Record<string, number>>;
}

const about = /(?:^|[-_])(?:stars?|rating|ratings|rate|score|review|bewertung|note|valoracion)(?:[-_\d]|$)/i;
const isAboutStars = (element: Element) => classesOf(element).some((name) => about.test(name));
const around = (element: Element) => {
  const { parent } = element;
  return parent !== null && 'attribs' in parent ? parent : undefined;
};

/** "width: 86%" in a rating; of how many stars it is a share has to be told beside it. */
function barOf(element: Element): Drawn | undefined {
  const [, width] = /(?:^|[;\s])width:\s*(\d+(?:\.\d+)?)%/.exec(element.attribs.style ?? '') ?? [];
  const parent = around(element);
  if (width === undefined || Number(width) > 100) return undefined;
  if (!isAboutStars(element) && (parent === undefined || !isAboutStars(parent))) return undefined;
  const drawn = [element, ...(parent === undefined ? [] : [parent])];
  const isOfFive = drawn.some(
    (one) =>
      /(?:★|☆|⭐|\uFE0F){5}|\b(?:of|von|sur|de|su|van|z|av|af)\s5\b|\/\s?5\b/u.test(
        `${shownText(one).replace(/\s/g, '')} ${shownText(one)} ${one.attribs.title ?? ''} ${one.attribs['aria-label'] ?? ''}`,
      ) || elementsOf(one).filter((child) => isStar(child)).length === 5,
  );
  return {
    value: width,
    attribute: 'style',
    match: 'width:\\s*(\\d+(?:\\.\\d+)?)\\s*%',
    ...(isOfFive ? { times: 0.05 } : {}),
  };
}

const isStar = (element: Element) =>
  /^(?:i|span|svg|img|em|b|li|div)$/.test(element.name) &&
  /^[★☆⭐]?$/u.test(shownText(element)) &&
  (classesOf(element).some((name) => /star|icon|rating/i.test(name)) ||
    /star/i.test(element.attribs.src ?? ''));
const isPlainName = (name: string) => /^[A-Za-z_][\w-]*$/.test(name);
const half = /half/i;
const empty =
  /(?:^|[-_])(?:empty|off|inactive|outline|outlined|far|fal|o|gr[ae]y|muted|disabled|border|blank|unchecked)(?:[-_\d]|$)/i;
const filled =
  /(?:^|[-_])(?:full|filled|fill|active|on|checked|selected|solid|fas|gold|yellow|lit|highlighted|warning)(?:[-_\d]|$)/i;

/** Five icons, some of them filled, or as many as there are stars. */
function iconsOf(element: Element): Drawn | undefined {
  const icons = elementsOf(element);
  if (icons.length < 1 || icons.length > 10 || !icons.every(isStar)) return undefined;
  if (!icons.every((icon) => icon.name === icons[0]?.name) || (icons.length < 3 && !isAboutStars(element)))
    return undefined;
  const kindOf = (icon: Element) => {
    const names = classesOf(icon);
    if (names.some((name) => half.test(name))) return 'half';
    if (names.some((name) => empty.test(name))) return 'empty';
    return names.some((name) => filled.test(name)) ? 'full' : 'plain';
  };
  const of = (kind: string) => icons.filter((icon) => kindOf(icon) === kind);
  const full = of('full').length > 0 ? of('full') : of('plain');
  const rest = icons.filter((icon) => !full.includes(icon) && kindOf(icon) !== 'half');
  const nameOf = (some: readonly Element[], others: readonly Element[], pattern: RegExp) => {
    const shared = classesOf(some[0] ?? element).filter(
      (name) =>
        isPlainName(name) &&
        some.every((one) => classesOf(one).includes(name)) &&
        !others.some((one) => classesOf(one).includes(name)),
    );
    return (
      shared.find((name) => pattern.test(name)) ?? shared.find((name) => /star/i.test(name)) ?? shared[0]
    );
  };
  const fullName = nameOf(full, [...rest, ...of('half')], filled);
  const halfName = nameOf(of('half'), [...full, ...rest], half);
  if ((full.length > 0 && fullName === undefined) || (of('half').length > 0 && halfName === undefined))
    return undefined;
  const count = {
    ...(fullName === undefined ? {} : { [`.${fullName}`]: 1 }),
    ...(halfName === undefined ? {} : { [`.${halfName}`]: 0.5 }),
  };
  if (Object.keys(count).length === 0) return undefined;
  return { value: String(full.length + of('half').length / 2), count };
}

/** `stars-4`, `stars-45`, `rating_4_5`: from what stands in the class to the number. */
const steps: Readonly<Record<string, number>> = Object.fromEntries(
  [0, 1, 2, 3, 4, 5].flatMap((whole) => [
    [`${whole}`, whole],
    ...['', '-', '_'].flatMap((gap) => [
      [`${whole}${gap}0`, whole],
      ...(whole < 5 ? [[`${whole}${gap}5`, whole + 0.5]] : []),
    ]),
  ]),
);
const numbered = /^((?:[\w-]*[-_])?(?:stars?|rating|rate|score|s)[-_]?)(\d(?:[-_]?\d)?)$/i;

function classOf(element: Element): Drawn | undefined {
  if (/\d/.test(shownText(element))) return undefined;
  for (const name of classesOf(element)) {
    const [, prefix, digits] = numbered.exec(name) ?? [];
    if (prefix === undefined || digits === undefined || steps[digits] === undefined) continue;
    if (/^s[-_]?$/i.test(prefix) && !isAboutStars(element) && !/[-_]/.test(digits)) continue;
    return {
      value: String(steps[digits]),
      attribute: 'class',
      match: `(?:^|\\s)${prefix}(\\d(?:[-_]?\\d)?)(?=\\s|$)`,
      map: steps,
    };
  }
  return undefined;
}

/** The rating that an element draws instead of writing it. */
export const drawnRating = (element: Element): Drawn | undefined =>
  barOf(element) ?? classOf(element) ?? iconsOf(element);
