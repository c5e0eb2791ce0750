/** Schemas of params that could take for ever to check, each with params that make it. */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';

export const redos = { properties: { v: { type: 'string', pattern: '^(a+)+$' } } };

/** Each definition names the next one twice, by references alone. */
function doublingRefs(levels: number): JsonObject {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  return { properties: { v: { $ref: '#/$defs/d0' } }, $defs: { ...$defs, [`d${levels}`]: {} } };
}

function nestedAnyOf(levels: number): JsonObject {
  let schema: JsonObject = { const: 'never' };
  for (let level = 0; level < levels; level += 1) schema = { anyOf: [schema, schema, schema] };
  return { properties: { v: schema } };
}

const tree = (levels: number): JsonObject => (levels === 0 ? {} : { child: tree(levels - 1) });

export const slowSchemas: readonly (readonly [name: string, schema: JsonObject, params: JsonObject])[] = [
  ['a pattern that backtracks', redos, { v: `${'a'.repeat(40)}!` }],
  ['anyOf within anyOf', nestedAnyOf(9), { v: 'x' }],
  ['references that double at every level', doublingRefs(40), { v: 1 }],
  [
    'two references to itself at every level of the params',
    { properties: { child: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } },
    tree(40),
  ],
  [
    'unique items, 9,000 of them',
    { properties: { v: { uniqueItems: true } } },
    { v: Array.from({ length: 9_000 }, (_, index) => [index]).flat() },
  ],
  [
    'a dynamic reference that doubles',
    {
      $dynamicAnchor: 'node',
      properties: { child: { allOf: [{ $dynamicRef: '#node' }, { $dynamicRef: '#node' }] } },
    },
    tree(40),
  ],
];
