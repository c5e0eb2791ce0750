import { Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunBody } from '../../src/gateway/interface/outcomes.ts';
import { Connection, Deliveries, DeliveryRecords } from '../../src/mcp/calls/delivery.ts';
import { completed, FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { connectPiped, endAllPipes, eras, modeOf, recordingLogger, servePiped } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

/** Lets every pending promise and stream go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A message that comes so long after an answer is one of a client that has read it. */
const reaction = () => new Promise((resolve) => setTimeout(resolve, 150));

const answer = { jsonrpc: '2.0' as const, id: 7, result: {} };
const failure = { jsonrpc: '2.0' as const, id: 7, error: { code: -32603, message: 'no' } };

const arrived = Promise.resolve();

/** One answer with the id 7 over one connection, by a clock that stands still until the test moves it. */
function setUp() {
  let now = 0;
  const logger = recordingLogger();
  const records = new DeliveryRecords(logger, { now: () => now, monotonic: () => now });
  const connection = new Connection(records);
  const deliveries = new Deliveries(records);
  const request = new AbortController();
  const delivered = vi.fn(async () => {});
  const unconfirmed = vi.fn(async () => {});
  deliveries.expect(7, request.signal, { delivered, unconfirmed });
  return {
    ...{ logger, records, connection, deliveries, request, delivered, unconfirmed },
    follow: (message: JSONRPCMessage, written: Promise<unknown>, cancellable = true) =>
      deliveries.follow(message, { connection, written, cancellable }),
    pass: (ms: number) => {
      now += ms;
    },
    /** The client sends something, long after whatever was written. */
    react: async () => {
      await deliveries.whenSettled();
      now += 100;
      connection.received();
      await deliveries.whenSettled();
    },
  };
}

describe('a delivery', () => {
  const deferred = () => {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  };

  it('follows the write and the next message, once, and is waited for', async () => {
    const { deliveries, delivered, follow, pass, connection, react } = setUp();
    const write = deferred();
    const record = deferred();
    delivered.mockReturnValue(record.promise);
    follow(answer, write.promise);
    pass(1_000);
    connection.received();
    await turn();
    expect(delivered).not.toHaveBeenCalled();
    write.resolve();
    await turn();
    pass(100);
    connection.received();
    expect(delivered).toHaveBeenCalledOnce();
    let isSettled = false;
    const settled = deliveries.whenSettled().then(() => {
      isSettled = true;
    });
    await turn();
    expect(isSettled).toBe(false);
    record.resolve();
    await settled;
    follow(answer, arrived);
    await react();
    expect(delivered).toHaveBeenCalledOnce();
  });

  it('does not follow what was cancelled before, or while it was written', async () => {
    const before = setUp();
    before.request.abort();
    before.follow(answer, arrived);
    await before.react();
    expect(before.delivered).not.toHaveBeenCalled();

    const during = setUp();
    during.follow(answer, arrived);
    during.request.abort();
    await during.react();
    expect(during.delivered).not.toHaveBeenCalled();
  });

  it('follows what was written where the signal ends with every answer', async () => {
    const { follow, request, delivered, react } = setUp();
    follow(answer, arrived, false);
    request.abort();
    await react();
    expect(delivered).toHaveBeenCalledOnce();
  });

  it('is not waited for when the client left in the middle of the write', async () => {
    const { deliveries, delivered, follow, request } = setUp();
    follow(answer, new Promise(() => {}));
    request.abort();
    await deliveries.whenSettled();
    expect(delivered).not.toHaveBeenCalled();
  });

  it('is not expected of a request that was cancelled already', async () => {
    const { deliveries, follow, react } = setUp();
    const delivered = vi.fn(async () => {});
    deliveries.expect(8, AbortSignal.abort(), { delivered });
    follow({ ...answer, id: 8 }, arrived);
    await react();
    expect(delivered).not.toHaveBeenCalled();
  });

  it('does not follow a failed write, another answer or an error', async () => {
    const { delivered, follow, react } = setUp();
    follow({ ...answer, id: 8 }, arrived);
    await react();
    expect(delivered).not.toHaveBeenCalled();
    follow(answer, Promise.reject(new Error('EPIPE')));
    await react();
    follow(answer, arrived);
    await react();
    expect(delivered).not.toHaveBeenCalled();

    const refused = setUp();
    refused.follow(failure, arrived);
    refused.follow(answer, arrived);
    await refused.react();
    expect(refused.delivered).not.toHaveBeenCalled();
  });

  it('that cannot be recorded is logged', async () => {
    const { follow, delivered, logger, react } = setUp();
    delivered.mockRejectedValueOnce(new Error('disk full'));
    follow(answer, arrived);
    await react();
    expect(logger.lines).toMatchObject([{ level: 'error' }]);
  });

  it('is confirmed by a message that comes 100 ms after the answer, not before', async () => {
    const { deliveries, connection, delivered, unconfirmed, follow, pass } = setUp();
    follow(answer, arrived);
    await deliveries.whenSettled();
    pass(99);
    connection.received();
    expect(delivered).not.toHaveBeenCalled();
    pass(1);
    connection.received();
    connection.received();
    connection.end('left');
    expect(delivered).toHaveBeenCalledOnce();
    expect(unconfirmed).not.toHaveBeenCalled();
  });

  it('is confirmed by five seconds connected', async () => {
    vi.useFakeTimers();
    try {
      const { deliveries, delivered, follow, pass } = setUp();
      follow(answer, arrived);
      await deliveries.whenSettled();
      pass(5_000);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(delivered).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });

  it('stays unconfirmed where the client leaves at once, also in the moment of the write', async () => {
    const { deliveries, connection, delivered, unconfirmed, follow, react } = setUp();
    follow(answer, arrived);
    await deliveries.whenSettled();
    connection.end('left');
    expect(unconfirmed).toHaveBeenCalledOnce();
    deliveries.expect(7, new AbortController().signal, { delivered, unconfirmed });
    follow(answer, arrived);
    await react();
    expect(unconfirmed).toHaveBeenCalledTimes(2);
    expect(delivered).not.toHaveBeenCalled();
  });

  it('is unconfirmed where the client cancels what was answered, whatever comes later', async () => {
    const { deliveries, connection, delivered, unconfirmed, follow, pass } = setUp();
    follow(answer, arrived);
    await deliveries.whenSettled();
    pass(1_000);
    deliveries.cancelled(8);
    new Deliveries(new DeliveryRecords(recordingLogger())).cancelled(7);
    expect(unconfirmed).not.toHaveBeenCalled();
    deliveries.cancelled(7);
    connection.received();
    pass(10_000);
    connection.received();
    connection.end('left');
    expect(unconfirmed).toHaveBeenCalledOnce();
    expect(delivered).not.toHaveBeenCalled();
  });

  it('is unconfirmed by a cancel soon after it was confirmed, not by a late one', async () => {
    const { deliveries, delivered, unconfirmed, follow, pass, react } = setUp();
    follow(answer, arrived);
    await react();
    expect(delivered).toHaveBeenCalledOnce();
    deliveries.cancelled(7);
    expect(unconfirmed).toHaveBeenCalledOnce();
    deliveries.cancelled(7);
    expect(unconfirmed).toHaveBeenCalledOnce();

    deliveries.expect(7, new AbortController().signal, { delivered, unconfirmed });
    follow(answer, arrived);
    await react();
    pass(5_000);
    deliveries.cancelled(7);
    expect(delivered).toHaveBeenCalledTimes(2);
    expect(unconfirmed).toHaveBeenCalledOnce();
  });

  it('is neither confirmed nor unconfirmed where the client cancels it while it is written', async () => {
    const { deliveries, delivered, unconfirmed, follow, react } = setUp();
    const write = deferred();
    // Over HTTP nothing but the message tells of it.
    follow(answer, write.promise, false);
    deliveries.cancelled(7);
    write.resolve();
    await react();
    expect(delivered).not.toHaveBeenCalled();
    expect(unconfirmed).not.toHaveBeenCalled();
  });

  it('is neither confirmed nor unconfirmed where the connection is reset, whatever comes later', async () => {
    const { deliveries, connection, delivered, unconfirmed, follow, react } = setUp();
    follow(answer, arrived);
    await deliveries.whenSettled();
    connection.end('reset');
    deliveries.expect(7, new AbortController().signal, { delivered, unconfirmed });
    follow(answer, arrived);
    await react();
    expect(delivered).not.toHaveBeenCalled();
    expect(unconfirmed).not.toHaveBeenCalled();
  });

  it('stays unconfirmed at a shutdown, which waits for the record', async () => {
    const { deliveries, records, unconfirmed, follow } = setUp();
    const record = deferred();
    unconfirmed.mockReturnValue(record.promise);
    follow(answer, arrived);
    await deliveries.whenSettled();
    let isClosed = false;
    const closed = records.close().then(() => {
      isClosed = true;
    });
    await turn();
    expect(unconfirmed).toHaveBeenCalledOnce();
    expect(isClosed).toBe(false);
    record.resolve();
    await closed;
  });
});

describe.each(eras)('an outcome in the %s era', (era) => {
  const mode = modeOf(era);

  function delivering(body: RunBody = completed) {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const delivered = vi.fn(async () => {});
    gateway.onRun = async () => ({ body, delivered });
    return { gateway, delivered };
  }

  it('is delivered once when the client has it', async () => {
    const { gateway, delivered } = delivering();
    const { client } = await connectPiped(gateway, mode);
    await client.callTool({ name: 'shop_a' });
    await reaction();
    expect(delivered).not.toHaveBeenCalled();
    await client.listTools();
    await expect.poll(() => delivered).toHaveBeenCalledOnce();
  });

  it('is recorded before the next call begins', async () => {
    const { gateway, delivered } = delivering();
    let record = () => {};
    delivered.mockImplementationOnce(
      () =>
        new Promise<void>((resolve) => {
          record = resolve;
        }),
    );
    const { client } = await connectPiped(gateway, mode);
    await client.callTool({ name: 'shop_a' });
    await reaction();
    const again = client.callTool({ name: 'shop_a' });
    await client.listTools();
    expect(delivered).toHaveBeenCalledOnce();
    expect(gateway.calls).toHaveLength(1);
    record();
    await again;
    expect(gateway.calls).toHaveLength(2);
  });

  it('is not delivered after a cancel', async () => {
    const { gateway, delivered } = delivering();
    // It ends well in spite of the cancel, as a job does.
    gateway.onRun = ({ context }) =>
      new Promise((resolve) =>
        context.signal.addEventListener('abort', () => resolve({ body: completed, delivered })),
      );
    const { client } = await connectPiped(gateway, mode);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'shop_a' }, { signal: cancel.signal });
    await expect.poll(() => gateway.calls).toHaveLength(1);
    cancel.abort();
    await expect(call).rejects.toThrow('aborted');
    await client.listTools();
    await turn();
    expect(delivered).not.toHaveBeenCalled();
  });

  it('is not delivered to a client that left', async () => {
    const { gateway, delivered } = delivering();
    gateway.onRun = ({ context }) =>
      new Promise((resolve) =>
        context.signal.addEventListener('abort', () => resolve({ body: completed, delivered })),
      );
    const { client, toServer, served } = await connectPiped(gateway, mode);
    const call = client.callTool({ name: 'shop_a' }).catch(() => 'gone');
    await expect.poll(() => gateway.calls).toHaveLength(1);
    toServer.end();
    await served;
    expect(delivered).not.toHaveBeenCalled();
    await client.close();
    expect(await call).toBe('gone');
  });

  it('is not delivered when it could not be written, and the client hears of that', async () => {
    let texts = 0;
    const data = {
      toJSON: () => {
        texts += 1;
        // The text inside the message still succeeds, the message does not.
        if (texts > 1) throw new RangeError('Maximum call stack size exceeded');
        return {};
      },
    };
    const { gateway, delivered } = delivering({ ...completed, data });
    const { client } = await connectPiped(gateway, mode);
    await expect(client.callTool({ name: 'shop_a' })).rejects.toMatchObject({ code: -32603 });
    await client.listTools();
    await turn();
    expect(texts).toBe(2);
    expect(delivered).not.toHaveBeenCalled();
  });
});

describe('a client that does not read', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'shop_a', arguments: {} } };

  function stalled(delivered: () => Promise<void>) {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.onRun = async () => ({ body: completed, delivered });
    const writes: { text: string; done: (error?: Error) => void }[] = [];
    const stdout = new Writable({
      write: (chunk: Buffer, _, done) => void writes.push({ text: chunk.toString(), done }),
    });
    const pipe = servePiped(gateway, { stdout });
    pipe.toServer.write(`${JSON.stringify(call)}\n`);
    return { ...pipe, writes };
  }

  it('has nothing delivered until it reads', async () => {
    const delivered = vi.fn(async () => {});
    const { writes, toServer } = stalled(delivered);
    await expect.poll(() => writes).toHaveLength(1);
    expect(writes[0]?.text).toContain('job-1');
    expect(delivered).not.toHaveBeenCalled();
    writes[0]?.done();
    await reaction();
    toServer.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    await expect.poll(() => delivered).toHaveBeenCalledOnce();
  });

  it('has nothing delivered when it cancels instead', async () => {
    const delivered = vi.fn(async () => {});
    const { writes, toServer } = stalled(delivered);
    await expect.poll(() => writes).toHaveLength(1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    toServer.write(
      `${JSON.stringify(cancel)}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`,
    );
    // Whatever the order of the answers: the cancel was read before the ping.
    await turn();
    await turn();
    writes[0]?.done();
    await expect.poll(() => writes).toHaveLength(2);
    expect(delivered).not.toHaveBeenCalled();
  });

  it('has nothing delivered when its pipe breaks', async () => {
    const delivered = vi.fn(async () => {});
    const { writes, served } = stalled(delivered);
    await expect.poll(() => writes).toHaveLength(1);
    writes[0]?.done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await served;
    expect(delivered).not.toHaveBeenCalled();
  });
});
