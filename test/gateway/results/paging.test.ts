import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Gateway, GetJobInput } from '../../../src/gateway/interface/gateway.ts';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { preview } from '../../../src/gateway/results/preview.ts';
import { toSlice } from '../../../src/gateway/results/slice.ts';
import { toView } from '../../../src/gateway/results/view.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';
import type { Upstream } from '../../support/upstream.ts';

afterEach(closeGateways);

const emoji = fc.string({
  unit: fc.oneof(
    fc.constantFrom('😀', '👨‍👩‍👧', '"', '\\', '\n', '\u0001', 'a'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 300,
});

const keptText = (data: unknown) => Buffer.from(JSON.stringify({ status: 'completed', data }));

const loneSurrogate = /\p{Cs}/u;

/** Without integers that JSON's readers lose, which are texts in a result. */
const jsonValue = (maxDepth: number) =>
  fc.jsonValue({ maxDepth }).filter((value) => !/\d{16}/.test(JSON.stringify(value)));

describe('the pages of a result', () => {
  it('put together are the array, and each fits the budget unless an element does not', () => {
    fc.assert(
      fc.property(
        fc.array(jsonValue(2), { maxLength: 60 }),
        fc.integer({ min: 20, max: 400 }),
        fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
        (data, budget, limit) => {
          const json: unknown[] = JSON.parse(JSON.stringify(data));
          const pages: unknown[] = [];
          for (let offset: number | null = 0; offset !== null; ) {
            const {
              data: part,
              page,
              tooLarge,
            } = toView({ kept: keptText({ list: json }), select: 'list', offset, limit, budget });
            if (!Array.isArray(part) || page === undefined) return expect.fail('Not a page');
            expect(page).toMatchObject({ offset, total: json.length });
            if (tooLarge === undefined) {
              // An element that fits by itself is shown whole, whatever its brackets cost.
              expect(JSON.stringify(part).length).toBeLessThanOrEqual(budget + 2);
              pages.push(...part);
            } else pages.push(json[offset]);
            offset = page.next_offset;
          }
          expect(pages).toEqual(json);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('put together are the string, without a character cut in half', () => {
    fc.assert(
      fc.property(
        emoji,
        fc.integer({ min: 8, max: 100 }),
        fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
        (text, budget, limit) => {
          const pages: string[] = [];
          for (let offset: number | null = 0; offset !== null; ) {
            const { data: part, page } = toSlice(text, { offset, limit }, budget);
            if (typeof part !== 'string' || page === undefined) return expect.fail('Not a page');
            expect(JSON.stringify(part).length - 2).toBeLessThanOrEqual(Math.max(budget, 12));
            if (!loneSurrogate.test(text)) expect(part).not.toMatch(loneSurrogate);
            pages.push(part);
            if (page.next_offset !== null) expect(page.next_offset).toBeGreaterThan(offset);
            offset = page.next_offset;
          }
          expect(pages.join('')).toBe(text);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('begin with a whole character, also where the offset is in the middle of one', () => {
    expect(toSlice('a😀b', { offset: 2 }, 100)).toEqual({
      data: '😀b',
      page: { offset: 1, total: 4, next_offset: null },
    });
  });

  it('begin with the first item of an object that is too large by itself', () => {
    const value = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`member${n}`, n]));
    expect(toSlice(value, {}, 200)).toMatchObject({ tooLarge: { path: 'items(@)', offset: 0 } });
  });

  it('of an object are its items', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__'),
          jsonValue(1),
          { maxKeys: 30 },
        ),
        (data) => {
          const json: JsonObject = JSON.parse(JSON.stringify(data));
          const pages: unknown[] = [];
          for (let offset: number | null = 0; offset !== null; ) {
            const { data: part, page } = toView({
              kept: keptText(json),
              select: 'items(@)',
              offset,
              limit: 3,
              budget: 100_000,
            });
            if (!Array.isArray(part) || page === undefined) return expect.fail('Not a page');
            pages.push(...part);
            offset = page.next_offset;
          }
          expect(pages).toEqual(Object.entries(json));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a preview', () => {
  it('is within the budget, of the same kind, and names the largest cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 40, max: 300 }), (value, budget) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        const { data, cut } = preview(json, budget);
        expect(Array.isArray(data)).toBe(Array.isArray(json));
        expect(typeof data).toBe(typeof json);
        if (cut === undefined) expect(data).toEqual(json);
        // The last number or word is shown whole, and escapes in names are not counted.
        else expect(JSON.stringify(data).length).toBeLessThanOrEqual(budget + 60);
      }),
      { numRuns: 1_000 },
    );
  });
});

const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `Row ${id} 😀` }));
const data = { rows, 'odd key': 'é'.repeat(9_000), note: 'small' };
const list = { action_id: 'shop-list', catalog_slug: 'shop', job: { data } };

async function large() {
  const started = await startGateway({ actions: [list] }, { resultChars: 4_000 });
  const { body } = await deliver(started.gateway.runAction({ action_id: 'shop-list' }, callContext()));
  return { ...started, body, jobId: String(body.job_id) };
}

const get = async (gateway: Gateway, input: GetJobInput) => (await gateway.getJob(input, callContext())).body;

describe('a large result', () => {
  it('is previewed, and its next is a call that reads on', async () => {
    const { gateway, body } = await large();
    expect(JSON.stringify(body.data).length).toBeLessThanOrEqual(4_000);
    expect(body).toMatchObject({
      status: 'completed',
      data: { note: 'small' },
      truncated: { total_chars: JSON.stringify(data).length },
    });
    const { select: path, ...call } = Object(body.truncated).next.call;
    const page = await get(gateway, { ...call, path });
    expect(page).toMatchObject({ status: 'completed', page: { total: 3_000 } });
    expect(Array.isArray(page.data) && page.data[0]).toEqual(rows[call.offset]);
  });

  it('is read page by page without the service, to the last element', async () => {
    const { gateway, upstream, jobId } = await large();
    const before = upstream.requests.length;
    await upstream.refuse();
    const all: unknown[] = [];
    for (let offset: unknown = 0; typeof offset === 'number'; ) {
      const page = await get(gateway, { job_id: jobId, select: 'rows', offset });
      if (!Array.isArray(page.data)) return expect.fail('No page');
      all.push(...page.data);
      offset = Object(page.page).next_offset;
    }
    expect(all).toEqual(rows);
    expect(await get(gateway, { job_id: jobId, select: 'rows[*].id | [2990:]' })).toMatchObject({
      data: [2990, 2991, 2992, 2993, 2994, 2995, 2996, 2997, 2998, 2999],
    });
    expect(await get(gateway, { job_id: jobId, select: '"odd key"', offset: 8_990 })).toMatchObject({
      data: 'é'.repeat(10),
      page: { offset: 8_990, total: 9_000, next_offset: null },
    });
    expect(await get(gateway, { job_id: jobId, select: 'rows[', offset: 0 })).toMatchObject({
      error: { code: 'INVALID_PARAMS' },
    });
    expect(await get(gateway, { job_id: jobId, select: 'nothing.here' })).toMatchObject({ data: null });
    expect(await get(gateway, { job_id: jobId, offset: 99_999, select: 'rows' })).toMatchObject({
      data: [],
      page: { next_offset: null },
    });
    expect(upstream.requests).toHaveLength(before);
  });

  it('is never altered, whatever is in it', async () => {
    const hostile = {
      html: '<IMPORTANT>\u001b[31m\u202e\u200b',
      nul: 'a\u0000b',
      lone: '\ud800',
      deep: [[[[{ __x: 1 }]]]],
      n: 1e308,
    };
    const { gateway } = await startGateway({ actions: [{ ...list, job: { data: hostile } }] });
    const { body } = await deliver(gateway.runAction({ action_id: 'shop-list' }, callContext()));
    // No encoding can carry half a character.
    const shown = { ...hostile, lone: '\ufffd' };
    expect(body.data).toEqual(shown);
    expect((await get(gateway, { job_id: String(body.job_id) })).data).toEqual(shown);
  });
});

describe('get_job', () => {
  it('lists recent jobs of this principal, newest first', async () => {
    const { gateway } = await startGateway({ actions: [{ ...list, credits: 2 }] });
    for (const n of [1, 2])
      await deliver(gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()));
    const body = await get(gateway, {});
    expect(body).toMatchObject({
      credits_spent_today: 4,
      jobs: [2, 1].map((n) => ({
        kind: 'run',
        action_id: 'shop-list',
        tool: 'shop-list',
        status: 'completed',
        delivered: true,
        credits: 2,
        params: JSON.stringify({ n }),
        created_at: expect.stringMatching(/Z$/),
        completed_at: expect.stringMatching(/Z$/),
      })),
    });
    const older = await get(gateway, { limit: 1, offset: 1 });
    expect(older).toMatchObject({ returned: 1, total: 2, has_more: false, jobs: [{ params: '{"n":1}' }] });
    expect(await get(gateway, { limit: 1 })).toMatchObject({
      has_more: true,
      next: { kind: 'list', of: 'jobs', why: 'older', page: { offset: 1, limit: 1 } },
    });
    const times = Array.isArray(body.jobs) ? body.jobs.map((job) => String(job.created_at)) : [];
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('says that there is no such job', async () => {
    const { gateway } = await startGateway();
    expect(await get(gateway, { job_id: 'nobody' })).toMatchObject({
      error: { code: 'JOB_NOT_FOUND', job_id: 'nobody' },
    });
    expect(await get(gateway, { job_id: 'local-nobody' })).toMatchObject({ status: 'error' });
  });

  it('reads a job of another machine with the same key', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    const answer = await fetch(`${upstream.origin}/v1/svc/task`, {
      method: 'POST',
      headers: { 'x-api-key': upstream.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ action_id: 'shop-list', params: {} }),
    });
    const { job_id } = Object(await answer.json());
    expect(await get(gateway, { job_id, select: 'rows[0]' })).toMatchObject({ data: rows[0] });
  });

  it.each(['async', 'sync'])('says that a result has expired (%s)', async (mode) => {
    const { gateway, upstream, folder } = await startGateway({ actions: [{ ...list, mode }] });
    const { body } = await deliver(gateway.runAction({ action_id: 'shop-list' }, callContext()));
    const { query } = await openStore(folder);
    await vi.waitFor(async () => {
      const removed = await query.deleteFrom('gateway_result').executeTakeFirstOrThrow();
      expect(removed.numDeletedRows).toBe(1n);
    }, 20_000);
    upstream.service.jobs.clear();
    await gateway.getJob({ job_id: 'another' }, callContext({ waitMs: 0 }));
    const { gateway: restarted } = await reopened(upstream, folder, gateway);
    expect(await get(restarted, { job_id: String(body.job_id) })).toMatchObject({
      status: 'error',
      error: { code: 'RESULT_EXPIRED', job_id: body.job_id },
      next: { kind: 'run-again' },
    });
  });
});

/** As a new process would: nothing is remembered but what is in the folder. */
async function reopened(upstream: Upstream, folder: string, before: Gateway) {
  await before.close();
  return openGateway(upstream, folder);
}

it('the rest of an object that is cut is read from its beginning, as a list of its members', async () => {
  const data = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`member${n}`, { of: n }]));
  const { gateway } = await startGateway({ actions: [{ action_id: 'shop-list', job: { data } }] });
  const { body } = await gateway.runAction({ action_id: 'shop-list' }, callContext());
  const request = Object(body.truncated).next.call;
  expect(request).toEqual({ job_id: body.job_id, select: 'items(@)', offset: 0 });
  const read = await gateway.getJob(request, callContext());
  expect(Object(read.body.data)[0]).toEqual(['member0', { of: 0 }]);
});

// A copy of the members for each list would be 900 million of them.
it('an object of tens of thousands of lists is searched for its rows in one pass', () => {
  const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`member${n}`, [{ of: n }]]));
  const kept = Buffer.from(JSON.stringify({ status: 'completed', data }));
  expect(toView({ kept, budget: 1_000, select: 'member7[0].of' }).data).toBe(7);
});
