/** What a class or an icon says of a value, and its text does not: a fall, drawn as an arrow; what a plan lacks, drawn as a cross. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Row } from '../page/document.ts';
import { getClasses, getElements, getParent, shownText } from '../page/elements.ts';
import { toWords } from '../page/words.ts';
import type { HtmlField } from './recipe-schema.ts';

/** Of numbers that fall. */
const falls = new Set(
  'down negative neg negativ negativo negatif loss losses loser losers fall falls falling fallen fallend decrease decreased decreasing decline declining minus bearish drop verlust baisse perte baja perdida ribasso calo queda'.split(
    ' ',
  ),
);
/** The same, where others are in the colour of those that rise. */
const colours: readonly (readonly [fall: string, rise: string])[] = [
  ['red', 'green'],
  ['rot', 'grun'],
  ['danger', 'success'],
];
/** Of texts that are not so. */
const denials = new Set(
  'no not none false nein nicht non unavailable inactive disabled excluded unchecked cross crossed xmark times cancelled canceled abgesagt'.split(
    ' ',
  ),
);

/** Names of looks, such as "no-underline", "drop-shadow" and "list-none". */
const ofLooks = /^(?:no|drop)-|-none$/;

/** Elements in a value that are looked at. */
const maxElements = 30;

/** What an element says beside its text, as it is written: many elements say the same. */
function saidBy(element: Element): string {
  const { attribs } = element;
  const classes = getClasses(element).filter((name) => !ofLooks.test(name));
  const { alt = '', title = '', 'aria-label': label = '', style = '' } = attribs;
  const [, colour = ''] = /(?:^|;)\s*color:\s*(\w+)/.exec(style) ?? [];
  const address = attribs.href?.startsWith('#') === true ? attribs.href : '';
  return [...classes, alt, title, label, colour, address].join(' ').trim();
}

function allWithin(element: Element, found: Element[] = []): Element[] {
  if (found.length >= maxElements) return found;
  found.push(element);
  for (const child of getElements(element)) allWithin(child, found);
  return found;
}

/** What shows the text of an element and nothing else, up to the row. */
function boxOf(element: Element, row: Element | undefined): Element {
  const text = shownText(element);
  let box = element;
  for (let above = getParent(box); above !== null && above !== row; above = getParent(above)) {
    if (shownText(above) !== text) break;
    box = above;
  }
  return box;
}

const isUnsigned = (value: unknown): boolean =>
  typeof value === 'number' ? value > 0 : typeof value === 'string' && /^[^\p{L}+−–▲▼↑↓-]*\d/u.test(value);

interface Marked {
  readonly value: string;
  readonly words: readonly string[];
  readonly isFigure: boolean;
}

/** The word by which the value is marked as a fall, or as something that is not so. */
function markIn({ words, value, isFigure }: Marked, all: readonly Marked[]): string | undefined {
  if (!isFigure) {
    const found = words.filter((word) => denials.has(word));
    const own = found.length === 0 ? [] : toWords(value);
    return found.find((word) => !own.includes(word));
  }
  const [colour] = colours.find(
    ([fall, rise]) => words.includes(fall) && all.some((other) => other.words.includes(rise)),
  ) ?? [undefined];
  return words.find((word) => falls.has(word)) ?? colour;
}

export class ClassMarks {
  readonly #values = new Map<string, Marked[]>();
  readonly #rows: (string | undefined)[] = [];
  /** By what is written: to read it again for each of a thousand rows takes as long as to read the rows. */
  readonly #words = new Map<string, readonly string[]>();

  /** `value`: what a row has of this element. */
  count(name: string, field: HtmlField, value: unknown, found: AnyNode | undefined, row?: AnyNode): void {
    if (found === undefined || !isTag(found) || ('attribute' in field && field.attribute !== undefined))
      return;
    const isFigure = field.type === 'number' || isUnsigned(value);
    if ((isFigure && !isUnsigned(value)) || (!isFigure && typeof value !== 'string')) return;
    const box = boxOf(found, row !== undefined && isTag(row) ? row : undefined);
    const words = allWithin(box).flatMap((element) => this.#wordsOf(element));
    const values = this.#values.get(name) ?? [];
    this.#values.set(name, values);
    values.push({ value: String(value), words, isFigure });
  }

  /** Of a row that is given. */
  countRow(element: AnyNode | undefined, row: Row): void {
    const numbers = Object.values(row).filter((value) => typeof value === 'number');
    const words = element !== undefined && isTag(element) ? this.#wordsOf(element) : [];
    const isSigned = numbers.length === 0 || numbers.some((value) => value < 0);
    this.#rows.push(isSigned ? undefined : words.find((word) => falls.has(word)));
  }

  #wordsOf(element: Element): readonly string[] {
    const said = saidBy(element);
    const known = this.#words.get(said);
    if (known !== undefined) return known;
    const words = toWords(said);
    this.#words.set(said, words);
    return words;
  }

  get doubts(): readonly string[] {
    const marked = this.#rows.filter((mark) => mark !== undefined);
    const ofRows =
      marked.length === 0 || marked.length === this.#rows.length
        ? []
        : [
            `${marked.length} of ${this.#rows.length} rows are marked by a class alone ("${marked[0]}"): some number of theirs may be a fall, without its sign.`,
          ];
    return [...ofRows, ...this.#ofValues];
  }

  get #ofValues(): readonly string[] {
    return [...this.#values].flatMap(([name, values]) => {
      const marked = values.flatMap((one) => {
        const mark = markIn(one, values);
        return mark === undefined ? [] : { ...one, mark };
      });
      const [first] = marked;
      // What all have says nothing of one of them.
      if (first === undefined || marked.length === values.length) return [];
      const may = first.isFigure ? 'may be a fall, without its sign' : 'may be what is not so';
      return `${name}: the page marks some values by a class or an icon alone ("${first.mark}"): "${first.value.slice(0, 60)}" ${may}.`;
    });
  }
}
