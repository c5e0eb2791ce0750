import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Gateway, RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  runTool,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { longestStall } from '../../support/stalls.ts';

afterEach(closeGateways);

const books = Array.from({ length: 43 }, (_, id) => ({
  title: `Book ${id}`,
  price: 10 + id,
  rating: id % 5,
  blurb: 'x'.repeat(200),
}));
const script = {
  actions: [
    { action_id: 'shop-books', catalog_slug: 'shop', job: { data: { books, count: 43 } } },
    { action_id: 'shop-slow', catalog_slug: 'shop', job: { ms: 300, data: { books } } },
    {
      action_id: 'shop-own',
      catalog_slug: 'shop',
      parameters: { type: 'object', properties: { select: { type: 'string' } } },
    },
  ],
};
const start = () => startGateway(script);

const run = async (gateway: Gateway, input: Partial<RunActionInput>) =>
  (await deliver(gateway.runAction({ action_id: 'shop-books', ...input }, callContext()))).body;

/** The call of a next step. */
const callIn = (next: unknown) => Object(next).call;

describe('select', () => {
  it.each([
    ['books.title', 'books[].title', '"title" is a field of the rows of a list'],
    ['books.title | [0]', 'books[].title | [0]', '"title" is a field of the rows of a list'],
    ['[].title', 'books[].title', 'the result is an object, and its rows are in books'],
    ['[?price < `12`].title', 'books[?price < `12`].title', 'its rows are in books'],
    ['[*].title', 'books[*].title', 'its rows are in books'],
  ])('%s names the path that has the rows: %s', async (select, path, reason) => {
    const { gateway } = await start();
    const body = await run(gateway, { select });
    expect(body).toMatchObject({ data: null, note: expect.stringContaining(reason) });
    expect(callIn(body.next)).toMatchObject({ select: path });
    const { data } = (await gateway.getJob(callIn(body.next), callContext())).body;
    expect(data).toEqual(expect.anything());
    const rows = await gateway.runBatch(
      { action_id: 'shop-books', batch: [{}], select: '[].title' },
      callContext(),
    );
    expect(JSON.stringify(rows.body)).toContain('its rows are in books');
  });

  it('returns only that part, and the whole stays readable for free', async () => {
    const { gateway, upstream } = await start();
    const select = '{n: length(books), good: length(books[?rating >= `4`]), mean: avg(books[*].price)}';
    const body = await run(gateway, { select });
    expect(body).toMatchObject({ status: 'completed', credits_used: 1, data: { n: 43, good: 8, mean: 31 } });
    expect(JSON.stringify(body).length).toBeLessThan(300);
    expect(Object.keys(body).at(-1)).toBe('data');
    const { body: whole } = await gateway.getJob(
      { job_id: String(body.job_id), select: 'books[42].title' },
      callContext(),
    );
    expect(whole).toMatchObject({ data: 'Book 42', credits_used: 0 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('says if the result does not hold all rows, so that a filter without a match is not taken as final', async () => {
    const next = 'The same call with max_pages 5 costs 1 credit.';
    const data = { items: [{ by: 'Woolf' }], returned: 1, total: 43, has_more: true, next };
    const { gateway } = await startGateway({ actions: [{ action_id: 'shop-books', job: { data } }] });
    const read = async (select: string) => (await run(gateway, { select })).note;
    expect(await read("items[?by=='Austen']")).toBe(`The result holds 1 of 43 rows. It says: "${next}"`);
    expect(await read('{items: items, more: has_more, next: next}')).toBeUndefined();
    const wrong = await gateway.runBatch(
      { action_id: 'shop-books', batch: [{ n: 1 }, { n: 2 }], select: 'items[0].bx' },
      callContext(),
    );
    // Once for all rows.
    expect(wrong.body).toMatchObject({
      note: expect.stringContaining('"bx" does not exist'),
      rows: [{ data: null }, { data: null }],
    });
    expect(JSON.stringify(wrong.body).match(/does not exist/g)).toHaveLength(1);
  });

  it('says of each row of a batch only what holds for it', async () => {
    const whole = { items: [1], returned: 1, total: 1, has_more: false };
    const part = { items: [1], returned: 1, total: 2, has_more: true };
    const job = (params: unknown) => ({ data: Object(params).n === 1 ? whole : part });
    const { gateway } = await startGateway({ actions: [{ action_id: 'shop-books', job }] });
    const batch = [{ n: 1 }, { n: 2 }];
    const { body } = await gateway.runBatch(
      { action_id: 'shop-books', batch, select: 'items' },
      callContext(),
    );
    expect(body).not.toHaveProperty('note');
    const { rows } = z.object({ rows: z.array(z.looseObject({ note: z.string().optional() })) }).parse(body);
    expect(rows.map(({ note }) => note)).toEqual([undefined, 'The result holds 1 of 2 rows.']);
  });

  it('is a property of every action tool, under another name where the action has a select of its own', async () => {
    const { gateway, upstream } = await start();
    const { tools } = await gateway.listing();
    const propertiesOf = (name: string) =>
      Object.keys(Object(tools.find((tool) => tool.name === name)?.inputSchema.properties));
    expect(propertiesOf('shop-books')).toEqual(['select']);
    expect(propertiesOf('shop-own')).toEqual(['select', 'svc_select']);
    const { body } = await runTool(gateway, 'shop-books', { select: 'books[0].title' });
    expect(body).toMatchObject({ status: 'completed', data: 'Book 0' });
    const own = await runTool(gateway, 'shop-own', { select: 'mine', svc_select: 'params' });
    expect(own.body).toMatchObject({ data: { select: 'mine' } });
    expect(upstream.requestsTo('submitTask').map(({ body: sent }) => Object(sent).params)).toEqual([
      {},
      { select: 'mine' },
    ]);
  });

  it('of wrong syntax is refused before anything is sent', async () => {
    const { gateway, upstream } = await start();
    for (const select of ['books[', '[?x ==', 'a'.repeat(1_001)]) {
      const body = await run(gateway, { select });
      expect(body).toMatchObject({ status: 'error', error: { code: 'INVALID_PARAMS' } });
    }
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('without a match is completed with the names that exist and a free next', async () => {
    const { gateway, upstream } = await start();
    const body = await run(gateway, { select: 'boks[0].title' });
    expect(body).toMatchObject({
      status: 'completed',
      job_id: expect.any(String),
      credits_used: 1,
      keys: ['books', 'count'],
      data: null,
    });
    const next = callIn(body.next);
    expect(next).toEqual({ job_id: body.job_id, select: 'books[0].title' });
    expect((await gateway.getJob(next, callContext())).body).toMatchObject({
      data: 'Book 0',
      credits_used: 0,
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('that cannot be evaluated is completed too, after payment', async () => {
    const { gateway } = await start();
    for (const select of [
      'length(count)',
      'nosuchfunction(books)',
      Array.from({ length: 26 }, () => '[@,@]').join('|'),
    ]) {
      const body = await run(gateway, { select });
      expect(body).toMatchObject({ status: 'completed', credits_used: 1, data: null });
      expect(callIn(body.next)).toEqual({ job_id: body.job_id });
    }
  });

  it.each([
    'constructor',
    'books[0].constructor',
    'books[*].toString',
    'books | [0].hasOwnProperty',
    '"\\u0028books"',
  ])('%s is completed with the names that exist', async (select) => {
    const { gateway } = await start();
    for (const format of ['json', 'csv'] as const) {
      const body = await run(gateway, { select, format });
      expect(body).toMatchObject({
        status: 'completed',
        job_id: expect.any(String),
        credits_used: 1,
        note: expect.stringContaining('does not exist'),
        data: null,
      });
      const { body: read } = await gateway.getJob(
        { job_id: String(body.job_id), select: select, format },
        callContext(),
      );
      expect(read).toMatchObject({ status: 'completed', keys: body.keys });
    }
  });

  it('of more rows than fit says how many there are, and next goes on after them', async () => {
    const { gateway } = await startGateway(script, { resultChars: 1_000 });
    const body = await run(gateway, { select: 'books[*].{title: title, price: price}' });
    const { rows_shown, rows_total, next } = Object(body.truncated);
    expect(rows_total).toBe(43);
    expect(Object(body).data).toHaveLength(rows_shown);
    const { body: rest } = await gateway.getJob(callIn(next), callContext());
    expect(Object(rest).data[0]).toEqual({ title: `Book ${rows_shown}`, price: 10 + rows_shown });
  });

  it('and format are no part of the same call', async () => {
    const { gateway, upstream } = await start();
    const undelivered = await gateway.runAction(
      { action_id: 'shop-books', select: 'count', format: 'json' },
      callContext(),
    );
    const again = await gateway.runAction(
      { action_id: 'shop-books', select: 'books[*].{title: title}', format: 'csv' },
      callContext(),
    );
    expect(undelivered.body).toMatchObject({ data: 43 });
    expect(again.body).toMatchObject({ attached: true, job_id: undelivered.body.job_id });
    expect(String(again.body.data)).toMatch(/^title\r\nBook 0\r\n/);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('of a run that outlasts its wait is in its next', async () => {
    const { gateway } = await start();
    const select = 'books[0].title';
    const first = await gateway.runAction({ action_id: 'shop-slow', select }, callContext({ waitMs: 10 }));
    expect(first.body.status).toBe('processing');
    const next = callIn(first.body.next);
    expect(next).toMatchObject({ job_id: first.body.job_id, select });
    const { wait_seconds: _wait, ...input } = next;
    expect((await gateway.getJob(input, callContext())).body).toMatchObject({
      data: 'Book 0',
      credits_used: 1,
    });
  });

  it('is what a task of the call shows, and its price is that of the run', async () => {
    const { gateway } = await start();
    const outcome = await gateway.runAction(
      { action_id: 'shop-slow', select: 'length(books)' },
      callContext({ waitMs: 10 }),
    );
    const { id } = await gateway.tasks.open(outcome);
    const look = await gateway.tasks.look(id, { signal: new AbortController().signal, waitMs: 10_000 });
    expect(look?.outcome?.body).toMatchObject({ status: 'completed', credits_used: 1, data: 43 });
  });

  it('costs a read of the kept result nothing', async () => {
    const { gateway, folder } = await start();
    const { job_id } = await run(gateway, {});
    // Reads what was queued, so that it is written.
    await gateway.getJob({}, callContext());
    const { query } = await openStore(folder);
    const intents = () => query.selectFrom('gateway_intent').selectAll().execute();
    await expect.poll(() => intents()).toMatchObject([{ state: 'delivered' }]);
    const before = await intents();
    for (const input of [{}, { select: 'count' }, { format: 'csv' as const }]) {
      const { body } = await gateway.getJob({ job_id: String(job_id), ...input }, callContext());
      expect(body).toMatchObject({ status: 'completed', credits_used: 0 });
    }
    expect(await intents()).toEqual(before);
  });
});

describe('an expression', () => {
  const hostile = [
    "length(pad_left('a', `400000000`))",
    Array.from({ length: 24 }, () => '[@,@]').join('|'),
    `${'replace('.repeat(20)}'a'${", 'a', 'aaaaaaaaaa')".repeat(20)}`,
    'books[*].books[*]'.repeat(50),
    `${'books[?'.repeat(60)}x${']'.repeat(60)}`,
    `${'(('.repeat(400)}a`,
    `map(&map(&map(&map(&map(&@, $.books), $.books), $.books), $.books), books)`,
    `join('', map(&pad_left(title, \`1000000\`), books))`,
  ];
  const part = fc.oneof(
    fc.constantFrom(
      'books',
      '[*]',
      '[]',
      '|',
      '.',
      '@',
      '[@,@]',
      '`9999999`',
      "'a'",
      '(',
      ')',
      '&',
      '*',
      '[?',
      ']',
    ),
    fc.constantFrom(
      'map(',
      'pad_left(',
      'replace(',
      'join(',
      'sort_by(',
      'to_string(',
      'zip(',
      'items(',
      ',',
    ),
  );
  const expression = fc.oneof(
    fc.array(part, { maxLength: 200 }).map((parts) => parts.join('').slice(0, 1_000)),
    fc.string({ maxLength: 1_000 }),
  );

  it('of up to 1,000 characters never holds up what else the process does for 100 ms', async () => {
    const { gateway } = await start();
    const { job_id } = await run(gateway, {});
    await gateway.getJob({ job_id: String(job_id), select: 'length(books)' }, callContext());
    const read = async (path: string) => {
      const { body } = await gateway.getJob({ job_id: String(job_id), select: path }, callContext());
      expect(['completed', 'error']).toContain(body.status);
      expect(JSON.stringify(body).length).toBeLessThan(30_000);
    };
    const stall = await longestStall(async () => {
      for (const path of hostile) await read(path);
      await fc.assert(fc.asyncProperty(expression, read), { numRuns: 60, endOnFailure: true });
    });
    expect(stall).toBeLessThan(100);
  }, 120_000);

  it.each([
    ['a short result', 90_000],
    ['a long result', 2_000_000],
  ])(
    'of plain names and brackets never blocks the process either: %s',
    async (_, chars) => {
      const upstream = await scriptedUpstream({
        actions: [{ action_id: 'numbers', job: { data: { n: Array(chars / 2).fill(1) } } }],
      });
      const { gateway } = openGateway(upstream, await temporaryFolder());
      const { body } = await gateway.runAction({ action_id: 'numbers' }, callContext());
      for (const path of [
        'n',
        '[]'.repeat(100),
        `n${'[]'.repeat(90)}`,
        'n[].a.a.a.a',
        `n${'[0]'.repeat(60)}`,
      ]) {
        const stall = await longestStall(async () => {
          const read = await gateway.getJob({ job_id: String(body.job_id), select: path }, callContext());
          expect(['completed', 'error']).toContain(read.body.status);
        });
        expect({ path: path.slice(0, 9), quick: stall < 100 }).toMatchObject({ quick: true });
      }
    },
    60_000,
  );
});
