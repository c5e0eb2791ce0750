import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { NewWatchInput } from '../../../src/gateway/interface/gateway.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { OrderRows } from '../../../src/gateway/paid/order-rows.ts';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import { retentionSteps } from '../../../src/gateway/store/retention.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import { WatchQueries } from '../../../src/gateway/store/watch-queries.ts';
import { WatchRows } from '../../../src/gateway/store/watch-rows.ts';
import { endOf } from '../../../src/gateway/watches/conclusion.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { useDatabases } from '../../support/databases.ts';
import { callContext, closeGateways, closeLater, openGateway, startGateway } from '../../support/gateway.ts';
import { engines } from '../../support/postgres.ts';
import type { JobScript } from '../../support/upstream-script.ts';
import { dayMs, hourMs, minuteMs, passTime } from '../../support/watches.ts';

afterEach(closeGateways);
const createDatabase = useDatabases();

const book = (id: number, price = 10) => ({ url: `https://shop.example/${id}`, title: `Book ${id}`, price });
const books = (...ids: readonly number[]) => ({ books: ids.map((id) => book(id)), has_more: false });

/** Less than an hour of it (UTC) has passed. */
const isYoungDay = new Date().getUTCHours() === 0;

describe.each(engines)('a watch on %s', (engine) => {
  async function start(settings: Partial<GatewaySettings> = {}, action: object = {}, script: object = {}) {
    let job: JobScript = { data: books(1, 2, 3) };
    const listed = {
      action_id: 'shop-list',
      catalog_slug: 'shop',
      credits: 2,
      type: 'scrape',
      job: () => job,
      ...action,
    };
    const url = engine === 'postgres' ? await createDatabase() : undefined;
    let skew = 0;
    const clock = { now: () => Date.now(), monotonic: () => performance.now() + skew };
    const more = url === undefined ? { clock } : { clock, store: { url } };
    const started = await startGateway({ actions: [listed], ...script }, settings, more);
    const target = url === undefined ? { file: `${started.folder}/gateway.db` } : { url };
    const openOther = () =>
      openGateway(started.upstream, started.folder, settings, started.upstream.apiKey, more).gateway;
    const { gateway, upstream } = started;
    const make = async (input: Partial<NewWatchInput> = {}, context = callContext()) =>
      (await gateway.watch({ action_id: 'shop-list', every: '1h', ...input }, context)).body;
    const database = async () => {
      const opened = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
      closeLater(() => opened.close());
      return opened;
    };
    let opened: Awaited<ReturnType<typeof database>> | undefined;
    const store = async () => (opened ??= await database());
    return {
      ...started,
      openOther,
      make,
      store,
      finds: (data: unknown) => {
        job = { data };
      },
      changeAction: (change: object) => upstream.service.addAction({ ...listed, ...change }),
      dearer: (credits: number) => upstream.service.addAction({ ...listed, credits }),
      goes: (script: JobScript) => {
        job = script;
      },
      /** Lets time pass, and what is due run. */
      pass: async (ms: number, ...gateways: readonly (typeof gateway)[]) => {
        await passTime(await store(), ms);
        // What was read before is old by then, such as a price.
        skew += ms;
        await Promise.all((gateways.length === 0 ? [gateway] : gateways).map((one) => one.runDueWatches()));
      },
      posts: () => upstream.requestsTo('submitTask').length,
      /** The machine stands still, once, after a run was claimed and before it is sent. */
      sleepsBeforeSending: () => {
        const { claim } = OrderRows.prototype;
        vi.spyOn(OrderRows.prototype, 'claim').mockImplementationOnce(async function (
          this: OrderRows,
          ...given
        ) {
          const claimed = await claim.apply(this, given);
          skew += hourMs;
          return claimed;
        });
      },
      changes: async (watch_id: unknown, after = 0) =>
        (await gateway.listWatches({ watch_id: String(watch_id), after }, callContext())).body,
      listed: async () => (await gateway.listWatches({}, callContext())).body.watches,
    };
  }

  it('answers with its first version, its schedule and what it will cost', async () => {
    const { make, posts, listed } = await start();

    const body = await make({ until: new Date(Date.now() + 10 * hourMs).toISOString() });

    expect(body).toMatchObject({
      watch_id: expect.stringMatching(/^watch-/),
      state: 'active',
      compared_by: 'url',
      ignored: [],
      costs: { first: 2, each: 2 },
      first: { rows: 3, job_id: expect.any(String) },
    });
    const nextIn = Date.parse(String(body.next_run_at)) - Date.now();
    expect(nextIn).toBeGreaterThan(59 * minuteMs);
    expect(nextIn).toBeLessThan(64 * minuteMs);
    expect(posts()).toBe(1);
    expect(await listed()).toMatchObject([
      { watch_id: body.watch_id, action_id: 'shop-list', state: 'active', changes: 0, credits_used: 2 },
    ]);
  });

  it('pays each due time once, and tells what changed against the version before', async () => {
    const { make, finds, pass, posts, changes, listed } = await start();
    const { watch_id } = await make();

    await pass(61 * minuteMs + 3 * minuteMs);
    expect(posts()).toBe(2);
    expect(await changes(watch_id)).toMatchObject({ changes: [], next_after: 0, state: 'active', missed: 0 });

    finds({ books: [book(2), book(3, 12), book(4)], has_more: false });
    await pass(64 * minuteMs);
    await pass(1 * minuteMs);
    expect(posts()).toBe(3);
    finds(books(1, 2, 3));
    await pass(64 * minuteMs);

    const { changes: told, next_after } = await changes(watch_id);
    expect(told).toMatchObject([
      {
        seq: 1,
        kind: 'changed',
        added: [book(4)],
        removed: [book(1)],
        changed: [{ key: 'https://shop.example/3', field: 'price', before: 10, after: 12 }],
        job_id: expect.any(String),
        previous_job_id: expect.any(String),
        summary: '1 row added, 1 row removed, price changed in 1 row; 3 rows now.',
      },
      { seq: 2, kind: 'changed', added: [book(1)], removed: [book(4)] },
    ]);
    expect(next_after).toBe(2);
    expect((await changes(watch_id, 1)).changes).toMatchObject([{ seq: 2 }]);
    expect(await listed()).toMatchObject([{ changes: 2, credits_used: 8 }]);
  });

  it('compares results of more than a megabyte', async () => {
    const many = (price: number) => ({
      books: Array.from({ length: 12_000 }, (_, id) => ({
        ...book(id, price),
        text: 'A long text. '.repeat(8),
      })),
    });
    const { make, finds, pass, changes } = await start();
    finds(many(10));
    const { watch_id, first } = await make({ when: 'changed' });
    expect(first).toMatchObject({ rows: 12_000 });
    finds({ books: many(10).books.map((one, index) => (index === 7 ? { ...one, price: 9 } : one)) });
    await pass(64 * minuteMs);

    expect((await changes(watch_id)).changes).toMatchObject([
      { changed: [{ key: 'https://shop.example/7', field: 'price', before: 10, after: 9 }], removed: [] },
    ]);
  });

  it('takes a version of the action with other fields for a new base, and tells it', async () => {
    const { make, finds, pass, changes, changeAction, posts } = await start(
      {},
      {
        overrides: { returns: { books: ['title', 'price'] } },
      },
    );
    const { watch_id } = await make();
    await pass(64 * minuteMs);
    const rated = (price: number) => ({ books: [1, 2, 3].map((id) => ({ ...book(id, price), stars: id })) });
    finds(rated(10));
    changeAction({ overrides: { returns: { books: ['title', 'stars', 'price'] } } });
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + hourMs);
    await pass(64 * minuteMs);
    vi.restoreAllMocks();

    expect((await changes(watch_id)).changes).toMatchObject([
      {
        kind: 'changed',
        summary: expect.stringContaining('books.stars came'),
        added: [],
        removed: [],
        changed: [],
        previous_job_id: expect.any(String),
      },
    ]);
    finds(rated(9));
    await pass(64 * minuteMs);
    await pass(5 * minuteMs);
    const { changes: told } = await changes(watch_id, 1);
    expect(told).toMatchObject([{ summary: 'price changed in 3 rows; 3 rows now.' }]);
    expect(posts()).toBe(5);
  });

  it('names the way to mend an own action whose site changed', async () => {
    const own = { extensions: 'action-edit' };
    const { make, goes, pass, changes, listed, upstream } = await start({}, { mine: true }, own);
    upstream.service.builds.push({
      ...{ id: 'b1', user_id: 'u', website_url: 'https://shop.example/', domain: 'shop.example' },
      ...{ goal: 'List books', status: 'success', action_id: 'shop-list', credits_charged: 25 },
      ...{ visibility: 'private', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
    });
    const { watch_id } = await make();
    goes({ error: { code: 'SITE_CHANGED', message: 'The page has another layout' } });
    for (let run = 0; run < 3; run += 1) await pass(64 * minuteMs);

    const next = { kind: 'own-action', action_id: 'shop-list', state: 'site-changed' };
    expect(await changes(watch_id, 100)).toMatchObject({ state: 'failing', next });
    expect(await listed()).toMatchObject([{ state: 'failing', next }]);
  });

  it('is the same watch for the same call, which replaces its settings', async () => {
    const { make, posts } = await start();
    const first = await make();
    const again = await make({ every: '2h', ignore: ['price'] });

    expect(again).toMatchObject({
      watch_id: first.watch_id,
      replaced: expect.arrayContaining(['every', 'ignore']),
    });
    expect(await make({ every: '2h' })).toMatchObject({ watch_id: first.watch_id, replaced: [] });
    expect(posts()).toBe(1);
  });

  it('reads a loss once more, five minutes later, before it is told', async () => {
    const { make, finds, pass, posts, changes, listed } = await start();
    const { watch_id } = await make();
    await pass(64 * minuteMs);

    finds(books());
    await pass(64 * minuteMs);
    const unsettled = { note: expect.stringMatching(/is told before the page was read once more, at 20/) };
    expect(await changes(watch_id)).toMatchObject({ changes: [], ...unsettled });
    expect(await listed()).toMatchObject([unsettled]);
    finds(books(1, 2, 3));
    await pass(5 * minuteMs);
    expect(posts()).toBe(4);
    const settled = await changes(watch_id);
    expect(settled.changes).toEqual([]);
    expect(settled).not.toHaveProperty('note');

    finds(books(2));
    await pass(60 * minuteMs);
    await pass(5 * minuteMs);
    expect((await changes(watch_id)).changes).toMatchObject([
      { kind: 'changed', removed: [book(1), book(3)] },
    ]);
    expect(posts()).toBe(6);
  });

  it('tells noise from news by one more reading of the first comparison', async () => {
    let views = 0;
    const noisy = (...ids: readonly number[]) => ({
      books: ids.map((id) => {
        views += 1;
        return { ...book(id), views };
      }),
    });
    const { make, finds, pass, posts, changes } = await start();
    finds(noisy(1, 2, 3));
    const { watch_id } = await make();
    finds(noisy(1, 2, 3, 4));
    await pass(64 * minuteMs);
    expect((await changes(watch_id)).changes).toEqual([]);
    finds(noisy(1, 2, 3, 4));
    await pass(5 * minuteMs);

    expect((await changes(watch_id)).changes).toMatchObject([
      { kind: 'changed', added: [{ title: 'Book 4' }], changed: [], ignored: ['views'] },
    ]);
    expect(posts()).toBe(3);
    finds(noisy(1, 2, 3, 4));
    await pass(60 * minuteMs);
    expect((await changes(watch_id)).changes).toHaveLength(1);
    expect(await make()).toMatchObject({ ignored: ['views'] });
  });

  it('tells only what `when` finds, and compares with the version before all the same', async () => {
    const { make, finds, pass, changes } = await start();
    const { watch_id } = await make({ when: "changed[?field=='price' && after < `9`]" });
    await pass(64 * minuteMs);
    finds({ books: [book(1, 9.5), book(2), book(3)] });
    await pass(64 * minuteMs);
    expect((await changes(watch_id)).changes).toEqual([]);
    finds({ books: [book(1, 8), book(2), book(3)] });
    await pass(64 * minuteMs);
    expect((await changes(watch_id)).changes).toMatchObject([{ changed: [{ before: 9.5, after: 8 }] }]);
  });

  it('shows its `when`, and tells all again with @', async () => {
    const { make, finds, pass, changes, listed } = await start();
    const when = "changed[?field=='price']";
    const { watch_id, ...made } = await make({ when });
    expect(made).toMatchObject({ when });
    expect(made).not.toHaveProperty('note');
    expect(await listed()).toEqual([expect.objectContaining({ when })]);
    expect(await make({ when: '@' })).toEqual(expect.not.objectContaining({ when: expect.anything() }));
    finds(books(1, 2, 3, 4));
    await pass(64 * minuteMs);
    expect((await changes(watch_id)).changes).toMatchObject([{ added: [{ title: 'Book 4' }] }]);
  });

  it.each([
    ['changed[?after.price > before.price]', 'nothing there has "price"'],
    ["changed[?field=='prise']", 'no row has the field "prise"; there are url, title, price'],
    ["added[?prise < `5`] || changed[?field=='price']", 'nothing there has "prise"'],
    ["length(removed[?contains(titel, 'x')]) > `1`", 'nothing there has "titel"'],
    ['added[?price < `5`]', undefined],
    ["changed[?field=='price' && to_number(after) < before]", undefined],
    ['max_by(added, &price).price > `5`', undefined],
  ])('says of a `when` that may never find anything: %s', async (when, doubt) => {
    const { make } = await start();
    const made = await make({ when });
    await make({ when: 'changed' });
    const replaced = await make({ when });
    for (const { note } of [made, replaced])
      if (doubt === undefined) expect(note).toBeUndefined();
      else expect(note).toContain(doubt);
  });

  it('says of settings that are changed what its last version does not have', async () => {
    const { make } = await start();
    await make();
    const changed = await make({ key: 'titel', ignore: ['pirce'] });
    expect(changed).toMatchObject({ replaced: ['key', 'ignore'], compared_by: 'url' });
    expect(changed.note).toMatch(/has the key titel: it is compared by url\. .*ignored: pirce\./);
    expect(await make({ key: 'title' })).toMatchObject({ replaced: ['key'], compared_by: 'title' });
  });

  it('says how many rows its key does not tell apart', async () => {
    const { make, finds } = await start();
    finds({ books: [book(1), book(2), { ...book(3), title: 'Book 2' }], has_more: false });
    const made = await make({ key: 'title', when: "changed[?field=='price']" });
    expect(made.note).toContain('2 of 3 rows share what tells rows apart (title) or lack it');
    expect(await make({ key: 'url' })).not.toHaveProperty('note');
    const again = await make({ key: 'title' });
    expect(again.note).toContain('2 of 3 rows share');
  });

  it('runs once for what was missed, and says how much that was', async () => {
    const { make, pass, posts, changes } = await start();
    const { watch_id } = await make({ every: '6h' });
    await pass(2 * dayMs + hourMs);
    expect(posts()).toBe(2);
    expect(await changes(watch_id)).toMatchObject({ missed: 7 });
  });

  it('is told as failing at the third failure, slower then, and as recovered', async () => {
    const { make, goes, finds, pass, posts, changes } = await start();
    const { watch_id } = await make();
    goes({ error: { code: 'SITE_CHANGED', message: 'The page has another layout' } });
    for (let run = 0; run < 2; run += 1) await pass(64 * minuteMs);
    expect(await changes(watch_id)).toMatchObject({ changes: [], state: 'active' });
    await pass(64 * minuteMs);
    expect(await changes(watch_id)).toMatchObject({
      state: 'failing',
      changes: [{ kind: 'failing', seq: 1, summary: expect.stringContaining('layout') }],
      error: { code: 'SITE_CHANGED' },
      credits_used: 2,
    });
    await pass(64 * minuteMs);
    await pass(64 * minuteMs);
    const slower = posts();
    expect(slower).toBeLessThan(6);
    finds(books(1, 2, 3));
    for (let hour = 0; hour < 5; hour += 1) await pass(64 * minuteMs);
    const { changes: told } = await changes(watch_id, 1);
    expect(told).toMatchObject([{ kind: 'recovered' }]);
    expect((await changes(watch_id)).state).toBe('active');
  });

  it('says of a last run that failed that nothing was compared, until one is read again', async () => {
    const { make, goes, finds, pass, changes, listed } = await start();
    const { watch_id } = await make();
    expect(await changes(watch_id)).not.toHaveProperty('last_run');
    goes({ error: { code: 'SITE_CHANGED', message: 'The page has another layout' } });
    await pass(64 * minuteMs);
    const last_run = {
      outcome: 'failed',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      message: expect.stringContaining('layout'),
    };
    expect(await changes(watch_id)).toMatchObject({ changes: [], state: 'active', last_run });
    expect(await listed()).toMatchObject([{ changes: 0, state: 'active', last_run }]);
    finds(books(1, 2, 3));
    await pass(64 * minuteMs);
    expect(await changes(watch_id)).not.toHaveProperty('last_run');
    expect(await listed()).toEqual([expect.not.objectContaining({ last_run: expect.anything() })]);
  });

  it.each([
    [{ has_more: true, returned: 2, total: 43 }, /first version holds 2 of 43 rows: .*not watched/],
    [{ has_more: true }, /first version holds not all rows/],
    [{ has_more: null }, /first version may not hold all rows/],
    [{ has_more: false }, undefined],
  ])('says at its making, and in lists, that its version does not hold all rows: %j', async (facts, note) => {
    const { make, finds, listed, changes } = await start();
    finds({ ...books(1, 2), ...facts });
    const made = await make();
    const [inList] = z.array(z.unknown()).parse(await listed());
    const notes = [made, inList, await changes(made.watch_id)].map((one) => Object(one).note);

    const [first, ...later] = notes;
    if (note === undefined) expect(notes).toEqual([undefined, undefined, undefined]);
    else {
      expect(first).toMatch(note);
      for (const again of later) expect(again).toBe(first.replace('The first', 'The last'));
    }
  });

  it('without any says how one is made', async () => {
    const { gateway } = await start();
    expect((await gateway.listWatches({}, callContext())).body).toEqual({
      watches: [],
      next: { kind: 'nothing-yet', of: 'watches' },
    });
  });

  it('names a key and ignored fields that the first version does not have', async () => {
    const { make, finds } = await start({ maxCreditsPerDay: 20 });
    const { note, compared_by } = await make({ key: 'titel', ignore: ['price', 'pirce'] });
    expect(compared_by).toBe('url');
    expect(note).toMatch(
      /SVC_MAX_CREDITS_PER_DAY.* the key titel: it is compared by url\. .*ignored: pirce\.$/,
    );
    const { note: other } = await make({ params: { page: 2 }, key: 'title', ignore: ['price'] });
    expect(other).not.toMatch(/was read/);
    finds({ shop: 'A', ...books() });
    const { note: unknown } = await make({ params: { page: 3 }, key: 'titel', ignore: ['pirce'] });
    expect(unknown).not.toMatch(/was read/);
  });

  // What has passed is of the day before where the day is younger.
  it.skipIf(isYoungDay)('skips what does not fit a limit of the day, and tells it once a day', async () => {
    const { make, pass, posts, changes } = await start({ maxCreditsPerDay: 5 });
    const made = await make({ every: '15m' });
    expect(made.note).toMatch(/SVC_MAX_CREDITS_PER_DAY/);
    const { watch_id } = made;
    await pass(19 * minuteMs);
    await pass(19 * minuteMs);
    expect(posts()).toBe(2);
    expect((await changes(watch_id)).changes).toMatchObject([
      { kind: 'skipped', summary: expect.stringContaining('SVC_MAX_CREDITS_PER_DAY') },
    ]);
    await pass(19 * minuteMs);
    expect((await changes(watch_id)).changes).toHaveLength(1);
  });

  it('says that its action is gone, before a due time fails', async () => {
    const { make, listed, changes, gateway, upstream } = await start();
    const { watch_id } = await make();
    expect(Object(await listed())[0]).not.toHaveProperty('error');
    upstream.service.actions.delete('shop-list');
    // The service says so to whoever calls it.
    await gateway.runAction({ action_id: 'shop-list', params: { page: 9 } }, callContext());
    const absent = {
      state: 'active',
      error: { code: 'ACTION_NOT_FOUND' },
      next: { kind: 'watch', as: 'without-action', watch_id },
    };
    await vi.waitFor(async () => expect(await listed()).toMatchObject([absent]), 10_000);
    expect(await changes(watch_id)).toMatchObject(absent);
  });

  it('never costs more than max_credits', async () => {
    const { make, pass, posts, changes } = await start();
    const made = await make({ max_credits: 5 });
    const { watch_id } = made;
    expect(made.note).toMatch(
      /^All its runs may cost \d+ credits, and max_credits allows 5: a run that does/,
    );
    for (let run = 0; run < 3; run += 1) await pass(64 * minuteMs);
    expect(posts()).toBe(2);
    const told = await changes(watch_id);
    expect(told).toMatchObject({
      credits_used: 4,
      next: { kind: 'watch', as: 'raise-total', watch_id },
    });
    const entries: readonly Record<string, unknown>[] = Object(told).changes;
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) {
      const summary = expect.stringMatching(/not made up.*this watch may cost/);
      expect(entry).toMatchObject({ kind: 'skipped', summary });
      // What was not sent is no job.
      expect(entry).not.toHaveProperty('job_id');
    }
    // Told once a day.
    expect(new Set(entries.map(({ at }) => String(at).slice(0, 10))).size).toBe(entries.length);
    // The same call again sets no max_credits: the one before holds, and is named.
    const again = await make({});
    expect(again).toMatchObject({
      error: {
        code: 'BUDGET_EXCEEDED',
        message: expect.stringContaining('its runs have cost 4 of the 5 credits that this watch may cost'),
        limit: 5,
      },
      next: { kind: 'raise-limit', limit: 'max_credits', to: 6 },
    });
    await make({ max_credits: 50 });
    expect(await changes(watch_id)).not.toHaveProperty('next');
  });

  it('needs a person after a price rise, runs at it when it is ordered to, and goes on when it is resumed', async () => {
    const { make, pass, posts, changes, dearer, gateway } = await start();
    const { watch_id } = await make();
    dearer(3);
    await pass(64 * minuteMs);
    expect(await changes(watch_id)).toMatchObject({
      state: 'needs_person',
      changes: [
        { kind: 'needs_person', summary: expect.stringMatching(/^It does not run until it is resumed\./) },
      ],
      next: { kind: 'watch', as: 'resume', once: 'price-accepted', watch_id },
    });
    await pass(5 * hourMs);
    expect(posts()).toBe(1);
    const id = String(watch_id);
    const { body } = await gateway.watch({ watch_id: id, set: 'run' }, callContext());
    expect(body).toMatchObject({ status: 'processing', job_id: expect.any(String) });
    await gateway.runDueWatches();
    expect(posts()).toBe(2);
    expect(await changes(watch_id)).toMatchObject({ state: 'needs_person', credits_used: 5 });
    expect((await gateway.watch({ watch_id: id, set: 'resume' }, callContext())).body).toMatchObject({
      state: 'active',
    });
    await pass(64 * minuteMs);
    expect(posts()).toBe(3);
  });

  it('is paused, ordered, resumed and ended', async () => {
    const { make, pass, posts, changes, gateway, openOther } = await start();
    const { watch_id } = await make();
    const id = String(watch_id);
    const set = (to: 'pause' | 'resume' | 'run' | 'end', by = gateway) =>
      by.watch({ watch_id: id, set: to }, callContext());
    expect((await set('pause')).body).toEqual({ watch_id: id, state: 'paused', next_run_at: null });
    await pass(3 * hourMs);
    expect(posts()).toBe(1);
    await Promise.all([set('run'), set('run', openOther())]);
    await gateway.runDueWatches();
    expect(posts()).toBe(2);
    await set('resume');
    expect(posts()).toBe(2);
    await pass(64 * minuteMs);
    expect(posts()).toBe(3);
    expect((await set('end')).body).toMatchObject({ state: 'ended', next_run_at: null });
    expect((await set('run')).body).toMatchObject({ error: { code: 'WATCH_NOT_FOUND' } });
    expect((await changes(id)).changes).toMatchObject([{ kind: 'ended' }]);
    expect(await make()).not.toMatchObject({ watch_id });
  });

  it('is listed before a hundred that have ended since', async () => {
    const { gateway, make, listed, store } = await start();
    const { watch_id } = await make();
    const { query } = await store();
    const row = await query.selectFrom('gateway_watch').selectAll().executeTakeFirstOrThrow();
    const ended = Array.from({ length: 100 }, (_, index) => ({
      ...row,
      id: `watch-ended-${index}`,
      call_hash: `ended ${index}`,
      state: 'ended' as const,
      created_at: row.created_at + 1 + index,
    }));
    await query.insertInto('gateway_watch').values(ended).execute();
    expect(await listed()).toContainEqual(expect.objectContaining({ watch_id, state: 'active' }));
    const { body } = await gateway.listWatches({}, callContext());
    expect(body).toMatchObject({ note: expect.stringContaining('newest 100') });
    expect(body.watches).toHaveLength(100);
  });

  it('counts all that nobody has read, and shows the newest of it first where there is no room for all', async () => {
    const { make, listed, store, gateway } = await start();
    const { watch_id: id } = await make();
    const watch_id = String(id);
    const { query } = await store();
    const told = (seq: number) => ({
      ...{ watch_id, due_at: seq, seq, row_id: null, reason: 'due' as const, missed: 0, ended_at: seq },
      ...{ outcome: 'changed' as const, told: seq === 700 ? '["recovered","changed"]' : '["changed"]' },
      ...{ summary: 'News', difference: JSON.stringify({ added: ['x'.repeat(900)] }), previous_row: null },
    });
    for (let seq = 1; seq <= 700; seq += 100)
      await query
        .insertInto('gateway_watch_run')
        .values(Array.from({ length: 100 }, (_, index) => told(seq + index)))
        .execute();
    await gateway.runDueWatches();
    expect(await listed()).toMatchObject([{ unread: 701 }]);
    expect(gateway.watchNews()?.text).toBe('700 changed, 1 recovered: list_watches');

    const newest = async (resultChars: number) => {
      const input = { watch_id, after: 'newest', marksRead: false } as const;
      return (await gateway.listWatches(input, callContext({ resultChars }))).body;
    };
    const next = { kind: 'watch', as: 'earlier', watch_id };
    const many = await newest(1_000_000);
    expect(many).toMatchObject({ next_after: 700, truncated: { entries_before: 651, next } });
    expect(many.changes).toHaveLength(51);
    const few = await newest(5_000);
    expect(few).toMatchObject({
      changes: [{ seq: 697 }, { seq: 698 }, { seq: 699 }, { seq: 700 }, { seq: 700 }],
      next_after: 700,
      truncated: { entries_before: 697, next },
    });
    expect(few).not.toHaveProperty('has_more');
    expect(await newest(1)).toMatchObject({ changes: [{ seq: 700 }, { seq: 700 }] });
  });

  it('is unread after a reader asked for what comes after a place that was never told', async () => {
    const { make, changes, listed, finds, pass } = await start();
    const { watch_id } = await make();
    expect(await changes(watch_id, 1_000_000)).toMatchObject({ changes: [], next_after: 0 });
    finds(books(1, 2, 3, 4));
    await pass(64 * minuteMs);
    expect(await listed()).toMatchObject([{ watch_id, unread: 1 }]);
  });

  it('ends at its time, which is told', async () => {
    const { make, pass, posts, changes } = await start();
    const { watch_id } = await make({ until: new Date(Date.now() + 90 * minuteMs).toISOString() });
    await pass(64 * minuteMs);
    await pass(64 * minuteMs);
    expect(posts()).toBe(2);
    expect(await changes(watch_id)).toMatchObject({ state: 'ended', changes: [{ kind: 'ended' }] });
  });

  it('is served by several processes, and each due time is paid once', async () => {
    const { make, pass, posts, openOther, gateway, finds, changes } = await start();
    const { watch_id } = await make();
    const others = [gateway, openOther(), openOther()];
    for (let run = 1; run <= 3; run += 1) {
      finds(books(1, 2, 3, 10 + run));
      await pass(64 * minuteMs, ...others);
      await pass(0, ...others);
      expect(posts()).toBe(1 + run);
    }
    expect((await changes(watch_id)).changes).toHaveLength(3);
  });

  it('skips a run whose sending was given up, and runs at the next due time', async () => {
    const { make, pass, posts, changes, sleepsBeforeSending } = await start();
    const { watch_id } = await make();
    sleepsBeforeSending();

    await pass(64 * minuteMs);
    await pass(1 * minuteMs);
    expect(posts()).toBe(1);
    expect((await changes(watch_id)).changes).toMatchObject([
      { kind: 'skipped', summary: expect.stringContaining('Nothing was sent') },
    ]);
    await pass(60 * minuteMs);
    expect(posts()).toBe(2);
  });

  it('goes on where the result of a run went before it was compared', async () => {
    const { make, pass, posts, changes, store, gateway } = await start();
    const { watch_id } = await make();
    await pass(64 * minuteMs);
    // As after a process that died before it compared, and came back when retention had deleted the result.
    const { query } = await store();
    const last = query.selectFrom('gateway_watch_run').select('row_id').orderBy('due_at', 'desc').limit(1);
    await query.deleteFrom('gateway_result').where('job_id', '=', last).execute();
    await query.updateTable('gateway_watch_run').set({ outcome: null }).where('row_id', '=', last).execute();

    await gateway.runDueWatches();
    const run = await query
      .selectFrom('gateway_watch_run')
      .select(['outcome', 'summary'])
      .where('row_id', '=', last)
      .executeTakeFirst();
    expect(run).toEqual({ outcome: 'failed', summary: expect.stringContaining('no longer kept') });
    await pass(60 * minuteMs);
    expect(posts()).toBe(3);
    expect((await changes(watch_id)).changes).toEqual([]);
  });

  it('runs though another watch cannot even be planned, which is told as failing', async () => {
    const { make, pass, posts, store, changes } = await start();
    const { watch_id: broken } = await make({ params: { page: 1 } });
    await make({ params: { page: 2 } });
    const { query } = await store();
    await query.updateTable('gateway_watch').set({ params: '{' }).where('id', '=', String(broken)).execute();
    await pass(64 * minuteMs);
    expect(posts()).toBe(3);
    expect((await changes(broken)).changes).toEqual([]);
    for (const minutes of [12, 64, 12, 64, 12]) await pass(minutes * minuteMs);
    expect((await changes(broken)).changes).toMatchObject([{ kind: 'failing' }]);
  });

  it('stays ended where a clock that read it before goes on with it', async () => {
    const { make, posts, gateway, store } = await start();
    const { watch_id } = await make();
    const opened = await store();
    const read = await opened.query.selectFrom('gateway_watch').selectAll().executeTakeFirstOrThrow();
    await gateway.watch({ watch_id: String(watch_id), set: 'end' }, callContext());
    const rows = new WatchRows(opened, read.principal, new WatchQueries(opened, read.principal));
    const run = { due_at: read.next_at, reason: 'due', missed: 0 } as const;
    const due = { of: 'next_at', expected: read.next_at, run } as const;
    const change = { next_at: read.next_at + hourMs, state: 'needs_person' } as const;
    expect(await rows.planDue(read, { ...due, change }, { skipped: endOf('It failed.') })).toBe(false);
    const { state, next_at } = await opened.query
      .selectFrom('gateway_watch')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect({ state, next_at }).toEqual({ state: 'ended', next_at: read.next_at });
    expect(posts()).toBe(1);
  });

  it('numbers what it tells after what retention has deleted', async () => {
    const { make, pass, finds, changes, store } = await start();
    const { watch_id } = await make();
    for (const id of [4, 5]) {
      finds(books(1, 2, 3, id));
      await pass(64 * minuteMs);
    }
    expect((await changes(watch_id)).next_after).toBe(2);
    const opened = await store();
    const retention = { resultsDays: 1, intentsDays: 1 };
    const later = Date.now() + 2 * dayMs;
    for (const { remove } of retentionSteps(retention)) await opened.batch([remove(later)]);
    expect((await changes(watch_id)).changes).toMatchObject([{ seq: 2 }]);
    finds(books(1, 2, 3, 6));
    await pass(64 * minuteMs);
    expect((await changes(watch_id, 2)).changes).toMatchObject([{ seq: 3 }]);
  });

  it.each([
    ['a first run that fails', { error: { code: 'SITE_CHANGED', message: 'No' } }, { status: 'failed' }],
  ])('%s makes no watch', async (_name, job, body) => {
    const { make, goes, listed, finds } = await start();
    goes(job);
    expect(await make()).toMatchObject(body);
    expect(await listed()).toEqual([]);
    finds(books(1));
    expect(await make()).toMatchObject({ first: { rows: 1 } });
  });

  it.each([
    [{ type: 'book' }, {}, 'WATCH_WRITES'],
    [{ type: '' }, {}, 'WATCH_WRITES'],
    [{}, { every: '5m' }, 'INVALID_PARAMS'],
    [{}, { every: undefined }, 'INVALID_PARAMS'],
    [{}, { every: '* * * * *' }, 'INVALID_PARAMS'],
    [{}, { time_zone: 'Mars/Olympus' }, 'INVALID_PARAMS'],
    [{}, { when: 'changed[?' }, 'INVALID_PARAMS'],
    [{}, { when: "chagned[?field=='price']" }, 'INVALID_PARAMS'],
    [{}, { when: 'added || length(remvoed) > `1`' }, 'INVALID_PARAMS'],
    [{}, { when: 'changed[?price]' }, 'INVALID_PARAMS'],
    [{}, { when: 'changed[].new' }, 'INVALID_PARAMS'],
    [{}, { until: '2001-01-01' }, 'INVALID_PARAMS'],
    [{}, { when: 'rows.after' }, 'INVALID_PARAMS'],
    [{}, { max_credits: 1 }, 'BUDGET_EXCEEDED'],
    [{}, { action_id: 'unknown' }, 'ACTION_NOT_FOUND'],
  ])('is refused before anything is sent: %j %j', async (action, input, code) => {
    const { make, posts, listed } = await start({}, action);
    expect(await make(input)).toMatchObject({ status: 'error', error: { code } });
    expect(posts()).toBe(0);
    expect(await listed()).toEqual([]);
  });

  it('that the limit of a day refuses leaves no news, though the clock looks at it before it is gone', async () => {
    const { make, posts, gateway, listed } = await start({ maxCreditsPerDay: 3 });
    const paid = await gateway.runAction({ action_id: 'shop-list', params: {} }, callContext());
    expect(paid.body).toMatchObject({ status: 'completed' });
    const { discard } = WatchRows.prototype;
    vi.spyOn(WatchRows.prototype, 'discard').mockImplementationOnce(async function (this: WatchRows, id) {
      await gateway.runDueWatches();
      await discard.call(this, id);
    });
    const refused = await make();
    expect(refused).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', limit: 3 } });
    expect(gateway.watchNews()).toBeUndefined();
    expect(await listed()).toEqual([]);
    expect(posts()).toBe(1);
  });

  it('that needs a confirmation which nobody can give says that it is of all runs, and how to go below', async () => {
    const { make, posts } = await start({ confirmAboveCredits: 10 });
    const until = new Date(Date.now() + 10 * hourMs).toISOString();
    expect(await make({ until })).toMatchObject({
      error: {
        code: 'CONFIRMATION_UNAVAILABLE',
        message: expect.stringMatching(
          /^shop-list costs 2\d credits in all runs of the watch, more than the 10 of/,
        ),
      },
      next: { kind: 'raise-limit', or: 'smaller-total' },
    });
    expect(posts()).toBe(0);
    expect(await make({ until, max_credits: 10 })).toMatchObject({ state: 'active' });
  });
});
