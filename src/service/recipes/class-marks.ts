/** What a class or an icon says of a value, and its text does not: a fall, drawn as an arrow; what a plan lacks, drawn as a cross. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Row } from '../page/document.ts';
import { getElements } from '../page/elements.ts';
import { toWords } from '../page/words.ts';
import type { HtmlField } from './recipe-schema.ts';
import { Tally } from './tally.ts';

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

const allMarks = new Set([...falls, ...denials, ...colours.flat()]);

/** Names of looks, such as "no-underline", "drop-shadow" and "list-none". */
const ofLooks = /^(?:no|drop)-|-none$/;

/** Elements in a value that are looked at. */
const maxElements = 30;

function allWithin(element: Element, found: Element[] = []): Element[] {
  if (found.length >= maxElements) return found;
  found.push(element);
  for (const child of getElements(element)) allWithin(child, found);
  return found;
}

const isUnsigned = (value: unknown): boolean =>
  typeof value === 'number' ? value > 0 : typeof value === 'string' && /^[^\p{L}+−–▲▼↑↓-]*\d/u.test(value);

interface Marked {
  readonly value: string;
  /** Those of its marks that may tell. */
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
  readonly #values = new Tally<Marked>();
  readonly #rows: (string | undefined)[] = [];
  /** By the attributes as they are written, because many elements have the same. */
  readonly #words = new Map<string, readonly string[]>();

  /** `value`: what a row has of the text of this element. */
  count(name: string, field: HtmlField, value: unknown, element: Element): void {
    if ('attribute' in field && field.attribute !== undefined) return;
    const isFigure = field.type === 'number' || isUnsigned(value);
    if ((isFigure && !isUnsigned(value)) || (!isFigure && typeof value !== 'string')) return;
    const words = allWithin(element).flatMap((one) => this.#wordsOf(one));
    this.#values.add(name, words.length > 0 ? { value: String(value), words, isFigure } : undefined);
  }

  /** Of a row that is given. */
  countRow(element: AnyNode | undefined, row: Row): void {
    const numbers = Object.values(row).filter((value) => typeof value === 'number');
    const words = element !== undefined && isTag(element) ? this.#wordsOf(element) : [];
    const isSigned = numbers.length === 0 || numbers.some((value) => value < 0);
    this.#rows.push(isSigned ? undefined : words.find((word) => falls.has(word)));
  }

  /** What an element says beside its text, as far as it may be a mark. */
  #wordsOf({ attribs }: Element): readonly string[] {
    const {
      class: names = '',
      alt = '',
      title = '',
      'aria-label': label = '',
      style = '',
      href = '',
    } = attribs;
    const address = href.startsWith('#') ? href : '';
    const written = [names, alt, title, label, style, address].join('\n');
    const known = this.#words.get(written);
    if (known !== undefined) return known;
    const classes = names.split(/\s+/).filter((one) => !ofLooks.test(one));
    const [, colour = ''] = /(?:^|;)\s*color:\s*(\w+)/.exec(style) ?? [];
    const said = [...classes, alt, title, label, colour, address].join(' ');
    const words = toWords(said).filter((word) => allMarks.has(word));
    this.#words.set(written, words);
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
    const ofValues = this.#values.explain((name, _, told, all) => {
      const marked = told.flatMap((one) => {
        const mark = markIn(one, told);
        return mark === undefined ? [] : { ...one, mark };
      });
      const [first] = marked;
      // What all have says nothing of one of them.
      if (first === undefined || marked.length === all) return undefined;
      const may = first.isFigure ? 'may be a fall, without its sign' : 'may be what is not so';
      return `${name}: the page marks some values by a class or an icon alone ("${first.mark}"): "${first.value.slice(0, 60)}" ${may}.`;
    });
    return [...ofRows, ...ofValues];
  }
}
