/**
 * A large result's preview: whole elements and members of the data, as many as fit, never JSON cut in the middle.
 * It costs what is shown, not what is there.
 */
import { toName } from '../../compare/main-list.ts';
import { cleanText, wholeCharacters } from '../foundation/text.ts';

/** The parts of a value that a preview left out, so that one can say how to read them. */
export interface Cut {
  /** JMESPath of the largest thing that was cut. */
  readonly path: string;
  readonly kind: 'array' | 'string' | 'object';
  /** Elements, characters or members there are. */
  readonly total: number;
  /** How many of them the preview shows, from the first. */
  readonly shownCount: number;
}

export interface DataPreview {
  readonly data: unknown;
  /** The largest cut; undefined where nothing was cut. */
  readonly cut: Cut | undefined;
  /** The others, in words: nobody must take what is shown there for all. */
  readonly alsoCut?: readonly string[];
}

const maxAlso = 5;

export function preview(data: unknown, budget: number): DataPreview {
  const walk: Walk = { cuts: [], depth: 0 };
  const shownPart = shorten(data, budget, '', walk);
  const cut = walk.cuts.reduce<Cut | undefined>(
    (largest, next) => (largest === undefined || countMissing(next) > countMissing(largest) ? next : largest),
    undefined,
  );
  const others = walk.cuts.filter((one) => one !== cut).map(inWords);
  return {
    data: shownPart.value,
    cut,
    ...(others.length > 0 && {
      alsoCut: [
        ...others.slice(0, maxAlso),
        ...(others.length > maxAlso ? [`and ${others.length - maxAlso} more`] : []),
      ],
    }),
  };
}

const inWords = ({ path, shownCount, total }: Cut): string =>
  `${cleanText(path, 120) || '@'}: ${shownCount} of ${total}`;

/** What an answer shows of its data. */
export interface ShownData extends DataPreview {
  /** Characters of JSON of all the data, as far as they are known. */
  readonly totalChars: number;
}

/** All of the data where they fit, else a preview. `textLength`: of the JSON text that they came in. */
export function show(data: unknown, budget: number, textLength: number): ShownData {
  // A text much longer than the budget is not only white space: its length will do, and spares encoding it.
  const encodes = textLength > budget && textLength <= 8 * budget;
  const canBeWhole = (encodes || textLength <= budget) && !isDeep(data);
  const totalChars = encodes && canBeWhole ? JSON.stringify(data).length : textLength;
  const isWhole = canBeWhole && totalChars <= budget;
  return { totalChars, ...(isWhole ? { data, cut: undefined } : preview(data, budget)) };
}

/** How long the JSON text of an answer's data is, from the text of the whole answer. */
export function dataLength(answer: object, text: { readonly length: number }): number {
  return text.length - JSON.stringify({ ...answer, data: null }).length + 'null'.length;
}

interface Walk {
  readonly cuts: Cut[];
  depth: number;
}

/** Deeper values are cut off: nobody reads them, and encoding them may overflow the stack. */
const maxDepth = 200;
const countMissing = (cut: Cut) => (cut.total - cut.shownCount) * (cut.kind === 'string' ? 1 : 50);
/** Less than this shows nothing of a long member. */
const leastShare = 200;
/** Brackets, a comma, a colon. */
const punctuation = 4;

/** `used` is how many characters of JSON the value costs, a little rounded up. */
function shorten(value: unknown, budget: number, path: string, walk: Walk): { value: unknown; used: number } {
  if (typeof value === 'string') return shortenString(value, budget, path, walk);
  if (typeof value !== 'object' || value === null) return { value, used: String(value).length };
  walk.depth += 1;
  const room = walk.depth > maxDepth ? 0 : budget;
  const part = Array.isArray(value)
    ? shortenArray(value, room, path, walk)
    : shortenObject(value, room, path, walk);
  walk.depth -= 1;
  return part;
}

function shortenString(value: string, budget: number, path: string, walk: Walk) {
  // Escapes make JSON longer than the string; six characters are the most that one can become.
  const limit = Math.max(0, budget - 2);
  if (value.length <= limit && (value.length * 6 <= limit || JSON.stringify(value).length - 2 <= limit)) {
    return { value, used: value.length + 2 };
  }
  let part = wholeCharacters(value, limit);
  while (part.length > 0 && JSON.stringify(part).length - 2 > limit) {
    part = wholeCharacters(part, Math.floor(part.length / 2));
  }
  walk.cuts.push({ path, kind: 'string', total: value.length, shownCount: part.length });
  return { value: part, used: JSON.stringify(part).length };
}

function shortenArray(value: readonly unknown[], budget: number, path: string, walk: Walk) {
  const elements: unknown[] = [];
  let usedChars = 2;
  for (const [index, element] of value.entries()) {
    const budgetLeft = budget - usedChars - punctuation;
    if (budgetLeft <= 0) break;
    const cutsBefore = walk.cuts.length;
    const part = shorten(element, budgetLeft, `${path}[${index}]`, walk);
    // Later elements are shown whole or not at all; only the first may itself be shortened.
    if (walk.cuts.length > cutsBefore && index > 0) {
      walk.cuts.length = cutsBefore;
      break;
    }
    elements.push(part.value);
    usedChars += part.used + 1;
    if (walk.cuts.length > cutsBefore) break;
  }
  const total = value.length;
  if (elements.length < total) walk.cuts.push({ path, kind: 'array', total, shownCount: elements.length });
  return { value: elements, used: usedChars };
}

function shortenObject(value: object, budget: number, path: string, walk: Walk) {
  const members: Record<string, unknown> = {};
  const entries = Object.entries(value);
  let usedChars = 2;
  let count = 0;
  let longLeft = entries.filter(([, member]) => roughSize(member) > 0).length;
  // Small members first: a long list must not push the facts beside it out.
  for (const [key, member] of [...entries].sort(([, a], [, b]) => roughSize(a) - roughSize(b))) {
    const budgetLeft = budget - usedChars - key.length - punctuation;
    if (budgetLeft <= 0) break;
    // Long members share what is left, so that none hides that the others exist.
    const share =
      roughSize(member) === 0 ? budgetLeft : Math.max(leastShare, Math.floor(budgetLeft / longLeft--));
    const part = shorten(
      member,
      Math.min(budgetLeft, share),
      path === '' ? toName(key) : `${path}.${toName(key)}`,
      walk,
    );
    Object.defineProperty(members, key, {
      value: part.value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    usedChars += part.used + key.length + punctuation;
    count += 1;
  }
  const total = entries.length;
  if (count < total) walk.cuts.push({ path, kind: 'object', total, shownCount: count });
  // In the order of the original.
  const ordered = Object.fromEntries(
    entries.filter(([key]) => Object.hasOwn(members, key)).map(([key]) => [key, members[key]]),
  );
  return { value: ordered, used: usedChars };
}

/** 0 for what is surely short, so that only the long members are moved behind. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length > 200 ? value.length : 0;
  if (Array.isArray(value)) return value.length * 50;
  return typeof value === 'object' && value !== null ? 100 : 0;
}

/** Whether a value is nested deeper than anything that is shown. */
function isDeep(value: unknown, levelsLeft = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levelsLeft === 0) return true;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeep(part, levelsLeft - 1));
}
