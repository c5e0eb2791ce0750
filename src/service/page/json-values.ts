/** JSON objects, how JMESPath writes their keys, and the lists of objects that JSON holds. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const identifier = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));

/** The path of an object's key; the object's path is empty for the whole value. */
export const toPath = (path: string, key: string): string =>
  path === '' ? identifier(key) : `${path}.${identifier(key)}`;

export interface JsonRows {
  readonly rows: readonly JsonObject[];
  readonly many: boolean;
  /** JMESPath of the rows, or of the one record; empty for the whole value. */
  readonly path: string;
  readonly about: string;
  /** How many values of the list are no objects, and no rows. */
  readonly others?: number;
}

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxDepth = 30;
const maxItems = 60;
/** How many rows of one list are searched for lists inside of them. */
const maxAlike = 2;
const maxLists = 6;
const maxRecords = 3;

/** Whether an object is a record: it has several values, one of them a name. */
function isRecord(object: JsonObject): boolean {
  const keys = Object.keys(object).filter((key) => object[key] !== null && isScalar(object[key]));
  return keys.length >= 3 && keys.some((key) => /^(?:name|title|headline|label)$/i.test(key));
}

const getSize = ({ rows }: JsonRows) => rows.length * Object.keys(rows[0] ?? {}).length;

/** The lists of objects and the records in a value, the largest first; `start` is the path that leads to it. */
export function findJsonRows(value: unknown, start = ''): JsonRows[] {
  const candidateRows: JsonRows[] = [];
  let visited = 0;
  /** What is in a value, each with its path and the key above it. */
  const inside = (node: unknown, path: string, about: string): [unknown, string, string][] => {
    if (isObject(node)) {
      if (isRecord(node)) candidateRows.push({ rows: [node], many: false, path, about });
      return Object.entries(node).map(([name, entry]) => [entry, toPath(path, name), name]);
    }
    if (!Array.isArray(node)) return [];
    const rows = node.filter(isObject);
    const many = rows.length >= 2 && rows.length >= node.length * 0.9;
    const others = node.length - rows.length;
    if (many) candidateRows.push({ rows, many, path: path || '@', about, others });
    const some = node.slice(0, many ? maxAlike : maxItems);
    return some.map((item, index) => [item, `${path || '@'}[${index}]`, about]);
  };
  const walk = (node: unknown, path: string, about: string, depth: number) => {
    visited += isScalar(node) ? 0 : 1;
    if (visited > maxVisited || depth > maxDepth) return;
    for (const [item, at, key] of inside(node, path, about)) walk(item, at, key, depth + 1);
  };
  walk(value, start, '', 0);
  candidateRows.sort((one, other) => getSize(other) - getSize(one));
  const lists = candidateRows.filter(({ many }) => many).slice(0, maxLists);
  const records = candidateRows.filter(({ many }) => !many).slice(0, maxRecords);
  return [...lists, ...records];
}
