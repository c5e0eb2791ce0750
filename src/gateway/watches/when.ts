/** `when` of a watch: checked as it is given, and against the rows of a version, because one that finds nothing tells nothing. */
import { comparedRows, type Difference } from '../../compare/difference.ts';
import { toName } from '../../compare/main-list.ts';
import { cleanText } from '../foundation/text.ts';
import { type MissingName, missingName } from '../results/missing-name.ts';
import { type PathNode, readPath } from '../results/path.ts';
import { partsOf, shown } from '../results/path-words.ts';

/** Values of one field that are looked at. */
const maxValues = 50;
const maxNames = 10;

/** What `when` is promised to be applied to. */
type Parts = Pick<Difference, 'added' | 'removed' | 'changed'>;

/** With a change of no field. */
const emptyDifference: Parts = {
  added: [],
  removed: [],
  changed: [{ key: null, field: '', before: null, after: null }],
};

/** Why an expression can never find anything, whatever the rows are; undefined: it may. */
export function problemOfWhen(path: string): string | undefined {
  try {
    const missing = missingIn(readPath(path).node, emptyDifference);
    return (
      missing &&
      `is applied to {added, removed, changed: [{key, field, before, after}]}: ${nothingHas(missing)}`
    );
  } catch (error) {
    return cleanText(error instanceof Error ? error.message : 'not JMESPath', 200);
  }
}

/** What an expression asks for that the rows of a version do not have: it may tell nothing, ever. Undefined: they have it all. */
export function doubtOfWhen(path: string, data: unknown): string | undefined {
  const rows = comparedRows(data);
  if (rows.length === 0) return undefined;
  const { node } = readPath(path);
  const values = new Map<string, unknown[]>();
  for (const [field, value] of rows.flatMap((row) => Object.entries(row))) {
    const seen = values.get(field) ?? [];
    values.set(field, seen);
    if (seen.length < maxValues) seen.push(value);
  }
  const changed = [...values].flatMap(([field, seen]) =>
    seen.map((value) => ({ key: null, field, before: value, after: value })),
  );
  const missing = missingIn(node, { ...emptyDifference, added: rows, removed: rows, changed });
  const reason =
    missing === undefined
      ? fieldsAskedFor(node)
          .filter((field) => !values.has(field))
          .map((field) => `no row has the field ${shown(field)}; there are ${listed([...values.keys()])}`)[0]
      : nothingHas(missing);
  return reason && `when may never find anything: ${reason}.`;
}

/** Of alternatives each counts. */
const missingIn = (node: PathNode, difference: Parts): MissingName | undefined =>
  node.type === 'OrExpression'
    ? (missingIn(node.left, difference) ?? missingIn(node.right, difference))
    : missingName(node, difference);

const listed = (names: readonly string[]): string =>
  names.slice(0, maxNames).map(toName).join(', ') + (names.length > maxNames ? ', …' : '');

const nothingHas = ({ name, keys, kind }: MissingName): string =>
  `nothing there has ${shown(name)}; there ${keys.length === 0 ? `is ${kind}` : `are ${listed(keys)}`}`;

/** The texts that `field` of a change is compared with. */
function fieldsAskedFor(node: PathNode): string[] {
  if (node.type === 'Comparator' && (node.name === 'EQ' || node.name === 'NE')) {
    const sides = [node.left, node.right];
    const isField = sides.some((side) => side.type === 'Field' && side.name === 'field');
    return isField
      ? sides.flatMap((side) =>
          side.type === 'Literal' && typeof side.value === 'string' ? [side.value] : [],
        )
      : [];
  }
  return partsOf(node).flatMap(fieldsAskedFor);
}
