/** Watches of clients that bring their own key: it is kept, encrypted, as long as one of them runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openHosting } from '../../src/cli/setup/hosting.ts';
import { createSubjectKeys } from '../../src/cli/setup/subject-keys.ts';
import {
  callContext,
  closeGateways,
  closeLater,
  openStore,
  scriptedUpstream,
  temporaryFolder,
} from '../support/gateway.ts';
import { recordingLogger } from '../support/mcp-pipe.ts';
import { minuteMs, passTime } from '../support/watches.ts';

afterEach(closeGateways);

const clientKey = 'the-key-of-a-client';
const subject = { issuer: 'https://issuer.example', subject: 'alice' };

async function start(more: object = {}) {
  const upstream = await scriptedUpstream({
    otherKeys: [clientKey],
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop', type: 'scrape', job: { data: { books: [1] } } },
    ],
  });
  const folder = await temporaryFolder();
  const settings = {
    ...{ baseUrl: upstream.origin, apiPrefix: '/v1/svc', dataDir: folder, logLevel: 'silent' as const },
    ...more,
  };
  const logger = recordingLogger();
  const open = async () => {
    const hosting = await openHosting(settings, async () => '', logger);
    let serving: { close(): Promise<void> } | undefined;
    let isClosed = false;
    const close = async () => {
      if (isClosed) return;
      isClosed = true;
      await serving?.close();
      await hosting.close();
    };
    closeLater(close);
    return {
      hosting,
      close,
      serve: () => {
        serving = hosting.serveWatches();
      },
    };
  };
  const { hosting, close } = await open();
  const make = async (caller: Parameters<typeof hosting.open>[0]) => {
    const gateway = hosting.open(caller);
    const { body } = await gateway.watch({ action_id: 'shop-list', every: '15m' }, callContext());
    return { gateway, id: String(body.watch_id) };
  };
  const store = await openStore(folder);
  return { upstream, folder, settings, logger, open, hosting, close, make, store };
}

const posts = (upstream: Awaited<ReturnType<typeof start>>['upstream']) =>
  upstream.requestsTo('submitTask').length;

it('a client that has left is served by the next process, until its last watch ends', async () => {
  const { upstream, folder, open, close, make, store } = await start();
  const { gateway } = await make({ apiKey: clientKey });
  const [kept, ...others] = await store.query.selectFrom('gateway_watch_key').selectAll().execute();
  expect(others).toEqual([]);
  expect(kept?.encrypted_key).toMatch(/^ey/);
  for (const file of ['gateway.db', 'gateway.db-wal'])
    expect(await readFile(join(folder, file), 'latin1').catch(() => '')).not.toContain(clientKey);
  await gateway.close();
  await close();

  await passTime(store, 20 * minuteMs);
  const next = await open();
  next.serve();
  await vi.waitFor(() => expect(posts(upstream)).toBe(2), 20_000);
  expect(upstream.requestsTo('submitTask').at(-1)?.headers['x-api-key']).toBe(clientKey);

  const again = next.hosting.open({ apiKey: clientKey });
  const { body } = await again.listWatches({}, callContext());
  const ids = [body.watches].flat().map((watch) => String(Object(watch).watch_id));
  for (const watch_id of ids) await again.watch({ watch_id, set: 'end' }, callContext());
  // Once its last run has ended, too.
  await vi.waitFor(
    async () => expect(await store.query.selectFrom('gateway_watch_key').selectAll().execute()).toEqual([]),
    20_000,
  );
  await again.close();
});

it('a key that the service refuses later needs a person', async () => {
  const { upstream, open, close, make, store } = await start();
  const { gateway } = await make({ apiKey: clientKey });
  await gateway.close();
  await close();
  upstream.fail('submitTask', {
    kind: 'answer',
    status: 401,
    body: { status: 'error', error: { code: 'UNAUTHORIZED', message: 'No' } },
  });
  await passTime(store, 20 * minuteMs);
  const next = await open();
  next.serve();
  const state = async () =>
    (await store.query.selectFrom('gateway_watch').select('state').executeTakeFirst())?.state;
  await vi.waitFor(async () => expect(await state()).toBe('needs_person'), 20_000);
});

it('of a subject only the name is kept: a revoked key runs nothing', async () => {
  const { upstream, open, close, make, store, hosting, settings } = await start({
    oauthIssuer: subject.issuer,
  });
  const keys = createSubjectKeys(hosting.database, settings);
  await keys.add(subject, clientKey);
  const { gateway } = await make({ apiKey: clientKey, subject });
  await gateway.close();
  await passTime(store, 20 * minuteMs);
  await keys.revoke(subject);
  await close();

  const revoked = await open();
  revoked.serve();
  await createSubjectKeys(revoked.hosting.database, settings).add(subject, 'another-key');
  await revoked.close();
  expect(posts(upstream)).toBe(1);

  const next = await open();
  await createSubjectKeys(next.hosting.database, settings).add(subject, clientKey);
  next.serve();
  await vi.waitFor(() => expect(posts(upstream)).toBe(2), 20_000);
});
