/** When a paid request is sent, and when it must not be any more. */

import { rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OrderRows } from '../../../src/gateway/paid/order-rows.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { holdWriteLock } from '../../support/write-lock.ts';

afterEach(closeGateways);
afterEach(() => vi.restoreAllMocks());

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 5 };
const call = { action_id: 'shop-list' };

/** Another process that writes for a long time. */
const lockStore = (folder: string) => holdWriteLock(join(folder, 'gateway.db'));

async function started(submitMs = 30_000) {
  const upstream = await scriptedUpstream({ actions: [list] });
  const folder = await temporaryFolder();
  const { gateway } = openGateway(upstream, folder, {}, upstream.apiKey, { limits: { submitMs } });
  await gateway.getJob({}, callContext());
  await gateway.listing();
  return { upstream, folder, gateway };
}

it('a request whose row was written after its deadline is not sent, and is refused', async () => {
  const { gateway, upstream, folder } = await started(300);
  const unlock = lockStore(folder);
  const insert = vi.spyOn(OrderRows.prototype, 'insert');
  const running = gateway.runAction(call, callContext());
  // Its time runs from here on.
  await expect.poll(() => insert).toHaveBeenCalled();
  await new Promise((resolve) => setTimeout(resolve, 600));
  unlock();
  expect((await running).body).toMatchObject({
    error: { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('Nothing was sent') },
  });
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  const { query } = await openStore(folder);
  const rows = await query.selectFrom('gateway_intent').select(['state', 'open', 'charged']).execute();
  expect(rows).toEqual([{ state: 'refused', open: 0, charged: 0 }]);
  expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
});

it('a request that has less than half of its time left is not sent, and is refused', async () => {
  const { gateway, upstream, folder } = await started(1_000);
  const insert = OrderRows.prototype.insert;
  vi.spyOn(OrderRows.prototype, 'insert').mockImplementationOnce(async function (this: OrderRows, ...given) {
    const inserted = await insert.apply(this, given);
    await new Promise((resolve) => setTimeout(resolve, 600));
    return inserted;
  });
  expect((await gateway.runAction(call, callContext())).body).toMatchObject({
    error: { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('Nothing was sent') },
  });
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  const { query } = await openStore(folder);
  const rows = await query.selectFrom('gateway_intent').select(['state', 'open', 'charged']).execute();
  expect(rows).toEqual([{ state: 'refused', open: 0, charged: 0 }]);
});

it('a call that was cancelled while its row was written is not sent', async () => {
  const { gateway, upstream, folder } = await started();
  const unlock = lockStore(folder);
  const cancel = new AbortController();
  const running = gateway.runAction(call, callContext({ signal: cancel.signal }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  cancel.abort();
  unlock();
  expect((await running).body).toMatchObject({ error: { code: 'CANCELLED' } });
  const { query } = await openStore(folder);
  await vi.waitFor(async () => {
    const rows = await query.selectFrom('gateway_intent').select('state').execute();
    expect(rows.every(({ state }) => state === 'refused')).toBe(true);
  }, 20_000);
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
});

it('an answer that attaches says what a repeat costs', async () => {
  const { gateway, upstream } = await startGateway({ actions: [list] });
  await gateway.runAction(call, callContext());
  const attached = await deliver(gateway.runAction(call, callContext()));
  expect(attached.body).toMatchObject({
    attached: true,
    next: { kind: 'run-again', earlierFor: '5 credits or more' },
  });
  expect((await gateway.runAction(call, callContext())).body).not.toHaveProperty('attached');
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

describe('a data folder that goes while the process runs', () => {
  it.each([
    ['is deleted', (folder: string) => rm(join(folder, 'gateway.db'))],
    ['is replaced', (folder: string) => rename(join(folder, 'other.db'), join(folder, 'gateway.db'))],
  ])('%s: nothing is sent', async (_, change) => {
    const { gateway, upstream, folder } = await started();
    new Libsql(join(folder, 'other.db')).exec('create table a (b)');
    await change(folder);
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE' },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });
});

it('integers that reading has changed are refused', async () => {
  const { gateway, upstream } = await startGateway({ actions: [list] });
  const params: unknown = JSON.parse('{"id": 9007199254740993, "size": 9007199254740991}');
  const { body } = await gateway.runAction({ ...call, params: { filter: params } }, callContext());
  expect(body).toMatchObject({ error: { code: 'INVALID_PARAMS', issues: [{ path: 'filter.id' }] } });
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
});

/** Of a service that could look for neither the request nor its key. */
const databaseIsDown = JSON.stringify({
  status: 'error',
  error: { code: 'EXECUTION_FAILED', message: 'The database does not work; no credits were deducted' },
});

describe('a service that takes idempotency keys', () => {
  /** Forwards to the upstream, announces the extension, and carries requests with one key out once. */
  async function startKeyed(loseAnswers: number, breaks?: 'before' | 'after', failRepeats = 0) {
    const upstream = await scriptedUpstream({ actions: [list] });
    const answers = new Map<string, { status: number; text: string }>();
    const keys: string[] = [];
    let toLose = loseAnswers;
    let toFail = failRepeats;
    /** Connections that have carried a request. */
    const used = new WeakSet<Socket>();
    const broken: Socket[] = [];
    const forward = async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const key = request.headers['idempotency-key'];
      const known = typeof key === 'string' ? answers.get(key) : undefined;
      if (typeof key === 'string') keys.push(key);
      const { socket } = request;
      // The first POST that comes on a kept connection finds it broken.
      const isBreaking =
        breaks !== undefined && typeof key === 'string' && used.has(socket) && broken.length === 0;
      used.add(socket);
      if (isBreaking) broken.push(socket);
      if (isBreaking && breaks === 'before') {
        socket.resetAndDestroy();
        return;
      }
      let answer = known;
      if (answer === undefined) {
        const forwarded = await fetch(`${upstream.origin}${request.url}`, {
          method: request.method ?? 'GET',
          headers: { 'x-api-key': upstream.apiKey, 'content-type': 'application/json' },
          ...(request.method === 'POST' && { body: Buffer.concat(chunks).toString() }),
        });
        answer = { status: forwarded.status, text: await forwarded.text() };
        if (typeof key === 'string') answers.set(key, answer);
      }
      if (known !== undefined && toFail > 0) {
        toFail -= 1;
        answer = { status: 500, text: databaseIsDown };
      }
      if (isBreaking || (typeof key === 'string' && toLose > 0)) {
        toLose -= 1;
        response.destroy();
        return;
      }
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        'svc-extensions': 'idempotency, usage',
      });
      response.end(answer.text);
    };
    const server = createServer((request, response) => void forward(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const folder = await temporaryFolder();
    const keyed = { origin: `http://127.0.0.1:${port}`, apiKey: upstream.apiKey };
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { upstream, folder, keyed, keys, broken, close };
  }

  it('is asked again by the same key when an answer is lost, and charges once', async () => {
    const { upstream, folder, keyed, keys, close } = await startKeyed(2);
    const { gateway } = openGateway(keyed, folder);
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    close();
  });

  it('goes with the first paid call of a process that has listed its actions from disk', async () => {
    const { upstream, folder, keyed, keys, close } = await startKeyed(1);
    const first = openGateway(keyed, folder).gateway;
    await first.listing();
    await first.close();
    const { gateway } = openGateway(keyed, folder);
    await gateway.listing();
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    expect(upstream.requestsTo('listIdentities')).toHaveLength(1);
    close();
  });

  it.each([
    ['before the request was carried out', 'before'],
    ['after the request was carried out', 'after'],
  ] as const)('gets it again by the same key when a kept connection breaks %s', async (_when, breaks) => {
    const { upstream, folder, keyed, keys, broken, close } = await startKeyed(0, breaks);
    const { gateway } = openGateway(keyed, folder);
    await gateway.listing();
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
    expect(broken).toHaveLength(1);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    close();
  });

  it('resolves a doubt when the same call comes again', async () => {
    const { upstream, folder, keyed, keys, close } = await startKeyed(3);
    const { gateway } = openGateway(keyed, folder);
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'unknown' });
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject({ status: 'completed', attached: true });
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    close();
  });

  it('is asked again by the same key rather than gone past when a person resubmits', async () => {
    const { upstream, folder, keyed, keys, close } = await startKeyed(3);
    const { gateway } = openGateway(keyed, folder);
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'unknown' });
    const again = await gateway.runAction({ ...call, resubmit: true }, callContext());
    expect(again.body).toMatchObject({ status: 'completed', attached: true });
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    close();
  });

  it('is not asked again after the deadline, as by a process that stood still; the same call later is', async () => {
    const { upstream, folder, keyed, keys, close } = await startKeyed(1);
    const { gateway } = openGateway(keyed, folder);
    const running = gateway.runAction(call, callContext());
    await expect.poll(() => keys).toHaveLength(1);
    const store = new Libsql(join(folder, 'gateway.db'));
    store.exec('update gateway_intent set deadline = 0');
    store.close();
    expect((await running).body).toMatchObject({ status: 'unknown' });
    expect(keys).toHaveLength(1);
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject({ status: 'completed', attached: true });
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    close();
  });

  it('leaves the doubt where its repeats fail: what they say does not hold for the first request', async () => {
    const { upstream, folder, keyed, keys, close } = await startKeyed(1, undefined, 2);
    const { gateway } = openGateway(keyed, folder);
    expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'unknown' });
    expect(keys).toHaveLength(3);
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject({ status: 'completed', attached: true });
    expect(new Set(keys).size).toBe(1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    close();
  });
});
