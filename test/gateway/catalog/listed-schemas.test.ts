/** What is listed of an action's `parameters`, keyword by keyword. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { createPrincipal, embeddedService } from '../../../src/gateway/interface/principal.ts';
import { practiceCatalogs } from '../../../src/practice/catalogs.ts';
import { createCatalogSource } from '../../../src/service/catalog/source.ts';
import type { CatalogSource } from '../../../src/service/foundation/ports.ts';
import { closeGateways, startGateway } from '../../support/gateway.ts';

let source: CatalogSource;
beforeAll(async () => {
  const further = practiceCatalogs();
  source = await createCatalogSource({ further, logger: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await source.close();
  await closeGateways();
});

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Paths of the keywords that are not the same in both; the properties of ours are left out. */
function differences(original: unknown, listed: unknown, path = ''): string[] {
  if (!isObject(original) || !isObject(listed))
    return JSON.stringify(original) === JSON.stringify(listed) ? [] : [path];
  const names = new Set([...Object.keys(original), ...Object.keys(listed)]);
  return [...names].flatMap((name) => differences(original[name], listed[name], `${path}/${name}`));
}
const ours = ['/properties/identity', '/properties/select'];

async function listedSchemas(
  actions: readonly { action_id: string; parameters: unknown }[],
  service = 'https://a.example/v1/svc',
) {
  const { gateway } = await startGateway(
    { actions: actions.map((action) => ({ ...action, catalog_slug: 'any', auth_mode: 'optional' })) },
    { maxTools: 0, maxToolsChars: 0 },
    { principal: createPrincipal(service, 'any key') },
  );
  const { tools } = await gateway.listing();
  return new Map(tools.map(({ actionId, inputSchema }) => [actionId, inputSchema]));
}

it('every action of the embedded catalogs is listed with its parameters as they are, and ours beside them', async () => {
  const actions = source.current().flatMap(({ catalog }) => catalog?.actions ?? []);
  expect(actions.length).toBeGreaterThan(20);
  const listed = await listedSchemas(actions, embeddedService);
  for (const { action_id, parameters } of actions)
    expect([action_id, differences(parameters, listed.get(action_id))]).toEqual([action_id, ours]);
});

it('of another service only what a provider refuses differs, and descriptions stand in quotes', async () => {
  const kept = {
    text: {
      type: 'string',
      title: 'Text',
      description: 'Words',
      minLength: 1,
      maxLength: 9,
      pattern: '^[a-z]+$',
      format: 'email',
      default: 'abc',
      examples: ['abc', 'def'],
      deprecated: true,
    },
    choice: { type: 'string', enum: ['a', 'b'], default: 'a', examples: ['b'] },
    constant: { const: 'a' },
    number: { type: 'number', minimum: 0, maximum: 5, multipleOf: 0.5, default: 1, examples: [1, 2] },
    between: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
    list: {
      type: 'array',
      items: { type: 'string', pattern: '^x' },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
    closed: { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false },
    open: { type: 'object', additionalProperties: true, minProperties: 1, maxProperties: 2 },
    map: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
    either: { anyOf: [{ type: 'string', pattern: '^a' }, { type: 'null' }] },
  };
  const refused = {
    numbers: { type: 'integer', enum: [1, 2] },
    seven: { const: 7 },
    one: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    old: { type: 'number', minimum: 1, exclusiveMinimum: true },
    odd: { type: 'string', pattern: '(?i)a\\z' },
    vendor: { type: 'string', 'x-order': 1 },
    bare: { type: 'array' },
    referred: { $ref: '#/$defs/size' },
  };
  const parameters = {
    type: 'object',
    title: 'All of it',
    description: 'Everything',
    properties: { ...kept, ...refused, 'odd name': {} },
    required: ['text'],
    additionalProperties: false,
    minProperties: 1,
    $defs: { size: { type: 'integer', minimum: 1 } },
  };
  const listed = (await listedSchemas([{ action_id: 'any-all', parameters }])).get('any-all');
  const properties = [
    'numbers/enum',
    'numbers/description',
    'seven/const',
    'seven/description',
    'one/oneOf',
    'one/anyOf',
    'old/minimum',
    'old/exclusiveMinimum',
    'odd/pattern',
    'odd/description',
    'vendor/x-order',
    'bare/items',
    'referred/$ref',
    'referred/type',
    'referred/minimum',
    'odd name',
  ];
  expect(listed).toMatchObject({
    description: '"Everything"',
    properties: { text: { title: 'Text', description: '"Words"' } },
  });
  expect(differences(parameters, listed)).toEqual([
    '/description',
    '/properties/text/description',
    ...properties.map((name) => `/properties/${name}`),
    ...ours,
    '/$defs',
  ]);
});
