/**
 * State as one tree: what only refers to another object of it (`{"@id": …}` of JSON-LD, `{"__ref": …}` of Apollo) holds
 * that object, and texts that are JSON hold what they say. A copy, so that nothing in it is endless.
 */
import type { Json } from './document.ts';

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maxValues = 2_000_000;
/** Values that come from following references. */
const maxFollowed = 300_000;
/** References inside of what others refer to: an item's author, but not all that the author wrote. */
const maxReferences = 2;
const maxDepth = 100;

/** The key of the object that is referred to. */
function reference(row: Row): string | undefined {
  const { __ref: ref, '@id': id, '@type': _, ...rest } = row;
  if (Object.keys(row).length === 1 && typeof ref === 'string') return ref;
  if (typeof id === 'string' && Object.keys(rest).length === 0) return id;
  // Apollo's cache of version 2.
  return row.type === 'id' && 'generated' in row && typeof row.id === 'string' ? row.id : undefined;
}

/** The objects that may be referred to. */
function targetsIn(value: unknown): Map<string, Row> {
  const targets = new Map<string, Row>();
  let remaining = maxValues;
  const walk = (node: unknown, depth: number): void => {
    remaining -= 1;
    if (remaining < 0 || depth > maxDepth || typeof node !== 'object' || node === null) return;
    if (isRow(node)) {
      const id = node['@id'];
      if (typeof id === 'string' && reference(node) === undefined) targets.set(id, node);
      for (const [key, entry] of Object.entries(node))
        if (isRow(entry) && '__typename' in entry && reference(entry) === undefined) targets.set(key, entry);
    }
    for (const entry of Object.values(node)) walk(entry, depth + 1);
  };
  walk(value, 0);
  return targets;
}

export function resolveReferences(value: unknown): Json {
  const targets = targetsIn(value);
  let remaining = maxValues;
  let remainingReferences = maxFollowed;
  const open = new Set<unknown>();
  const copy = (node: unknown, depth: number, references: number): Json => {
    remaining -= 1;
    if (references > 0) remainingReferences -= 1;
    if (remaining < 0 || depth > maxDepth || node === undefined || node === null) return null;
    if (typeof node === 'string') return unquoted(node, depth);
    if (typeof node === 'number') return Number.isFinite(node) ? node : null;
    if (typeof node === 'boolean') return node;
    if (typeof node !== 'object' || open.has(node)) return null;
    open.add(node);
    const copiedNode = copyNode(node, depth, references);
    open.delete(node);
    return copiedNode;
  };
  const copyNode = (node: object, depth: number, references: number): Json => {
    if (Array.isArray(node)) return node.map((item) => copy(item, depth + 1, references));
    if (isRow(node) && references < maxReferences && remainingReferences > 0) {
      const target = targets.get(reference(node) ?? '');
      if (target !== undefined && !open.has(target)) return copy(target, depth + 1, references + 1);
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, entry]) => [key, copy(entry, depth + 1, references)]),
    );
  };
  /** What a text holds that is JSON itself: an interface's answer, kept as it came. */
  const unquoted = (text: string, depth: number): Json => {
    if (!/^(?:\{"|\[[{[])/.test(text) || !/[}\]]$/.test(text)) return text;
    try {
      return copy(JSON.parse(text), depth + 1, 0);
    } catch {
      return text;
    }
  };
  return copy(value, 0, 0);
}
