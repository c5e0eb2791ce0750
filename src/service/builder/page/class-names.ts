/** Class names: which of them say what an element is, and which change with the next release of the site. */
import type { Element } from 'domhandler';
import { toWords } from '../../catalog/words.ts';
import { getClasses, getTag } from './elements.ts';

const utility =
  /[:/[\]]|^-?[mp][trblxy]?-|^(?:[wh]|gap|space|text|font|bg|border|rounded|shadow|flex|grid|col|row|order|justify|items|align|float|d|sm|md|lg|xl|xs|top|left|right|bottom|z|opacity|leading|tracking|inline|max|min|overflow|cursor|transition|pull|push|color|muted|btn|lh|fs|fw|mb|mt|d|f)-[\w.-]+$|^has-[\w-]+-(?:size|color|background|family|align(?:ment)?)$|^(?:clearfix|flex|grid|row|col|hidden|visible|block|inline|relative|absolute|container|wrapper|wrap|inner|outer|clear|cf|odd|even|first|last|active|selected|current|left|right|center|bold|italic|small|large)$/;

/** Letters and digits mixed, or no vowels: made by a tool, not written by a person. */
function looksGenerated(part: string): boolean {
  if (part.length < 3) return false;
  if (/\d/.test(part) && /\p{L}/u.test(part))
    return /\d\p{L}|\p{L}\d\p{L}|^\p{L}{0,2}\d{3,}|\p{L}\d{2,}$/u.test(part) && part.length >= 4;
  if (/^\d+$/.test(part)) return true;
  const mixed = /\p{Ll}\p{Lu}\p{Lu}|\p{Lu}\p{Ll}\p{Lu}|\p{Ll}\p{Lu}$/u.test(part);
  if (mixed && part.length <= 8) return true;
  return part.length >= 5 && !/[aeiouyäöüéè]/i.test(part);
}

/** `css-1x2y3z`, `sc-bdVaJa`, `Card_title__x8J2k`: the part before the generated one, or nothing. */
function isGenerated(name: string): boolean {
  if (/^(?:css|sc|jsx|jss|emotion|svelte|tw|chakra|styles?|astro|data-v)-/i.test(name)) return true;
  if (/^_/.test(name)) return true;
  return name.split(/[-_]+/).some(looksGenerated);
}

/** `Card_title__x8J2k` → `Card_title__`: what a CSS module keeps of a name. */
function modulePrefix(name: string): string | undefined {
  const [, prefix] = /^([A-Za-z][A-Za-z-]*_[A-Za-z][\w-]*?__)[A-Za-z0-9+_-]{4,}$/.exec(name) ?? [];
  return prefix;
}

const safe = /^-?[_\p{L}][\w\p{L}-]*$/u;

/** What microformats call the parts of an entry: `p-name`, `dt-published`. */
const microformat =
  /^(?:h|p|u|dt|e)-(?=(?:name|author|summary|category|location|rating|content|note|org|role|job-title|tel|email|street-address|locality|region|country-name|postal-code|price|brand|ingredient|yield|instructions|duration|nickname|given-name|family-name|published|updated|start|end|url|photo|entry|event|card|recipe|review|product|item)$)/;

/** Classes of a state that may change: `is-winner`, `has-image`. */
const state = /^(?:is|has|js|was|can|no)-/;

const isUtility = (name: string) => utility.test(name) && !microformat.test(name);

/** Class names that are safe in a selector; names of a state only where there are no others. */
export function stableClasses(names: readonly string[]): string[] {
  const stable = names.filter(
    (name) => safe.test(name) && name.length <= 60 && !isUtility(name) && !isGenerated(name),
  );
  const lasting = stable.filter((name) => !state.test(name));
  return lasting.length > 0 ? lasting : stable;
}

/** A selector of the tag and its first stable class. */
export function tagWithClass(element: Element): string {
  const [name] = stableClasses(getClasses(element));
  return name === undefined ? getTag(element) : `${getTag(element)}.${name}`;
}

/** The words in class names, for naming a value. */
export function classWords(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const prefix = modulePrefix(name);
    if (prefix !== undefined) return toWords(prefix.replace(/^[A-Za-z]+_/, ''));
    if (isUtility(name) || isGenerated(name)) return [];
    if (microformat.test(name)) return toWords(name.replace(microformat, ''));
    // The block of `product-card__price--sale` names the row, so only the element counts; in `rating__value` the block is the name.
    const part = name.slice(name.lastIndexOf('__') + 2);
    return toWords(
      name.includes('__') && !/^(?:val|value|count|number|amount|num|total)s?(?:--|$)/.test(part)
        ? part
        : // `c-` for a component, `u-` for a utility.
          name.replace(/^(?:[a-z]|wp-block)-(?=[a-z])/, ''),
    );
  });
}

const advertising =
  /(?:^|[-_])(?:ads?|advert\w*|sponsor\w*|promo\w*|banner|outbrain|taboola|adsbygoogle)(?:[-_]|$)/i;
export const isAdvertising = (names: readonly string[]) => names.some((name) => advertising.test(name));
