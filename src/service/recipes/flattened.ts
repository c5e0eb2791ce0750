/**
 * Values written as one flat list in which numbers stand for the items at their place, as Nuxt and SvelteKit (devalue)
 * and React Router (turbo-stream) write them, so that what appears twice is written once.
 */
type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values read out of one list; a list of a few items can stand for an endless tree. */
const maxValues = 500_000;
const maxDepth = 60;

/** Wrappers that say how a value is kept, not what it is. */
const wrappers = /^(?:(?:Shallow)?(?:Reactive|Ref)|NuxtError|Island|Date|D|URL|U|BigInt|P|Promise|RegExp|R)$/;

/** Whether it is such a list: its first item refers to others, and texts stand beside it. */
export function isFlattened(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || value.length < 2) return false;
  const [first] = value;
  const refers = (index: unknown) =>
    typeof index === 'number' && Number.isInteger(index) && index > -8 && index < value.length;
  if (Array.isArray(first)) {
    const [type, index] = first;
    return first.length === 2 && typeof type === 'string' && wrappers.test(type) && refers(index);
  }
  return (
    isRow(first) &&
    Object.keys(first).length > 0 &&
    Object.values(first).every(refers) &&
    value.some((item) => typeof item === 'string') &&
    !value.every(isRow)
  );
}

/** The value that the list stands for. `later` are lists that arrive after it, by the number of what awaits them. */
export function unflatten(list: readonly unknown[], later: ReadonlyMap<number, number> = new Map()): unknown {
  let remaining = maxValues;
  const open = new Set<number>();
  const valueAt = (index: unknown): unknown => {
    // Below zero stand undefined, NaN and the like.
    if (typeof index !== 'number' || index < 0 || open.has(index) || open.size > maxDepth) return null;
    remaining -= 1;
    if (remaining < 0) return null;
    open.add(index);
    const value = read(list[index]);
    open.delete(index);
    return value;
  };
  const pairs = (keys: readonly unknown[]) =>
    keys.flatMap((key, index) =>
      index % 2 === 0 ? [[String(valueAt(key)), valueAt(keys[index + 1])] as const] : [],
    );
  const read = (item: unknown): unknown => {
    if (Array.isArray(item)) {
      const [type, ...rest] = item;
      if (typeof type !== 'string') return item.map(valueAt);
      if (type === 'Set' || type === 'S') return rest.map(valueAt);
      if (type === 'Map' || type === 'M' || type === 'null') return Object.fromEntries(pairs(rest));
      const [inner] = rest;
      if (type === 'P' && typeof inner === 'number') return valueAt(later.get(inner) ?? inner);
      if (type === 'Date' || type === 'URL' || type === 'BigInt' || type === 'U' || type === 'B')
        return inner;
      if (type === 'D') return typeof inner === 'number' ? new Date(inner).toISOString() : inner;
      // A class of the application's own: what it holds.
      return valueAt(inner);
    }
    if (!isRow(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, index]) => {
        const named = /^_(\d+)$/.exec(key)?.[1];
        const name = named === undefined ? undefined : list[Number(named)];
        return [typeof name === 'string' ? name : key, valueAt(index)];
      }),
    );
  };
  return valueAt(0);
}

/** A stream of React Router: a list, and further ones for what was awaited, one a line: `P5:[…]`. */
export function unflattenStream(text: string): unknown {
  const list: unknown[] = [];
  const later = new Map<number, number>();
  for (const line of text.split('\n')) {
    const [, id, json = ''] = /^(?:P(\d+):)?(\[.*)$/.exec(line) ?? [];
    try {
      const items: unknown = JSON.parse(json);
      if (!Array.isArray(items)) continue;
      if (id !== undefined) later.set(Number(id), list.length);
      list.push(...items);
    } catch {
      // Cut off, or an error of the site's.
    }
  }
  return list.length === 0 ? undefined : unflatten(list, later);
}
