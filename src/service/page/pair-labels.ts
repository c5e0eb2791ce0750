/** Labels of `<dt>` that rows share: a row may leave a pair out, so that a value is found by its label and not by its turn. */
import type { Element } from 'domhandler';
import { getElements, shownText } from './elements.ts';

export interface PairLabel {
  readonly text: string;
  /** Of several `<dd>` beside one `<dt>`, from 1. */
  readonly turn: number;
  /** The label stands behind the value. */
  readonly isBehind: boolean;
  /** Labels of the rows that have this one in them, such as "ISBN-13" for "ISBN". */
  readonly longer: readonly string[];
}

/** The least share of rows that have a label, and of labels among all `<dt>`: others are values themselves. */
const leastRows = 0.15;
const leastLabels = 0.8;
const maxLabel = 60;

function textsIn(element: Element): string[] {
  return element.name === 'dt' ? [shownText(element)] : getElements(element).flatMap(textsIn);
}

/** The label of a `<dt>`, a `<dd>` or a box of both; undefined where it has none that rows share. */
export function findPairLabels(
  rows: readonly (readonly Element[])[],
): (element: Element, siblings: readonly Element[], at: number) => PairLabel | undefined {
  const texts = rows.map((roots) => roots.flatMap(textsIn));
  const counts = new Map<string, number>();
  for (const text of texts.flatMap((some) => [...new Set(some)]))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  const isLabel = (text: string) =>
    text !== '' && text.length <= maxLabel && (counts.get(text) ?? 0) >= Math.max(2, rows.length * leastRows);
  const labels = [...counts.keys()].filter(isLabel);
  const all = texts.flat();
  if (labels.length === 0 || all.filter(isLabel).length < all.length * leastLabels) return () => undefined;
  const longer = new Map(
    labels.map((text) => [text, labels.filter((other) => other !== text && other.includes(text))]),
  );
  const areBoxes = rows
    .flat()
    .flatMap(listsIn)
    .every((list) => ownLabel(list) !== undefined);
  return (element, siblings, at) => {
    const label = element.name === 'dd' ? labelAt(siblings, at) : -1;
    const dt = element.name === 'dd' ? siblings[label] : labelOfBox(element, areBoxes);
    const text = dt === undefined ? '' : shownText(dt);
    const others = longer.get(text);
    const turn = element.name === 'dd' ? Math.abs(at - label) : 1;
    return others && { text, turn, isBehind: label > at, longer: others };
  };
}

const listsIn = (element: Element): Element[] =>
  element.name === 'dl' ? [element] : getElements(element).flatMap(listsIn);

/** The place of the `<dt>` before the `<dd>`, or behind it where values stand before their labels. */
function labelAt(siblings: readonly Element[], at: number): number {
  const first = siblings.find(({ name }) => /^d[td]$/.test(name));
  return first?.name === 'dd'
    ? siblings.findIndex(({ name }, index) => index > at && name === 'dt')
    : siblings.findLastIndex(({ name }, index) => index < at && name === 'dt');
}

/** Of a `<dt>`, or of a box with one pair; a `<dl>` is a box where all are. */
function labelOfBox(element: Element, areBoxes: boolean): Element | undefined {
  if (element.name === 'dt') return element;
  return element.name === 'dl' && !areBoxes ? undefined : ownLabel(element);
}

function ownLabel(box: Element): Element | undefined {
  const [label, ...others] = getElements(box).filter(({ name }) => name === 'dt');
  return others.length === 0 ? label : undefined;
}
