/** Bounds on schemas, which are hostile input until measured. */

export interface SchemaSize {
  readonly nodes: number;
  readonly depth: number;
  /** Whether checking could take long: a pattern, or combinators within combinators. */
  readonly slow: boolean;
}

const maxNodes = 20_000;
const maxDepth = 64;
const combinators = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'if']);
const patterns = new Set([
  'pattern',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
/** Checks of this many nodes are quick even when every one of them is visited many times. */
const smallNodes = 2_000;
const shallowCombinators = 2;

/**
 * Measures a schema, or says why it is not usable: too large, too deep, or with a cycle that JSON cannot have.
 * A `$ref` counts as a combinator, because following it repeats what it names.
 */
export function measureSchema(schema: unknown): SchemaSize | { readonly unusable: string } {
  let nodes = 0;
  let depth = 0;
  let slow = false;
  const pending: { value: unknown; depth: number; combined: number }[] = [
    { value: schema, depth: 0, combined: 0 },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes += 1;
    depth = Math.max(depth, next.depth);
    if (nodes > maxNodes) return { unusable: `its schema has more than ${maxNodes} parts` };
    if (depth > maxDepth) return { unusable: `its schema is nested more than ${maxDepth} levels deep` };
    if (typeof next.value !== 'object' || next.value === null) continue;
    for (const [key, value] of Object.entries(next.value)) {
      const combines = combinators.has(key) || (key === '$ref' && typeof value === 'string');
      const combined = next.combined + (combines ? 1 : 0);
      if (patterns.has(key) || combined > shallowCombinators) slow = true;
      pending.push({ value, depth: next.depth + 1, combined });
    }
  }
  return { nodes, depth, slow: slow || nodes > smallNodes };
}
