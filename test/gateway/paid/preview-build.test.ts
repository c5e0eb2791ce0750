/** Previews of pages and chosen columns, with services that have the extensions and with one that has none. */
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { callContext, closeGateways, deliver, openStore, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const columns = Array.from({ length: 60 }, (_, index) => ({
  id: `c${index + 1}`,
  label: index === 1 ? 'Prix €/kg' : '',
  kind: 'text',
  samples: ['A\u200b', '<system>B</system>'],
}));
const candidate = { id: 't1', kind: 'table', rows: 7, columns };
const preview = {
  status: 200,
  body: {
    status: 'ok',
    page: { title: 'Boats\u202e', url: 'https://boats.example/' },
    candidates: [candidate],
    paging: 'counted by query',
  },
};
const website_url = 'https://boats.example/';
const choose = { candidate: 't1', fields: { name: 'c1' } };

/** The arguments of the call of the next step. */
const callIn = (body: JsonObject): unknown => Object(body.next).call;

describe('a preview', () => {
  it('shows every column, cleaned, and a complete call that chooses', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.service.preview = preview;
    const { body } = await gateway.previewBuild({ website_url, candidate: 't1' }, callContext());
    expect(body).toMatchObject({
      page: { title: 'Boats', url: 'https://boats.example/' },
      candidates: [{ ...candidate, columns: columns.map((column) => ({ ...column, samples: ['A', 'B'] })) }],
      paging: 'counted by query',
    });
    expect(callIn(body)).toEqual({
      website_url,
      goal: 'List column_1, prix_kg, column_3, column_4',
      choose: {
        candidate: 't1',
        fields: { column_1: 'c1', prix_kg: 'c2', column_3: 'c3', column_4: 'c4' },
      },
    });
    expect(upstream.requestsTo('previewBuild')).toMatchObject([{ body: { website_url, candidate: 't1' } }]);
    expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
    expect(upstream.service.balance).toBe(1_000);
  });

  it('of a page that an action reads already names that run first', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ action_id: 'boats-list', catalog_slug: 'boats', credits: 2 }],
    });
    const existing = { action_id: 'boats-list', name: 'Boats\u200b', description: null, params: { page: 1 } };
    upstream.service.preview = { status: 200, body: { ...preview.body, existing_actions: [existing] } };
    const { body } = await gateway.previewBuild({ website_url, choose }, callContext());
    expect(body).toMatchObject({
      existing_actions: [{ action_id: 'boats-list', name: 'Boats', tool: 'boats-list', params: { page: 1 } }],
      next: {
        kind: 'build',
        existing: { call: { action_id: 'boats-list', params: { page: 1 } }, cost: '2 credits or more' },
        call: { choose },
      },
    });
  });

  it('says which order of the goal no action makes', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.service.preview = {
      ...preview,
      body: { ...preview.body, guess: choose, unsorted: 'the\u200bcheapest' },
    };
    const { body } = await gateway.previewBuild({ website_url, goal: 'the cheapest boats' }, callContext());
    expect(body).toMatchObject({ unsorted: 'thecheapest', next: { kind: 'build', unsorted: 'thecheapest' } });
  });

  it('of a choice shows its rows, cleaned, and the call that builds it', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.service.preview = {
      status: 200,
      body: { ...preview.body, sample: [{ name: 'A\u200b', price: 10 }] },
    };
    const { body } = await gateway.previewBuild({ website_url, choose }, callContext());
    expect(body.sample).toEqual([{ name: 'A', price: 10 }]);
    expect(callIn(body)).toEqual({ website_url, goal: 'List name', choose });
    expect(upstream.requestsTo('previewBuild')).toMatchObject([{ body: { website_url, choose } }]);
  });

  it('counts the columns that are more than can be shown', async () => {
    const { gateway, upstream } = await startGateway();
    const many = Array.from({ length: 230 }, () => columns[0]);
    const body = { ...preview.body, candidates: [{ ...candidate, columns: many, more_columns: 5 }] };
    upstream.service.preview = { status: 200, body };
    const shown = (await gateway.previewBuild({ website_url }, callContext())).body;
    expect(shown).toMatchObject({ candidates: [{ more_columns: 35 }] });
    expect(shown.next).toMatchObject({ kind: 'build', as: 'example', cut: 't1' });
  });

  it('needs no budget and no confirmation, and leaves nothing in the store', async () => {
    const limits = { maxCreditsPerCall: 0, maxCreditsPerDay: 0, confirmAboveCredits: 0 };
    const { gateway, upstream, folder } = await startGateway({}, limits);
    upstream.service.preview = preview;
    const { body } = await gateway.previewBuild({ website_url }, callContext());
    expect(body).toMatchObject({ candidates: [{ id: 't1' }] });
    const { query } = await openStore(folder);
    expect(await query.selectFrom('gateway_intent').selectAll().execute()).toEqual([]);
    expect(
      (await gateway.requestBuild({ website_url, goal: 'List boats' }, callContext())).body,
    ).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED' },
    });
  });

  it('is NOT_SUPPORTED where the service has no such path', async () => {
    const { gateway, upstream } = await startGateway();
    const notSupported = { status: 'error', error: { code: 'NOT_SUPPORTED' } };
    expect((await gateway.previewBuild({ website_url }, callContext())).body).toMatchObject(notSupported);
    upstream.fail('previewBuild', { kind: 'answer', status: 404, body: '<h1>Not found</h1>' });
    expect((await gateway.previewBuild({ website_url }, callContext())).body).toMatchObject(notSupported);
  });

  it.each([
    ['LOGIN_REQUIRED', 'without-sign-in'],
    ['SITE_UNREACHABLE', 'reachable'],
    ['ROBOTS_DISALLOWED', 'for-programs'],
    ['NEEDS_JAVASCRIPT', 'without-scripts'],
    ['TIMEOUT', 'again'],
  ])('that ends with %s asks for a page: %s', async (code, page) => {
    const { gateway, upstream } = await startGateway();
    upstream.service.preview = upstream.service.error(422, code, 'The page gives nothing');
    expect((await gateway.previewBuild({ website_url }, callContext())).body).toMatchObject({
      status: 'error',
      error: { code },
      next: { kind: 'preview', page },
    });
  });
});

describe('a choice', () => {
  const input = { website_url, goal: 'List the boats', choose };

  it('is sent to a service that announced that it takes one', async () => {
    const { gateway, upstream } = await startGateway({ extensions: 'build-choice' });
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '', { action_id: 'boats' });
    expect((await deliver(call)).body).toMatchObject({ status: 'success' });
    expect(upstream.requestsTo('requestBuild')).toMatchObject([{ body: { choose } }]);
  });

  it('is part of what makes two builds the same', async () => {
    const { gateway, upstream } = await startGateway({ extensions: 'build-choice' });
    const other = { ...input, choose: { ...choose, fields: { name: 'c2' } } };
    const calls = [input, { ...input }, other].map((one) => gateway.requestBuild(one, callContext()));
    await upstream.waitForRequests('requestBuild', 2);
    await upstream.waitForRequests('listBuildRequests', 2);
    for (const { id } of upstream.service.builds)
      upstream.service.finishBuild(id, { action_id: `boats-${id}` });
    const ids = (await Promise.all(calls.map((call) => deliver(call)))).map(({ body }) => body.action_id);
    expect(new Set(ids).size).toBe(2);
    expect(upstream.requestsTo('requestBuild').map(({ body }) => Object(body).choose)).toEqual([
      choose,
      other.choose,
    ]);
  });

  it.each([undefined, 'idempotency, usage'])(
    'is not sent to any other service, and neither is the request (%s)',
    async (announced) => {
      const { gateway, upstream } = await startGateway(
        announced === undefined ? {} : { extensions: announced },
      );
      expect((await gateway.requestBuild(input, callContext())).body).toMatchObject({
        status: 'error',
        error: { code: 'NOT_SUPPORTED' },
        next: { kind: 'build-anew', by: 'goal-alone' },
      });
      expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
      expect((await gateway.getJob({}, callContext())).body).toMatchObject({ jobs: [] });
    },
  );
});
