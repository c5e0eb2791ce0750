/** Rows in JSON that are no objects: the members of a map of numbers, and arrays below one that names their places. */
import { isObject, isScalar, type JsonObject, type JsonRows, toPath } from '../../page/json.ts';

const leastMembers = 3;
const maxDepth = 3;
const maxMembers = 60;

/** A name in an expression, always in quotes. */
const toMember = (name: string) => JSON.stringify(name);

/** `{"USD": 1.08, "DKK": 7.46}`: a row for each member. */
function rowsOfMap(map: JsonObject, path: string, about: string): JsonRows | undefined {
  const entries = Object.entries(map);
  if (entries.length < leastMembers || !entries.every(([, value]) => typeof value === 'number'))
    return undefined;
  const rows = entries.map(([name, value]) => ({ name, value }));
  return { rows, many: true, path: `items(${path || '@'})[*].{name: [0], value: [1]}`, about };
}

/** `[["Name", "Age"], ["Ann", 31]]`: the first array has the names of the columns. */
function rowsOfArrays(list: readonly unknown[], path: string, about: string): JsonRows | undefined {
  const [head, ...others] = list;
  if (!Array.isArray(head) || others.length < 2) return undefined;
  const names = head.filter((name) => typeof name === 'string' && name.trim() !== '').map(String);
  const arrays = others.filter(Array.isArray).filter((row) => row.length === head.length);
  const isTable =
    new Set(names).size === head.length &&
    arrays.length === others.length &&
    arrays.flat().every(isScalar) &&
    // A head of words above values of which some are no words.
    arrays.some((row) => row.some((value) => typeof value === 'number'));
  if (!isTable) return undefined;
  const members = names.map((name, at) => `${toMember(name)}: [${at}]`).join(', ');
  const rows = arrays.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  return { rows, many: true, path: `${path}[1:].{${members}}`, about };
}

/** For values that have no list of objects. */
export function findJsonTables(value: unknown, path = '', about = '', depth = 0): JsonRows[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return [rowsOfArrays(value, path, about) ?? []].flat();
  if (!isObject(value)) return [];
  const own = rowsOfMap(value, path, about);
  if (own !== undefined) return [own];
  return Object.entries(value)
    .slice(0, maxMembers)
    .flatMap(([name, member]) => findJsonTables(member, toPath(path, name), name, depth + 1));
}
