/**
 * Output schemas, under the check that clients make of every result: one that fails throws a paid result away. Both
 * lines of the protocol's packages. Needs `dist/`.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { connectFirstLine, connectProgram, endPrograms, environmentOf } from '../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const name = 'shop-list';
const action = (data: unknown) => ({
  action_id: name,
  catalog_slug: 'shop',
  mode: 'sync' as const,
  overrides: { returns: { items: ['title', 'price'] }, field_kinds: { price: 'number' } },
  job: { data },
});

async function start() {
  const upstream = await scriptedUpstream({ actions: [action({})] });
  const environment = {
    ...environmentOf(upstream, await temporaryFolder()),
    SVC_OUTPUT_SCHEMAS: 'on',
    SVC_RESULT_CHARS: '1000',
  };
  const listed = upstream.service.actions.get(name);
  if (listed === undefined) throw new Error('The scripted action is missing');
  const answerWith = (data: unknown) => Object.assign(listed, { job: { data } });
  return { environment, answerWith };
}

/** Data of the declared form, of every other form, and too large for an answer. */
const anyData = fc.oneof(
  fc.jsonValue(),
  fc.record({ items: fc.array(fc.record({ title: fc.jsonValue(), price: fc.jsonValue() })) }),
  fc.record({ items: fc.constant(Array.from({ length: 500 }, (_, price) => ({ title: 'x', price }))) }),
);
const anySelect = fc.constantFrom(
  undefined,
  '@',
  'items',
  'items[0].title',
  'none',
  'length(@)',
  'items[*].price',
);

describe('output schemas', () => {
  it('say what each field holds, in the words of the service, and give no type to anything below data', async () => {
    const { environment } = await start();
    const { client } = await connectProgram('auto', environment);
    const { tools } = await client.listTools();
    const schema = tools.find((tool) => tool.name === name)?.outputSchema;
    expect(schema).toMatchObject({
      type: 'object',
      required: ['status'],
      properties: {
        data: {
          properties: { items: { items: { properties: { title: {}, price: { description: '"number"' } } } } },
        },
      },
    });
    expect(JSON.stringify(Object(schema).properties.data)).not.toContain('"type"');
  });

  it('fit every result that a client checks: whole, selected, a preview, CSV, a batch, a failure', async () => {
    const { environment, answerWith } = await start();
    const clients = [
      (await connectProgram('auto', environment)).client,
      (await connectProgram('legacy', environment)).client,
      await connectFirstLine(environment),
    ];
    for (const client of clients) await client.listTools();
    await fc.assert(
      fc.asyncProperty(anyData, anySelect, async (data, select) => {
        answerWith(data);
        for (const client of clients) {
          const result = await client.callTool({ name, arguments: select === undefined ? {} : { select } });
          expect(result.structuredContent).toHaveProperty('status', 'completed');
        }
      }),
      { numRuns: 25 },
    );
    for (const client of clients) {
      const call = (args: Record<string, unknown>) =>
        client.callTool({ name: 'run_action', arguments: { action_id: name, ...args } });
      expect(await call({ format: 'csv' })).toMatchObject({ structuredContent: { status: 'completed' } });
      expect(await call({ batch: [{ n: 1 }, { n: 2 }] })).toMatchObject({
        structuredContent: { rows_completed: 2 },
      });
      const refused = await client.callTool({ name, arguments: { select: '[' } });
      expect(refused).toMatchObject({ isError: true, structuredContent: { status: 'error' } });
    }
  }, 60_000);

  it('are off by default; when they are on, the practice sites have them', async () => {
    const schemasOf = async (environment: Readonly<Record<string, string>>) => {
      const { client } = await connectProgram('auto', {
        SVC_DATA_DIR: await temporaryFolder(),
        ...environment,
      });
      const { tools } = await client.listTools();
      return Object.fromEntries(tools.map((tool) => [tool.name, tool.outputSchema]));
    };
    expect(Object.values(await schemasOf({})).filter(Boolean)).toEqual([]);
    const { bookshop_list_books, get_job } = await schemasOf({ SVC_OUTPUT_SCHEMAS: 'on' });
    expect(get_job).toBeUndefined();
    expect(bookshop_list_books).toMatchObject({
      properties: {
        data: { properties: { items: { items: { properties: { price: { description: 'number' } } } } } },
      },
    });
  });
});
