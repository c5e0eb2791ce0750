import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';
import { envelope } from '../../support/upstream-faults.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3, name: 'List\u200b' };
const columnsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `c${index + 1}`, label: `Column ${index + 1}`, kind: 'text', samples: ['A', 'B'] },
  }));
const input = { website_url: 'https://new.example/', goal: 'List the prices' };

describe('request_build', () => {
  it('waits with progress; a success makes the tool appear and says so', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    await gateway.listing();
    const changed = vi.fn();
    gateway.onListingChange(changed);
    const context = callContext();
    const call = gateway.requestBuild(input, context);
    await upstream.waitForRequests('listBuildRequests', 1);
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '', {
      action_id: 'new-prices',
      catalog_slug: 'new',
      credits: 2,
    });
    const { body } = await deliver(call);
    expect(body).toMatchObject({
      status: 'success',
      action_id: 'new-prices',
      tool: 'new-prices',
      credits: 2,
      build_request: { status: 'success', website_url: 'https://new.example/' },
      next: { kind: 'run-built', run: { call: { action_id: 'new-prices' } }, tool: 'new-prices' },
    });
    expect(context.progressed).toContain('Requesting a build (25 credits)');
    expect(changed).toHaveBeenCalled();
    expect((await gateway.listing()).tools.map(({ name }) => name)).toContain('new-prices');
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({
      credits_spent_today: 25,
      jobs: [{ kind: 'build', status: 'completed', website_url: 'https://new.example/', credits: 25 }],
    });
  });

  it('can be run at once, also where the list is being read for another build meanwhile', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    await gateway.listing();
    const build = (goal: string) => gateway.requestBuild({ ...input, goal }, callContext());
    const calls = [build('List the prices'), build('List the names')];
    await upstream.waitForRequests('requestBuild', 2);
    await upstream.waitForRequests('listBuildRequests', 3);
    const before = upstream.requestsTo('search').length;
    const finish = (index: number) =>
      upstream.service.finishBuild(upstream.service.builds[index]?.id ?? '', {
        ...{ action_id: `new-${index}`, catalog_slug: 'new' },
      });
    // Read before the other build ends, and slow to arrive.
    upstream.fail('search', { kind: 'trickle', everyMs: 1 }, { times: 1 });
    finish(0);
    await upstream.waitForRequests('search', before + 1);
    finish(1);
    const answers = await Promise.all(calls);
    expect(answers.map(({ body }) => body.tool).sort()).toEqual(['new-0', 'new-1']);
    for (const action_id of ['new-0', 'new-1'])
      expect((await gateway.runAction({ action_id }, callContext())).body.status).toBe('completed');
  });

  it('that is still pending at the end of the wait goes on, and the same request joins it', async () => {
    const { gateway, upstream } = await startGateway();
    const context = callContext({ waitMs: 100 });
    const { body } = await deliver(gateway.requestBuild(input, context));
    const id = upstream.service.builds[0]?.id ?? '';
    expect(body).toMatchObject({
      status: 'pending',
      build_request: { id },
      next: { kind: 'wait', for: 'build' },
    });
    const again = await gateway.requestBuild(input, context);
    expect(again.body).toMatchObject({ status: 'pending', attached: true });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
    upstream.service.finishBuild(id, { action_id: 'new-prices', catalog_slug: 'new' });
    const { body: listed } = await gateway.listBuildRequests({ id }, callContext());
    expect(listed).toMatchObject({ build_requests: [{ status: 'success' }], tool: 'new-prices' });
  });

  it('counts as delivered by an answer that told its end, and by no other', async () => {
    const { gateway, upstream } = await startGateway();
    const request = () => gateway.requestBuild(input, callContext({ waitMs: 0 }));
    const pending = await request();
    const id = upstream.service.builds[0]?.id ?? '';
    const listed = await gateway.listBuildRequests({ id }, callContext({ waitMs: 0 }));
    upstream.service.finishBuild(id, { action_id: 'new-prices', catalog_slug: 'new' });
    await gateway.listBuildRequests({}, callContext());
    // Both were still being written when the build ended.
    await pending.delivered?.();
    await listed.delivered?.();
    expect((await deliver(request())).body).toMatchObject({ status: 'success', attached: true });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
    await request();
    expect(upstream.requestsTo('requestBuild')).toHaveLength(2);
  });

  it('that ended before its request was answered is written as ended', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'delay', ms: 500 });
    const call = gateway.requestBuild(input, callContext());
    await expect.poll(() => upstream.service.builds).toHaveLength(1);
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '');
    expect((await gateway.listBuildRequests({}, callContext())).body).toMatchObject({
      build_requests: [{ status: 'failed' }],
      returned: 1,
    });
    expect((await call).body).toMatchObject({ status: 'failed' });
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({
      credits_spent_today: 0,
      jobs: [{ status: 'failed' }],
    });
  });

  it('reports every step once, in order, however fast they come', async () => {
    const { gateway, upstream } = await startGateway();
    const context = callContext();
    const call = gateway.requestBuild(input, context);
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    if (build === undefined) throw new Error('No build');
    const steps = [
      'Fetching the page',
      '3 candidates found',
      'Testing <b>the recipe\u202e',
      'Publishing the action',
    ];
    Object.assign(build, { steps: steps.slice(0, 2) });
    await upstream.waitForRequests('listBuildRequests', 2);
    Object.assign(build, {
      steps,
      sample: [{ title: 'One' }],
      alternatives: [{ rows: 4, fields: ['name'] }],
    });
    upstream.service.finishBuild(build.id, { action_id: 'new-prices', catalog_slug: 'new' });
    expect((await call).body).toMatchObject({
      status: 'success',
      credits_used: 25,
      params: { type: 'object' },
      build_request: { sample: [{ title: 'One' }], alternatives: [{ rows: 4, fields: ['name'] }] },
    });
    expect(context.progressed.filter((message) => !/\(\d+ s\)/.test(message))).toEqual([
      'Requesting a build (25 credits)',
      ...['Fetching the page', '3 candidates found', 'Testing the recipe', 'Publishing the action'],
    ]);
  });

  it('that needs a choice shows the candidates, and the call with the best guess', async () => {
    const { gateway, upstream } = await startGateway();
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    const choose = { candidate: 't1', fields: { name: 'c1', price: { column: 'c2', match: '\\d+' } } };
    const candidates = [{ id: 't1', kind: 'table', rows: 7, columns: columnsOf(60) }];
    upstream.service.finishBuild(build?.id ?? '');
    Object.assign(build ?? {}, { error_type: 'CHOICE_NEEDED', candidates, choose });
    const { body } = await deliver(call);
    expect(body).toMatchObject({
      status: 'failed',
      credits_used: 0,
      error_type: 'CHOICE_NEEDED',
      candidates,
      unmatched: [],
    });
    const step = { kind: 'build', call: { ...input, choose }, as: 'guess', missing: [] };
    expect(body.next).toEqual({ kind: 'refunded', step });
  });

  it('that needs a choice keeps what else was asked for in the call', async () => {
    const { gateway, upstream } = await startGateway({ extensions: 'build-choice, build-name' });
    const asked = {
      ...input,
      goal: `List boats ${'and more '.repeat(80)}`,
      force: true,
      visibility: 'public',
    } as const;
    const call = gateway.requestBuild({ ...asked, name: 'boats' }, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    const choose = { candidate: 't1', fields: { name: 'c1' } };
    upstream.service.finishBuild(build?.id ?? '');
    Object.assign(build ?? {}, { error_type: 'CHOICE_NEEDED', choose, unmatched: ['price'] });
    const { next } = (await deliver(call)).body;
    expect(next).toMatchObject({
      step: { missing: ['price'], call: { ...asked, goal: asked.goal.trim(), name: 'boats', choose } },
    });
  });

  it('whose guess lacks a field of the goal is not given a call that pays for less', async () => {
    const { gateway, upstream } = await startGateway();
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    const choose = { candidate: 't1', fields: { name: 'c1' } };
    upstream.service.finishBuild(build?.id ?? '');
    Object.assign(build ?? {}, { error_type: 'CHOICE_NEEDED', choose, unmatched: ['colour', 'size'] });
    const { body } = await deliver(call);
    expect(body).toMatchObject({
      unmatched: ['colour', 'size'],
      next: { step: { kind: 'build', as: 'guess', missing: ['colour', 'size'] } },
    });
  });

  it('that needs a choice and has no guess is told how to choose', async () => {
    const { gateway, upstream } = await startGateway();
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    const candidates = [{ id: 'p1', kind: 'record', rows: 1, columns: columnsOf(2) }];
    upstream.service.finishBuild(build?.id ?? '');
    Object.assign(build ?? {}, { error_type: 'CHOICE_NEEDED', candidates });
    expect((await deliver(call)).body).toMatchObject({
      candidates,
      next: { step: { kind: 'build-anew', by: 'other-candidate' } },
    });
  });

  it('that cannot succeed on this page is told so, not to name the fields again', async () => {
    const { gateway, upstream } = await startGateway();
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    upstream.service.finishBuild(build?.id ?? '');
    Object.assign(build ?? {}, { error_type: 'NEEDS_JAVASCRIPT' });
    expect((await deliver(call)).body).toMatchObject({
      status: 'failed',
      next: { kind: 'refunded', step: { kind: 'preview', page: 'without-scripts' } },
    });
  });

  it('says which action it replaced, and which fields of the goal the action lacks', async () => {
    const { gateway, upstream } = await startGateway();
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    const build = upstream.service.builds[0];
    Object.assign(build ?? {}, { replaces: 'new-prices', unmatched: ['colour'] });
    upstream.service.finishBuild(build?.id ?? '', { action_id: 'new-prices', catalog_slug: 'new' });
    expect((await deliver(call)).body).toMatchObject({
      status: 'success',
      next: { kind: 'run-built', isReplacement: true, missing: ['colour'] },
    });
  });

  it('survives a moment without an answer; three failed polls in a row give an error with the handle', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('listBuildRequests', { kind: 'answer', body: 'not what was asked for' }, { times: 2 });
    const context = callContext();
    const call = gateway.requestBuild(input, context);
    await upstream.waitForRequests('listBuildRequests', 3);
    const id = upstream.service.builds[0]?.id ?? '';
    upstream.service.finishBuild(id, { action_id: 'new-prices', catalog_slug: 'new' });
    expect((await deliver(call)).body).toMatchObject({ status: 'success' });
    upstream.fail('listBuildRequests', { kind: 'answer', body: 'not what was asked for' });
    const other = await gateway.requestBuild({ ...input, website_url: 'https://b.example' }, callContext());
    const second = upstream.service.builds.at(-1)?.id ?? '';
    expect(other.body).toMatchObject({
      status: 'error',
      error: { code: 'SERVICE_ANSWER_UNREADABLE', build_request_id: second },
      next: { kind: 'wait', for: 'build', call: { id: second } },
    });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(2);
  });

  it('whose failure was seen by list_build_requests is a new one when it is asked for again', async () => {
    const { gateway, upstream } = await startGateway();
    await deliver(gateway.requestBuild(input, callContext({ waitMs: 50 })));
    const id = upstream.service.builds[0]?.id ?? '';
    upstream.service.finishBuild(id);
    expect((await deliver(gateway.listBuildRequests({ id }, callContext()))).body).toMatchObject({
      build_requests: [{ status: 'failed' }],
      error: { code: 'EXTRACTION_FAILED' },
      credits_used: 0,
    });
    const again = await gateway.requestBuild(input, callContext({ waitMs: 50 }));
    expect(again.body).not.toHaveProperty('attached');
    expect(upstream.requestsTo('requestBuild')).toHaveLength(2);
  });

  it('that failed is an error with its refund', async () => {
    const { gateway, upstream } = await startGateway({}, { maxCreditsPerDay: 30 });
    const call = gateway.requestBuild(input, callContext());
    await upstream.waitForRequests('listBuildRequests', 1);
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '');
    expect((await deliver(call)).body).toMatchObject({
      status: 'failed',
      error: { code: 'EXTRACTION_FAILED', message: 'The build failed: "No data found"' },
      next: { kind: 'refunded', step: { kind: 'build-anew', by: 'other-page' } },
    });
    // The refund is given back to the day's budget, so that another one fits.
    const next = await gateway.requestBuild(input, callContext({ waitMs: 100 }));
    expect(next.body).toMatchObject({ status: 'pending' });
    expect(next.body).not.toHaveProperty('attached');
  });

  it('of an earlier process gives its refund back too, once its end is seen', async () => {
    const { gateway, upstream, folder } = await startGateway();
    await gateway.requestBuild(input, callContext({ waitMs: 50 }));
    await gateway.close();
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '');
    const later = openGateway(upstream, folder).gateway;
    expect((await later.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 25 });
    await later.listBuildRequests({}, callContext());
    expect((await later.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 0 });
  });

  it('shows what exists already, by tool, and the two ways on', async () => {
    const parameters = { properties: { tag: { examples: ['wit'] }, pages: {} }, required: ['tag'] };
    const { gateway, upstream } = await startGateway({ actions: [{ ...list, parameters }] });
    const existing = { ...input, website_url: 'https://www.shop.example/a' };
    const { body } = await gateway.requestBuild(existing, callContext());
    expect(body).toMatchObject({
      status: 'error',
      error: {
        code: 'ACTION_EXISTS',
        existing_actions: [{ action_id: 'shop-list', name: 'List', tool: 'shop-list' }],
      },
      next: {
        kind: 'build-anyway',
        existing: { call: { action_id: 'shop-list', params: { tag: 'wit' } } },
      },
    });
    upstream.fail(
      'requestBuild',
      {
        ...{ kind: 'answer', status: 409 },
        body: JSON.stringify({
          status: 'error',
          error: {
            ...{ code: 'ACTION_EXISTS', message: 'Exists' },
            existing_actions: [
              { action_id: 'gone', name: 'Gone', description: null },
              {
                action_id: 'shop-list',
                name: 'List',
                description: null,
                params: { tag: 'of\u200b the page' },
              },
            ],
          },
        }),
      },
      { times: 1 },
    );
    expect((await gateway.requestBuild(existing, callContext())).body).toMatchObject({
      next: { existing: { call: { action_id: 'shop-list', params: { tag: 'of the page' } } } },
    });
    const forced = await gateway.requestBuild({ ...existing, force: true }, callContext({ waitMs: 50 }));
    expect(forced.body).toMatchObject({ status: 'pending' });
    expect(upstream.service.balance).toBe(975);
  });

  it.each([
    [400, 'INVALID_INPUT'],
    [400, 'BLOCKED_WEBSITE'],
    [402, 'INSUFFICIENT_CREDITS'],
    [429, 'BUILD_LIMIT_REACHED'],
    [500, 'INTERNAL_ERROR'],
  ])('refused with %i %s costs nothing and can be asked again', async (status, code) => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', envelope(status, code, 'No'), { times: 1 });
    expect((await gateway.requestBuild(input, callContext())).body).toMatchObject({
      status: 'error',
      error: { code },
      next: { kind: expect.any(String) },
    });
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 0 });
    expect((await gateway.requestBuild(input, callContext({ waitMs: 50 }))).body.status).toBe('pending');
  });

  it('in doubt is reported, and settled by the list of builds if the service takes no key', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'reset', carriedOut: true });
    const goal = `List the "prices" ${'and more '.repeat(50)}`;
    const call = { website_url: 'https://new.example', goal };
    expect((await gateway.requestBuild(call, callContext())).body.status).toBe('unknown');
    const [build] = upstream.service.builds;
    // As the service writes it.
    Object.assign(build ?? {}, { website_url: 'https://new.example/' });
    const { body } = await gateway.requestBuild(call, callContext({ waitMs: 50 }));
    expect(body).toMatchObject({ status: 'pending', attached: true, build_request: { id: build?.id } });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
    expect(
      (await gateway.getJob({ job_id: build?.id ?? '' }, callContext({ waitMs: 50 }))).body,
    ).toMatchObject({
      status: 'pending',
    });
  });

  it.each([
    ['of another goal', { goal: 'List the prices of others' }],
    ['of an hour ago', { created_at: new Date(Date.now() - 3_600_000).toISOString() }],
    ['for another website', { website_url: 'https://other.example/' }],
  ])('in doubt is not taken for one %s', async (_, other) => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'reset', carriedOut: true });
    await gateway.requestBuild(input, callContext());
    Object.assign(upstream.service.builds[0] ?? {}, other);
    expect((await gateway.requestBuild(input, callContext())).body.status).toBe('unknown');
  });

  it('in doubt is not taken for one whose long goal only begins the same', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'reset', carriedOut: true });
    const goal = `List the prices ${'and more '.repeat(50)}`;
    const call = { ...input, goal: `${goal}of chairs` };
    expect((await gateway.requestBuild(call, callContext())).body.status).toBe('unknown');
    const [build] = upstream.service.builds;
    Object.assign(build ?? {}, { goal: `${goal}of tables` });
    expect((await gateway.requestBuild(call, callContext())).body.status).toBe('unknown');
    Object.assign(build ?? {}, { goal: call.goal });
    const { body } = await gateway.requestBuild(call, callContext({ waitMs: 50 }));
    expect(body).toMatchObject({ status: 'pending', attached: true });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });

  it('stays in doubt if two listed builds could be it', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'reset', carriedOut: true });
    await gateway.requestBuild(input, callContext());
    const [build] = upstream.service.builds;
    if (build !== undefined) upstream.service.builds.push({ ...build, id: randomUUID() });
    expect((await gateway.requestBuild(input, callContext())).body.status).toBe('unknown');
  });

  it('stays in doubt if another one in doubt could be the listed build', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'reset' }, { times: 1 });
    await gateway.requestBuild({ ...input, visibility: 'private' }, callContext());
    upstream.fail('requestBuild', { kind: 'reset', carriedOut: true });
    await gateway.requestBuild({ ...input, visibility: 'public' }, callContext());
    expect(upstream.service.builds).toHaveLength(1);
    for (const visibility of ['private', 'public'] as const) {
      const { body } = await gateway.requestBuild({ ...input, visibility }, callContext());
      expect(body.status).toBe('unknown');
    }
  });

  it('in doubt is reported and not sent again', async () => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'reset' });
    for (let call = 0; call < 2; call += 1) {
      expect((await gateway.requestBuild(input, callContext())).body).toMatchObject({
        status: 'unknown',
        error: { code: 'SUBMISSION_UNKNOWN', credits_at_stake: 25 },
        next: { kind: 'resubmit', of: 'build' },
      });
    }
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });

  it.each([
    [{ status: 'error', error: { code: 'INTERNAL_ERROR', message: 'No' } }, 'error'],
    [{ status: 'error', error: { code: 'EXECUTION_FAILED', message: 'No' } }, 'unknown'],
    [{ oops: true }, 'unknown'],
  ])('answered with HTTP 500 and %j is %s', async (body, status) => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('requestBuild', { kind: 'answer', status: 500, body });
    const outcome = await gateway.requestBuild(input, callContext());
    expect(outcome.body.status).toBe(status);
    if (status === 'error')
      expect(outcome.body.next).toEqual({
        kind: 'refunded',
        step: { kind: 'retry', when: 'later' },
      });
    else expect(outcome.body.next).toEqual({ kind: 'resubmit', of: 'build' });
  });

  it('counts against the budgets and is not sent for a client that has gone', async () => {
    const { gateway, upstream } = await startGateway({}, { maxCreditsPerCall: 20 });
    expect((await gateway.requestBuild(input, callContext())).body).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED', price: 25, limit: 20 },
    });
    const { gateway: other, upstream: second } = await startGateway();
    const gone = callContext({ signal: AbortSignal.abort() });
    expect((await other.requestBuild(input, gone)).body).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(upstream.requestsTo('requestBuild').length + second.requestsTo('requestBuild').length).toBe(0);
  });

  it('takes a slug for a catalog', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    await gateway.requestBuild({ ...input, catalog: 'shop' }, callContext({ waitMs: 50 }));
    expect(upstream.requestsTo('requestBuild')[0]?.body).toMatchObject({
      catalog_id: upstream.service.catalogs.get('shop')?.id,
    });
  });

  it('by two processes at once is sent once, and both get the answer', async () => {
    const { gateway, upstream, folder } = await startGateway();
    const other = openGateway(upstream, folder).gateway;
    upstream.fail('requestBuild', { kind: 'delay', ms: 500 });
    const answers = await Promise.all(
      [gateway, other].map((one) => one.requestBuild(input, callContext({ waitMs: 2_000 }))),
    );
    expect(answers.map(({ body }) => body.status)).toEqual(['pending', 'pending']);
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });
});

describe('list_build_requests', () => {
  const build = {
    id: 'b1',
    user_id: 'me',
    website_url: 'https://a.example/',
    domain: 'a.example',
    goal: '<b>g\u202e',
    visibility: 'private',
    status: 'brewing',
    credits_charged: 25,
    created_at: '',
    updated_at: '',
    progress: 'step 2',
  };
  it.each([
    ['an object with the documented name', { status: 'ok', build_requests: [build] }],
    ['an object with another one', { requests: [build], status: 'ok' }],
    ['a bare array', [build]],
    ['an array with odd elements', [null, 7, { status: 'success' }, { id: {} }, build]],
  ])('reads %s', async (_, body) => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('listBuildRequests', { kind: 'answer', body });
    expect((await gateway.listBuildRequests({}, callContext())).body).toMatchObject({
      build_requests: [{ id: 'b1', goal: 'g', status: 'brewing', progress: 'step 2' }],
    });
  });

  it.each([
    ['an empty object list', { build_requests: [] }],
    ['null', { status: 'ok', build_requests: null }],
    ['an empty array', []],
  ])('reads %s as no builds', async (_, body) => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('listBuildRequests', { kind: 'answer', body });
    expect((await gateway.listBuildRequests({}, callContext())).body).toEqual({
      build_requests: [],
      returned: 0,
      total: 0,
      has_more: false,
      next: { kind: 'nothing-yet', of: 'builds' },
    });
  });

  it.each([
    ['no array', { status: 'ok' }],
    ['several arrays, none of them named as ours', { errors: [], items: [build] }],
    ['a text', 'builds'],
    ['null', null],
  ])('says that %s cannot be read', async (_, body) => {
    const { gateway, upstream } = await startGateway();
    upstream.fail('listBuildRequests', { kind: 'answer', body });
    expect((await gateway.listBuildRequests({}, callContext())).body).toMatchObject({
      error: { code: 'SERVICE_ANSWER_UNREADABLE' },
    });
  });

  it('shows the newest fifty without their rows, and one with them', async () => {
    const { gateway, upstream } = await startGateway();
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...build,
      id: `b${index}`,
      status: 'failed',
      steps: ['Fetching'],
      alternatives: [{ rows: 2, fields: ['a'], sample: { a: '1' } }],
    }));
    upstream.fail('listBuildRequests', { kind: 'answer', body: many });
    const { body } = await gateway.listBuildRequests({}, callContext());
    expect(body).toMatchObject({
      returned: 50,
      total: 60,
      has_more: true,
      next: { kind: 'list', of: 'builds', why: 'older', page: { offset: 50 } },
    });
    const older = await gateway.listBuildRequests({ offset: 50 }, callContext());
    expect(older.body).toMatchObject({ returned: 10, total: 60, has_more: false });
    expect(older.body).not.toHaveProperty('next');
    expect(Object(older.body.build_requests)[0]).toMatchObject({ id: 'b50' });
    expect(JSON.stringify(body)).not.toContain('alternatives');
    expect((await gateway.listBuildRequests({ id: 'b55' }, callContext())).body).toMatchObject({
      build_requests: [{ id: 'b55', alternatives: [{ rows: 2, sample: { a: '1' } }] }],
    });
  });

  it('says which id it does not know', async () => {
    const { gateway } = await startGateway();
    expect((await gateway.listBuildRequests({ id: 'x' }, callContext())).body).toMatchObject({
      error: { code: 'BUILD_NOT_FOUND' },
    });
  });

  it('is what get_job answers for the id of a build, also in its list', async () => {
    const { gateway, upstream } = await startGateway();
    await gateway.requestBuild(input, callContext({ waitMs: 50 }));
    const id = upstream.service.builds[0]?.id ?? '';
    expect((await gateway.getJob({ job_id: id }, callContext({ waitMs: 50 }))).body).toMatchObject({
      status: 'pending',
      kind: 'build',
      job_id: id,
      build_requests: [{ id }],
      next: { kind: 'wait', for: 'build' },
    });
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({
      returned: 1,
      total: 1,
      has_more: false,
      jobs: [{ job_id: id, kind: 'build', website_url: input.website_url }],
    });
    expect(upstream.requestsTo('getJob')).toHaveLength(0);
  });
});
