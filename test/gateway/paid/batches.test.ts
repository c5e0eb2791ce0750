import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Gateway, RunBatchInput } from '../../../src/gateway/interface/gateway.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { Quotes } from '../../../src/gateway/paid/quote.ts';
import { useDatabases } from '../../support/databases.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';
import { engines } from '../../support/postgres.ts';
import type { UpstreamScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);
afterEach(() => vi.restoreAllMocks());

const createDatabase = useDatabases();

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe.each(engines)('a batch on %s', (engine) => {
  async function start(
    script: Partial<UpstreamScript> & { job?: unknown } = {},
    settings: Partial<GatewaySettings> = {},
  ) {
    const job = (params: unknown) => ({ data: { of: Object(params).n } });
    const more = engine === 'postgres' ? { store: { url: await createDatabase() } } : {};
    const started = await startGateway({ actions: [{ ...list, job }], ...script }, settings, more);
    const batch = (input: Partial<RunBatchInput>, context = callContext()) =>
      started.gateway.runBatch({ action_id: 'shop-list', batch: inputs(3), ...input }, context);
    const openOther = () =>
      openGateway(started.upstream, started.folder, settings, started.upstream.apiKey, more).gateway;
    return { ...started, batch, openOther };
  }

  it('is paged by offset and limit, with the counts and the cost of all', async () => {
    const { gateway, batch } = await start();
    const { body } = await deliver(batch({ batch: inputs(5) }));
    const page = async (view: object) =>
      (await gateway.getJob({ job_id: String(body.batch_id), ...view }, callContext())).body;
    const rowsOf = (...numbers: number[]) => numbers.map((n) => ({ params: { n }, data: { of: n } }));
    const second = await page({ offset: 2, limit: 2 });
    expect(second).toMatchObject({
      ...{ status: 'completed', rows_total: 5, rows_completed: 5, job_credits: 15 },
      page: { offset: 2, total: 5, next_offset: 4 },
      next: { kind: 'read', what: 'rest', call: { job_id: body.batch_id, offset: 4, limit: 2 } },
      rows: rowsOf(2, 3),
    });
    expect(second.rows).toHaveLength(2);
    const last = await page({ offset: 4, limit: 2 });
    expect(last).toMatchObject({ page: { next_offset: null }, rows: rowsOf(4) });
    expect(last).not.toHaveProperty('next');
    expect(await page({ offset: 2, limit: 2, select: 'of', format: 'csv' })).toMatchObject({
      next: { call: { select: 'of', offset: 4, limit: 2, format: 'csv' } },
    });
    expect((await page({ offset: 3, select: 'of' })).rows).toMatchObject([{ data: 3 }, { data: 4 }]);
    expect(await page({ offset: 9 })).toMatchObject({ status: 'completed', rows: [], rows_total: 5 });
  });

  it('counts as delivered, and told, only what its pages gave', async () => {
    const { upstream, gateway, batch, openOther } = await start();
    const { body } = await batch({ batch: [...inputs(4), { n: 1 }] });
    const job_id = String(body.batch_id);
    const other = openOther();
    const read = async (offset: number, limit: number) =>
      (await deliver(other.getJob({ job_id, offset, limit }, callContext()))).body;
    const listed = async () => {
      const { jobs } = z
        .object({ jobs: z.array(z.looseObject({ kind: z.string(), delivered: z.boolean() })) })
        .parse((await gateway.getJob({}, callContext())).body);
      return jobs.find(({ kind }) => kind === 'batch')?.delivered;
    };
    expect(await read(0, 2)).toMatchObject({
      credits_used: 6,
      job_credits: 12,
      rows: [{ credits_used: 3 }, { credits_used: 3 }],
    });
    expect(await read(0, 2)).toMatchObject({
      credits_used: 0,
      rows: [{ credits_used: 0 }, { credits_used: 0 }],
    });
    expect(await listed()).toBe(false);
    // What was given is run anew; what was not is the lost answer of the same call.
    const single = (n: number) => gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext());
    expect((await single(3)).body).toMatchObject({ attached: true });
    expect((await single(0)).body).not.toHaveProperty('attached');
    expect((await batch({ batch: [...inputs(4), { n: 1 }] })).body).toMatchObject({
      attached: true,
      batch_id: job_id,
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(5);
    // The fifth input shares the row of the second one, which was told.
    expect(await read(2, 5)).toMatchObject({
      credits_used: 6,
      rows: [{ credits_used: 3 }, { credits_used: 3 }, { credits_used: 0, job_credits: 3 }],
    });
    expect(await listed()).toBe(true);
    expect((await batch({ batch: [...inputs(4), { n: 1 }] })).body.batch_id).not.toBe(job_id);
  });

  it('says of an input that joined another call, or an equal input, that it cost nothing here', async () => {
    const { gateway, batch, upstream } = await start();
    const call = { action_id: 'shop-list', params: { n: 0 } };
    const single = await gateway.runAction(call, callContext());
    const { body } = await batch({ batch: [{ n: 1 }, { n: 0 }, { n: 1 }] });
    expect(body).toMatchObject({
      credits_used: 3,
      job_credits: 6,
      rows: [
        { credits_used: 3, job_credits: 3 },
        { credits_used: 0, job_credits: 3, job_id: single.body.job_id },
        { credits_used: 0, job_credits: 3 },
      ],
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('that joins an earlier one says so, and what a further one costs', async () => {
    const { batch } = await start();
    await batch({});
    const { body } = await batch({});
    expect(body).toMatchObject({
      attached: true,
      next: { kind: 'run-again', earlierFor: 'the price of its inputs' },
    });
  });

  it('names every input that is wrong, and sends none', async () => {
    const parameters = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const { upstream, batch } = await start({ actions: [{ ...list, parameters }] });
    const { body } = await batch({ batch: [{ n: 1 }, { n: 'x' }, { n: 2 }, {}, { n: 3, m: 1 }] });
    expect(body).toMatchObject({
      error: {
        code: 'INVALID_PARAMS',
        message: expect.stringMatching(/^Input 2 of the batch: .*Also wrong: input 4, 5; see issues\.$/),
        issues: [
          { path: 'batch[1].n' },
          { path: expect.stringContaining('batch[3]') },
          { path: expect.stringContaining('batch[4]') },
        ],
      },
    });
    expect(upstream.requestsTo('submitTask')).toEqual([]);
  });

  it('answers with a row for each input, and pays each once', async () => {
    const { upstream, batch } = await start();
    const { body } = await deliver(batch({ batch: inputs(20) }));
    expect(body).toMatchObject({
      status: 'completed',
      rows_total: 20,
      rows_completed: 20,
      credits_used: 60,
      rows: inputs(20).map((params) => ({ params, status: 'completed', data: { of: params.n } })),
    });
    expect(body.job_id).toBe(body.batch_id);
    expect(upstream.requestsTo('submitTask')).toHaveLength(20);
  });

  it('runs equal inputs once', async () => {
    const { upstream, batch } = await start();
    const { body } = await batch({ batch: [{ n: 1, m: 2 }, { m: 2, n: 1 }, { n: 2 }] });
    expect(body).toMatchObject({ rows_completed: 3, credits_used: 6 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('is joined by the same call until its answer was delivered, and is a new one then', async () => {
    const { upstream, batch } = await start();
    const first = await batch({});
    const again = await deliver(batch({}));
    expect(again.body.batch_id).toBe(first.body.batch_id);
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
    await deliver(batch({}));
    expect(upstream.requestsTo('submitTask')).toHaveLength(6);
  });

  it('at the end of the wait is a batch id that get_job reads, also in another process', async () => {
    const job = { ms: Number.POSITIVE_INFINITY };
    const { upstream, gateway, batch, openOther } = await start({ actions: [{ ...list, job }] });
    const first = await batch({}, callContext({ waitMs: 300 }));
    expect(first.body).toMatchObject({ status: 'processing', rows_total: 3 });
    const job_id = String(first.body.batch_id);
    await upstream.waitForRequests('submitTask', 3);
    for (const one of upstream.service.jobs.values()) one.script = { data: 'done' };
    const rows = [0, 1, 2].map((n) => ({ params: { n }, status: 'completed', data: 'done' }));
    const read = await deliver(gateway.getJob({ job_id }, callContext({ waitMs: 20_000 })));
    expect(read.body).toMatchObject({ status: 'completed', credits_used: 9, rows });
    const other = openOther();
    expect((await other.getJob({ job_id }, callContext())).body).toMatchObject({ credits_used: 0, rows });
    const none = await other.getJob({ job_id: 'batch-none' }, callContext());
    expect(none.body).toMatchObject({ error: { code: 'JOB_NOT_FOUND' } });
  });

  it.each<[string, Partial<RunBatchInput>, Partial<GatewaySettings>]>([
    ['max_credits', { max_credits: 8 }, {}],
    ['the budget of a call', {}, { maxCreditsPerCall: 8 }],
    ['the budget of a day', {}, { maxCreditsPerDay: 8 }],
    ['the budget of a key', {}, { maxCreditsPerDayPerKey: 8 }],
  ])('is refused as a whole where its total is above %s', async (_, input, settings) => {
    const { upstream, batch } = await start({}, settings);
    expect((await batch(input)).body).toMatchObject({
      status: 'error',
      error: { code: 'BUDGET_EXCEEDED', price: 9, limit: 8 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('asks once for its total', async () => {
    const { upstream, batch } = await start({}, { confirmAboveCredits: 3 });
    const asked = await batch({}, callContext({ confirmation: 'unasked' }));
    expect(asked.question).toMatchObject({ confirmation: { credits: 9 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
    const confirmation = { credits: 9, answer: 'accepted', consent: 'one' } as const;
    expect((await batch({}, callContext({ confirmation }))).body).toMatchObject({ rows_completed: 3 });
  });

  it('stops where the credits do not suffice; the rest is not sent', async () => {
    const { upstream, batch } = await start({ balance: 15 });
    const { body } = await batch({ batch: inputs(30) });
    expect(body).toMatchObject({
      status: 'completed',
      rows_completed: 5,
      credits_used: 15,
      stopped: { code: 'INSUFFICIENT_CREDITS' },
      next: { kind: 'run-rest' },
    });
    expect(upstream.service.jobs.size).toBe(5);
    // Those that were under way at the same time were refused as well; everything else was not even tried.
    expect(upstream.requestsTo('submitTask').length).toBeLessThanOrEqual(10);
    expect(Number(body.rows_not_sent)).toBeGreaterThanOrEqual(20);
  });

  it("keeps the day's budget when two run at once", async () => {
    const { upstream, batch } = await start({}, { maxCreditsPerDay: 20 });
    const [one, two] = [inputs(5), inputs(10).slice(5)];
    // Neither begins before both are admitted: one that found the other's runs paid would be refused as a whole.
    const { forGroup } = Quotes.prototype;
    let admitted = 0;
    vi.spyOn(Quotes.prototype, 'forGroup').mockImplementation(async function (this: Quotes, ...options) {
      const admission = await forGroup.apply(this, options);
      admitted += 1;
      await expect.poll(() => admitted).toBe(2);
      return admission;
    });
    const bodies = await Promise.all([batch({ batch: one }), batch({ batch: two })]);
    expect(upstream.requestsTo('submitTask')).toHaveLength(6);
    const completed = bodies.reduce((sum, { body }) => sum + Number(body.rows_completed ?? 0), 0);
    expect(completed).toBe(6);
  });

  /** The id of the only batch. */
  async function findId(gateway: Gateway): Promise<string> {
    const { body } = await gateway.getJob({}, callContext());
    return String(Object(body).jobs[0].job_id);
  }

  it('stops when the call is cancelled; what was sent stays readable', async () => {
    const job = { ms: Number.POSITIVE_INFINITY };
    const { upstream, gateway, batch, openOther } = await start({ actions: [{ ...list, job }] });
    const cancel = new AbortController();
    const call = batch({ batch: inputs(30) }, callContext({ signal: cancel.signal }));
    await upstream.waitForRequests('submitTask', 5);
    cancel.abort();
    expect((await call).body).toMatchObject({ error: { code: 'CANCELLED' } });
    await expect.poll(() => upstream.service.jobs.size).toBe(5);
    for (const one of upstream.service.jobs.values()) one.script = { data: 1 };
    const job_id = await findId(gateway);
    for (const reader of [gateway, openOther()]) {
      const { body } = await reader.getJob({ job_id }, callContext({ waitMs: 20_000 }));
      expect(body).toMatchObject({
        rows_completed: 5,
        rows_not_sent: 25,
        stopped: { code: 'CANCELLED' },
        next: { kind: 'run-rest' },
      });
    }
    expect(upstream.requestsTo('submitTask')).toHaveLength(5);
  });

  it('that was cancelled goes on with what was not sent when it is called again', async () => {
    const job = { ms: Number.POSITIVE_INFINITY };
    const { upstream, gateway, batch } = await start({ actions: [{ ...list, job }] });
    const cancel = new AbortController();
    const call = batch({ batch: inputs(12) }, callContext({ signal: cancel.signal }));
    await upstream.waitForRequests('submitTask', 5);
    cancel.abort();
    expect((await call).body).toMatchObject({ error: { code: 'CANCELLED' } });
    upstream.service.addAction({ ...list, job: { data: 1 } });
    await expect.poll(() => upstream.service.jobs.size).toBe(5);
    for (const one of upstream.service.jobs.values()) one.script = { data: 1 };
    const job_id = await findId(gateway);
    const { body } = await batch({ batch: inputs(12) }, callContext({ waitMs: 20_000 }));
    expect(body).toMatchObject({ job_id, rows_completed: 12, credits_used: 36 });
    expect(body).not.toHaveProperty('stopped');
    expect(upstream.requestsTo('submitTask')).toHaveLength(12);
  });

  it('goes on where one of two callers cancels, and stops when the other one does', async () => {
    const job = { ms: Number.POSITIVE_INFINITY };
    const { upstream, gateway, batch } = await start({ actions: [{ ...list, job }] });
    const cancels = [new AbortController(), new AbortController()];
    const calls = cancels.map(({ signal }) => batch({ batch: inputs(12) }, callContext({ signal })));
    await upstream.waitForRequests('submitTask', 5);
    cancels[0]?.abort();
    expect((await calls[0])?.body).toMatchObject({ error: { code: 'CANCELLED' } });
    const finish = (from: number, to: number) => {
      for (const one of [...upstream.service.jobs.values()].slice(from, to)) one.script = { data: 1 };
    };
    finish(0, 5);
    await upstream.waitForRequests('submitTask', 10);
    cancels[1]?.abort();
    expect((await calls[1])?.body).toMatchObject({ error: { code: 'CANCELLED' } });
    await expect.poll(() => upstream.service.jobs.size).toBe(10);
    finish(5, 10);
    const read = { job_id: await findId(gateway) };
    const { body } = await gateway.getJob(read, callContext({ waitMs: 20_000 }));
    expect(body).toMatchObject({ rows_completed: 10, rows_not_sent: 2, stopped: { code: 'CANCELLED' } });
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 30 });
  });

  it('goes on after one lost answer, and stops after two in a row', async () => {
    const { upstream, batch } = await start();
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
    expect((await batch({ batch: inputs(8) })).body).toMatchObject({ rows_completed: 7 });
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true });
    const { body } = await batch({ batch: inputs(40).slice(8) });
    expect(body).toMatchObject({ stopped: { code: 'SUBMISSION_UNKNOWN' } });
    // Those that were under way with the second.
    expect(upstream.requestsTo('submitTask').length).toBeLessThanOrEqual(8 + 10);
  });

  it('is a failure only where no run completed', async () => {
    const job = { error: { code: 'EXECUTION_FAILED', message: 'No' } };
    const { upstream, batch } = await start({ actions: [{ ...list, job }] });
    // However many fail in a row, the others are sent.
    await batch({ batch: inputs(15).slice(3) });
    expect(upstream.requestsTo('submitTask')).toHaveLength(12);
    expect((await batch({})).body).toMatchObject({
      status: 'failed',
      error: { code: 'EXECUTION_FAILED' },
      credits_used: 0,
      rows: [{ status: 'failed' }, { status: 'failed' }, { status: 'failed' }],
    });
  });

  it('with a doubtful row names the single call that goes past it', async () => {
    const { upstream, batch } = await start();
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
    const { body } = await batch({});
    const rows: unknown[] = Array.isArray(body.rows) ? body.rows : [];
    const unknown = rows.find((row) => Object(row).status === 'unknown');
    expect(unknown).toMatchObject({ next: { kind: 'resubmit', call: { resubmit: true } } });
    expect(body).toMatchObject({ status: 'completed', rows_completed: 2 });
  });

  it('with an invalid input sends nothing and names its place', async () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
    const { upstream, batch } = await start({ actions: [{ ...list, parameters }] });
    expect((await batch({ batch: [{ n: 1 }, { n: 'x' }] })).body).toMatchObject({
      error: { code: 'INVALID_PARAMS', issues: [{ path: expect.stringMatching(/^batch\[1\]\.n/) }] },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('takes earlier results within max_age_seconds, and shows only what select names', async () => {
    const { upstream, batch } = await start();
    await deliver(batch({}));
    const { body } = await batch({ batch: inputs(4), max_age_seconds: 60, select: 'of' });
    expect(body).toMatchObject({
      credits_used: 3,
      rows: [
        { data: 0, cached: true, completed_at: expect.stringMatching(/^\d{4}-.*Z$/) },
        { data: 1, cached: true },
        { data: 2, cached: true },
        { data: 3, credits_used: 3 },
      ],
    });
    expect(body.rows).toContainEqual(expect.not.objectContaining({ cached: true }));
    expect(upstream.requestsTo('submitTask')).toHaveLength(4);
  });

  it('names the rows that failed, at the top too', async () => {
    const error = { code: 'EXECUTION_FAILED', message: 'No' };
    const job = (params: unknown) => (Object(params).n === 1 ? { error } : { data: 1 });
    const { batch } = await start({ actions: [{ ...list, job }] });
    const { body } = await batch({});
    expect(body).toMatchObject({
      status: 'completed',
      rows_total: 3,
      rows_completed: 2,
      rows_failed: 1,
      next: { kind: 'see-rows', rows: { names: ['2'], more: 0 } },
      rows: [{ status: 'completed' }, { status: 'failed' }, { status: 'completed' }],
    });
  });

  it('says of each row without rows why that may be', async () => {
    const job = (params: unknown) => ({ data: { items: Object(params).tag === 'wit' ? [1] : [] } });
    const { batch } = await start({ actions: [{ ...list, job }] });
    for (const select of [undefined, 'length(items)', 'items[*].title', 'items[0]']) {
      const { body } = await deliver(batch({ batch: [{ tag: 'Wit' }, { tag: 'wit' }], select }));
      expect(body.rows).toEqual([
        expect.objectContaining({ note: expect.stringContaining('exactly: check spelling, case') }),
        expect.not.objectContaining({ note: expect.stringContaining('exactly') }),
      ]);
    }
  });

  it('is one CSV table: the params that differ, then the columns of the rows, with their units', async () => {
    const job = (params: unknown) => {
      const { shelf, limit } = Object(params);
      const isNovel = shelf === 'Novel';
      return {
        data: {
          currency: isNovel ? 'GBP' : 'EUR',
          weight_unit: 'g',
          total: 43,
          has_more: true,
          items: [
            { title: `${shelf} 1`, price: limit },
            ...(isNovel ? [{ title: 'N 2', price: 2, shelf: 'top' }] : []),
          ],
        },
      };
    };
    const { batch } = await start({ actions: [{ ...list, job }] });
    const batched = [
      { shelf: 'Novel', limit: 10 },
      { shelf: 'Verse', limit: 10 },
    ];
    const { body } = await deliver(batch({ batch: batched, format: 'csv' }));
    expect(body).toMatchObject({
      status: 'completed',
      data: 'params.shelf,title,price,shelf,currency\r\nNovel,Novel 1,10,,GBP\r\nNovel,N 2,2,top,GBP\r\nVerse,Verse 1,10,,EUR\r\n',
      beside: { weight_unit: 'g' },
      rows: [
        { params: batched[0], status: 'completed', rows_shown: 2, beside: { total: 43, has_more: true } },
        { params: batched[1], status: 'completed', rows_shown: 1 },
      ],
    });
    const read = await batch({ batch: batched, select: 'items[*].title', format: 'csv' });
    expect(read.body).toMatchObject({
      data: 'shelf,value\r\nNovel,Novel 1\r\nNovel,N 2\r\nVerse,Verse 1\r\n',
      note: 'The result holds not all rows.',
    });
  });

  it('is one CSV table whose pages have the columns of all, and the units too', async () => {
    const job = (params: unknown) => {
      const { n } = z.object({ n: z.number() }).parse(params);
      const row = n === 2 ? { name: 'c', size: 9 } : { name: 'ab'[n], price: n };
      return { data: { items: [row], currency: n === 0 ? 'EUR' : 'GBP' } };
    };
    const { gateway, batch } = await start({ actions: [{ ...list, job }] });
    const { body: whole } = await deliver(batch({ batch: inputs(3), format: 'csv' }));
    const page = async (offset: number) => {
      const view = { offset, limit: 1, format: 'csv' } as const;
      const { body } = await gateway.getJob({ job_id: String(whole.batch_id), ...view }, callContext());
      return String(body.data).split('\r\n');
    };
    const pages = [await page(0), await page(1), await page(2)];
    expect(pages.map(([header]) => header)).toEqual(Array(3).fill('n,name,price,size,currency'));
    const [, ...lines] = String(whole.data).split('\r\n');
    expect(pages.map(([, line]) => line)).toEqual(lines.slice(0, 3));
  });

  it('is one CSV table of single values, and of no rows its header', async () => {
    const job = (params: unknown) => ({ data: { of: Object(params).n, list: [] } });
    const { batch } = await start({ actions: [{ ...list, job }] });
    const { body } = await deliver(batch({ select: "join(',', [to_string(of), 'x'])", format: 'csv' }));
    expect(body).toMatchObject({
      status: 'completed',
      rows: inputs(3).map((params) => ({ params, status: 'completed' })),
      data: 'n,value\r\n0,"0,x"\r\n1,"1,x"\r\n2,"2,x"\r\n',
    });
    const none = await batch({ select: 'list', format: 'csv' });
    expect(none.body).toMatchObject({ data: 'n\r\n', rows: [{ rows_shown: 0 }, {}, {}] });
  });

  it('is one CSV table in which params named like the account or like a unit keep their values', async () => {
    const job = () => ({ data: { currency: 'EUR', items: [{ price: 1 }] } });
    const text = { type: 'string' };
    const parameters = { type: 'object', properties: { identity: text, currency: text } };
    const { batch } = await start({ actions: [{ ...list, auth_mode: 'none', parameters, job }] });
    const batched = [
      { identity: 'planet', currency: 'USD' },
      { identity: 'moon', currency: 'GBP' },
    ];
    const { body } = await deliver(batch({ batch: batched, format: 'csv' }));
    expect(body).toMatchObject({
      data: 'identity,params.currency,price\r\nplanet,USD,1\r\nmoon,GBP,1\r\n',
      beside: { currency: 'EUR' },
    });
  });

  it('leaves rows that fit no CSV in their own place, and says how many of the others are shown', async () => {
    const job = (params: unknown) => ({
      data: {
        items:
          Object(params).n === 1 ? ['x'.repeat(20_000)] : Array.from({ length: 3_000 }, (_, id) => ({ id })),
      },
    });
    const { batch } = await start({ actions: [{ ...list, job }] });
    const { body } = await deliver(batch({ batch: inputs(2), format: 'csv' }));
    expect(String(body.data)).toMatch(/^n,id\r\n0,0\r\n0,1\r\n/);
    expect(body.rows).toMatchObject([
      { truncated: { rows_total: 3_000, next: { call: { format: 'csv' } } } },
      { data: [expect.stringMatching(/^x+$/)], note: expect.stringContaining('are JSON') },
    ]);
  });

  it('acts for an account of its own where an input names one, and says for which', async () => {
    const credential = (id: string) => ({
      id,
      identity_id: id,
      credential_type: 'session_state',
      status: 'active',
      last_used_at: null,
      created_at: '2026-11-01T00:00:00Z',
    });
    const identities = ['anna', 'bert'].map((name) => ({
      id: `identity-${name}`,
      catalog_id: 'catalog-shop',
      name,
      is_default: name === 'anna',
      created_at: '2026-11-01T00:00:00Z',
      credentials: [credential(`credential-${name}`)],
    }));
    const job = () => ({ data: [{ order: 1 }] });
    const actions = [{ ...list, auth_mode: 'required', job }];
    const { gateway, batch, upstream } = await start({
      actions,
      identities,
      catalogs: [{ slug: 'shop', id: 'catalog-shop' }],
    });
    const batched = [{ n: 1 }, { n: 1, identity: 'bert' }];
    const { body } = await deliver(batch({ batch: batched, format: 'csv' }));
    // Sent together, in any order.
    const sentFor = upstream.requestsTo('submitTask').map(({ body: sent }) => Object(sent).credential_id);
    expect(sentFor.sort()).toEqual(['credential-anna', 'credential-bert']);
    expect(body).toMatchObject({
      data: 'identity,order\r\nanna,1\r\nbert,1\r\n',
      rows: [{ account: 'anna' }, { account: 'bert' }],
    });
    expect(body).not.toHaveProperty('account');
    const listed = await gateway.getJob({}, callContext());
    expect(listed.body).toMatchObject({ jobs: [{ accounts: ['anna', 'bert'] }] });
    const wrong = await batch({ batch: [{ n: 1 }, { n: 1, identity: 'carl' }] });
    expect(wrong.body).toMatchObject({ error: { code: 'IDENTITY_NOT_FOUND' } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('refuses an identity where the action takes none, before anything is sent', async () => {
    const { batch, upstream } = await start({ actions: [{ ...list, auth_mode: 'none' }] });
    for (const input of [{ identity: 'anna' }, { batch: [{ n: 1 }, { identity: 'anna' }] }])
      expect((await batch(input)).body).toMatchObject({
        error: { code: 'INVALID_PARAMS', issues: [{ path: expect.stringContaining('identity') }] },
      });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('is one entry of the list of jobs, with its runs', async () => {
    const { gateway, batch } = await start();
    await deliver(gateway.runAction({ action_id: 'shop-list', params: { n: 9 } }, callContext()));
    const { body } = await deliver(batch({ batch: [{ n: 0 }, { n: 1 }, { n: 0 }] }));
    const listed = await gateway.getJob({}, callContext());
    expect(listed.body).toMatchObject({
      total: 2,
      returned: 2,
      has_more: false,
      credits_spent_today: 9,
      jobs: [
        {
          job_id: body.batch_id,
          kind: 'batch',
          action_id: 'shop-list',
          rows_total: 3,
          rows_completed: 3,
          params: '[{"n":0},{"n":1},{"n":0}]',
          status: 'completed',
          delivered: true,
          credits: 6,
        },
        { kind: 'run', credits: 3 },
      ],
    });
    const second = await gateway.getJob({ limit: 1, offset: 1 }, callContext());
    expect(second.body).toMatchObject({ returned: 1, total: 2, has_more: false, jobs: [{ kind: 'run' }] });
  });

  it('that outlasts its call has a task, which other processes find by its own id only', async () => {
    const job = { ms: Number.POSITIVE_INFINITY };
    const { upstream, gateway, batch, openOther } = await start({ actions: [{ ...list, job }] });
    const outcome = await batch({ select: 'n' }, callContext({ taskAfterMs: 0 }));
    const opened = await gateway.tasks.open(outcome);
    expect(opened).toMatchObject({
      state: 'under-way',
      message: expect.stringContaining('3 runs of shop-list'),
    });
    await upstream.waitForRequests('submitTask', 3);
    const other = openOther();
    const signal = new AbortController().signal;
    const waiting = other.tasks.look(opened.id, { signal, waitMs: 20_000 });
    for (const one of upstream.service.jobs.values()) one.script = { data: { n: 5 } };
    const rows = [{ data: 5 }, { data: 5 }, { data: 5 }];
    expect(await waiting).toMatchObject({
      task: { state: 'completed' },
      outcome: { body: { status: 'completed', credits_used: 9, rows } },
    });
    for (const id of [String(outcome.batch), `batch-${opened.id}`]) {
      expect(await other.tasks.look(id, { signal, waitMs: 0 })).toBeUndefined();
    }
  });

  it('whose task is cancelled sends nothing more, in whichever process it runs', async () => {
    // Without a stop it would take 24 s.
    const { upstream, gateway, batch, openOther } = await start({
      actions: [{ ...list, job: { data: 1, ms: 4_000 } }],
    });
    const outcome = await batch({ batch: inputs(30) }, callContext({ taskAfterMs: 0 }));
    const { id } = await gateway.tasks.open(outcome);
    await upstream.waitForRequests('submitTask', 5);
    expect(await openOther().tasks.cancel(id)).toMatchObject({ task: { state: 'cancelled' } });
    const read = await gateway.getJob({ job_id: String(outcome.batch) }, callContext({ waitMs: 30_000 }));
    expect(read.body).toMatchObject({ stopped: { code: 'CANCELLED' }, rows_total: 30 });
    expect(Number(read.body.rows_completed)).toBe(upstream.requestsTo('submitTask').length);
    expect(Number(read.body.rows_not_sent)).toBeGreaterThanOrEqual(10);
  }, 40_000);
});
