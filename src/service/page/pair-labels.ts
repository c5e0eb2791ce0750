/** Labels of `<dt>` that rows share: a row may leave a pair out, so that a value is found by its label and not by its turn. */
import type { Element } from 'domhandler';
import { getElements, shownText } from './elements.ts';

export interface PairLabel {
  readonly text: string;
  /** Of several `<dd>` behind one `<dt>`, from 1. */
  readonly turn: number;
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
  return (element, siblings, at) => {
    const label = element.name === 'dd' ? siblings.findLastIndex(isDt(at)) : -1;
    const dt = element.name === 'dd' ? siblings[label] : ownLabel(element);
    const text = dt === undefined ? '' : shownText(dt);
    const others = longer.get(text);
    return others && { text, turn: element.name === 'dd' ? at - label : 1, longer: others };
  };
}

const isDt =
  (before: number) =>
  ({ name }: Element, index: number) =>
    index < before && name === 'dt';
/** Of a `<dt>`, or of a box with one pair. */
function ownLabel(element: Element): Element | undefined {
  if (element.name === 'dt' || element.name === 'dl') return element.name === 'dt' ? element : undefined;
  const [label, ...others] = getElements(element).filter(({ name }) => name === 'dt');
  return others.length === 0 ? label : undefined;
}
