/** JSON-LD as one tree: each reference (`{"@id": …}`) is replaced by a copy of its target, to a limited depth. */
import type { JmespathValue } from './json.ts';
import { isObject, type JsonObject } from './json-values.ts';

const maxValues = 2_000_000;
/** Values copied from targets of references. */
const maxFollowed = 300_000;
/** Nested references that are followed: an item's author, but not everything that the author wrote. */
const maxReferences = 2;
const maxDepth = 100;

/** The id that the object refers to. */
function getReference({ '@id': id, '@type': _, ...rest }: JsonObject): string | undefined {
  return typeof id === 'string' && Object.keys(rest).length === 0 ? id : undefined;
}

/** The possible targets of references. */
function targetsIn(value: unknown): Map<string, JsonObject> {
  const targets = new Map<string, JsonObject>();
  let remaining = maxValues;
  const walk = (node: unknown, depth: number): void => {
    remaining -= 1;
    if (remaining < 0 || depth > maxDepth || typeof node !== 'object' || node === null) return;
    if (isObject(node)) {
      const id = node['@id'];
      if (typeof id === 'string' && getReference(node) === undefined) targets.set(id, node);
    }
    for (const entry of Object.values(node)) walk(entry, depth + 1);
  };
  walk(value, 0);
  return targets;
}

export function followIds(values: readonly unknown[]): JmespathValue[] {
  const targets = targetsIn(values);
  let remaining = maxValues;
  let remainingReferences = maxFollowed;
  const open = new Set<unknown>();
  const copy = (node: unknown, depth: number, references: number): JmespathValue => {
    remaining -= 1;
    if (references > 0) remainingReferences -= 1;
    if (remaining < 0 || depth > maxDepth || node === undefined || node === null) return null;
    if (typeof node === 'string' || typeof node === 'number' || typeof node === 'boolean') return node;
    if (typeof node !== 'object' || open.has(node)) return null;
    open.add(node);
    const copiedNode = copyNode(node, depth, references);
    open.delete(node);
    return copiedNode;
  };
  const copyNode = (node: object, depth: number, references: number): JmespathValue => {
    if (Array.isArray(node)) return node.map((item) => copy(item, depth + 1, references));
    if (isObject(node) && references < maxReferences && remainingReferences > 0) {
      const target = targets.get(getReference(node) ?? '');
      if (target !== undefined && !open.has(target)) return copy(target, depth + 1, references + 1);
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, entry]) => [key, copy(entry, depth + 1, references)]),
    );
  };
  return values.map((value) => copy(value, 0, 0));
}
