import { afterEach, describe, expect, it } from 'vitest';
import { reservedByStaticTools } from '../../../src/mcp/tools/tool-list.ts';
import { callContext, closeGateways, runTool, startGateway } from '../../support/gateway.ts';
import { connectPiped, endAllPipes, eras, modeOf } from '../../support/mcp-pipe.ts';
import { longestStall } from '../../support/stalls.ts';

afterEach(async () => {
  await endAllPipes();
  await closeGateways();
});

const actions = (count: number, slug: string, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    action_id: `${slug}-${String(n).padStart(3, '0')}`,
    catalog_slug: slug,
    description: `Does "${n}" \u00e9\\ ${'x'.repeat((n * 37) % 400)}`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: n % 9 }, (_, p) => [`p${p}`, { type: 'string', description: 'é"\\' }]),
      ),
    },
    ...more,
  }));

describe('the budgets', () => {
  it("put the requester's own first, and list by name", async () => {
    const { gateway } = await startGateway(
      { actions: [...actions(5, 'aaa'), ...actions(3, 'zzz', { mine: true })] },
      { maxTools: reservedByStaticTools().names.length + 5, reserved: reservedByStaticTools() },
    );
    const { tools, unlisted } = await gateway.listing();
    expect(tools.map(({ name }) => name)).toEqual(['aaa-000', 'aaa-001', 'zzz-000', 'zzz-001', 'zzz-002']);
    expect(unlisted).toBe(3);
    const hidden = await runTool(gateway, 'aaa-004');
    expect(hidden.body.status).toBe('completed');
  });

  it('list the same where scope=my is not answered', async () => {
    const { gateway, upstream } = await startGateway({ actions: actions(3, 'aaa', { mine: true }) });
    upstream.fail('listCatalogs', { kind: 'html', status: 500 });
    expect((await gateway.listing()).tools).toHaveLength(3);
  });

  it('list the chosen catalogs only; the others stay callable', async () => {
    const { gateway } = await startGateway(
      { actions: [...actions(2, 'aaa'), ...actions(2, 'bbb')] },
      { catalogs: ['bbb'] },
    );
    const { tools, unlisted } = await gateway.listing();
    expect(tools.map(({ name }) => name)).toEqual(['bbb-000', 'bbb-001']);
    expect(unlisted).toBe(2);
    expect((await gateway.runAction({ action_id: 'aaa-000' }, callContext())).body.status).toBe('completed');
  });

  it('do not limit the list at 0', async () => {
    const { gateway } = await startGateway(
      { actions: actions(300, 'aaa') },
      { maxTools: 0, maxToolsChars: 0 },
    );
    expect((await gateway.listing()).tools).toHaveLength(300);
  });

  it.each(eras.flatMap((era) => [13_500, 14_321, 30_000, 60_000].map((chars) => [era, chars] as const)))(
    'hold on the wire (%s, %i characters)',
    async (era, maxToolsChars) => {
      const { gateway } = await startGateway(
        { actions: actions(300, 'aaa') },
        { maxTools: 0, maxToolsChars, reserved: reservedByStaticTools() },
      );
      const { client, fromServer } = await connectPiped(gateway, modeOf(era));
      const lines: string[] = [];
      fromServer.on('data', (chunk: Buffer) => lines.push(chunk.toString('utf8')));
      const { tools } = await client.listTools();
      const answer = lines
        .join('')
        .split('\n')
        .find((line) => line.includes('"tools":['));
      const statics = reservedByStaticTools().names.length;
      expect(tools.length).toBeGreaterThan(statics);
      expect(answer?.length).toBeLessThanOrEqual(maxToolsChars);
      // A budget is there to be used.
      if (tools.length < statics + 300) expect(answer?.length).toBeGreaterThan(maxToolsChars * 0.8);
    },
  );
});

it('a short tool behind many long ones is listed where the long ones do not fit', async () => {
  const description = 'Long. '.repeat(150);
  const long = { parameters: {}, description };
  const one = await startGateway({ actions: actions(1, 'aaa', long) });
  const cost = JSON.stringify((await one.gateway.listing()).tools[0]).length;
  const { gateway } = await startGateway(
    {
      actions: [
        ...actions(36, 'aaa', long),
        { action_id: 'zzz-short', catalog_slug: 'zzz', description: 'Short', parameters: {} },
      ],
    },
    // Room for one long tool and most of another.
    { maxTools: 0, maxToolsChars: 2 * cost + 300 },
  );
  const { tools } = await gateway.listing();
  expect(tools.map(({ name }) => name)).toEqual(['aaa-000', 'zzz-short']);
});

it('a single tool that fits to the character still fits with everything around it', async () => {
  const { gateway: unlimited } = await startGateway({ actions: actions(1, 'aaa') });
  const cost = JSON.stringify((await unlimited.listing()).tools[0]).length;
  const reserved = reservedByStaticTools();
  let listed = 0;
  for (let extra = 0; extra <= 1_000; extra += 40) {
    const maxToolsChars = reserved.chars + cost + extra;
    const { gateway } = await startGateway({ actions: actions(1, 'aaa') }, { maxToolsChars, reserved });
    const { client, fromServer } = await connectPiped(gateway, modeOf('stateless'));
    const lines: string[] = [];
    fromServer.on('data', (chunk: Buffer) => lines.push(chunk.toString('utf8')));
    const { tools } = await client.listTools();
    const answer = lines
      .join('')
      .split('\n')
      .find((line) => line.includes('"tools":['));
    await endAllPipes();
    if (tools.length === reserved.names.length) continue;
    listed += 1;
    expect(answer?.length).toBeLessThanOrEqual(maxToolsChars);
  }
  expect(listed).toBeGreaterThan(2);
});

it('2,000 descriptions of nested tags are cleaned without stopping everything else', async () => {
  const description = `${'<a'.repeat(1_000)}${'>'.repeat(1_000)}`;
  const { gateway } = await startGateway({
    actions: actions(2_000, 'shop', { description, parameters: {} }),
  });
  const stall = await longestStall(async () => {
    const { tools, unlisted } = await gateway.listing();
    expect(tools.length + unlisted).toBe(2_000);
    await gateway.searchActions({ q: 'shop', limit: 50 }, callContext());
  });
  // 70 ms alone, 290 ms beside other suites on a slow machine. The scripted service runs in this process too.
  expect(stall).toBeLessThan(1_000);
});

describe('10,000 visible actions', () => {
  it('are listed within the budget, and every one is found and runs', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      action_id: `site${n % 100}-action-with-a-rather-long-name-${n}`,
      catalog_slug: `site${n % 100}`,
      description: `Finds thing number ${n}`,
      parameters: {
        type: 'object',
        properties: { q: { type: 'string' }, page: { type: 'integer' } },
        required: ['q'],
      },
    }));
    const { gateway, upstream } = await startGateway(
      { actions: many, balance: 20_000 },
      { reserved: reservedByStaticTools() },
    );
    const heapBefore = process.memoryUsage().heapUsed;
    const started = performance.now();
    const { tools, unlisted } = await gateway.listing();
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(tools.length + unlisted).toBe(10_000);
    expect(tools.length).toBeGreaterThan(20);
    expect(JSON.stringify(tools).length + reservedByStaticTools().chars).toBeLessThan(60_000);
    expect((process.memoryUsage().heapUsed - heapBefore) / 2 ** 20).toBeLessThan(250);

    const reached = new Map<string, string>();
    for (let cursor: string | undefined; ; ) {
      const { body } = await gateway.searchActions({ limit: 50, cursor }, callContext());
      for (const hit of Array.isArray(body.results) ? body.results : []) reached.set(hit.action_id, hit.tool);
      if (typeof body.next_cursor !== 'string') break;
      cursor = body.next_cursor;
    }
    expect(reached.size).toBe(10_000);
    expect(new Set(reached.values()).size).toBe(10_000);
    expect(upstream.requestsTo('search')).toHaveLength(1);
    for (const [actionId, tool] of [...reached].filter((_, n) => n % 100 === 0)) {
      const { body } = await runTool(gateway, tool, { q: 'x' });
      expect(body.status).toBe('completed');
      expect(upstream.requestsTo('submitTask').at(-1)?.body).toMatchObject({ action_id: actionId });
    }
  }, 60_000);
});
