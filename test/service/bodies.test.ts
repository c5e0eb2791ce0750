/** Bodies of requests as clients send them: with a length, in chunks, too large, or before the service knows who asks. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { action, catalog, sourceOf, startTestService, type TestService } from '../support/service.ts';

const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books' })] });
let service: TestService;
afterEach(() => service.close());
const start = async () => {
  service = await startTestService({ catalogs: sourceOf(shop) });
};

interface Post {
  readonly path?: string;
  readonly key?: string;
  readonly type?: string;
}
type Answer = readonly [status: number, text: string];
type Send = (text: string, post?: Post) => Promise<Answer>;

const toHeaders = ({ key = service.apiKey, type = 'application/json' }: Post) => ({
  'x-api-key': key,
  'content-type': type,
});
const pieces = (text: string): string[] => text.match(/.{1,65536}/gs) ?? [];

const sendByNode =
  (headers: (text: string) => Record<string, string | number>): Send =>
  async (text, post = {}) => {
    const url = `${service.baseUrl}${post.path ?? '/v1/svc/task'}`;
    const sending = httpRequest(url, { method: 'POST', headers: { ...toHeaders(post), ...headers(text) } });
    const answered = once(sending, 'response');
    for (const piece of pieces(text)) sending.write(piece);
    sending.end();
    const [response] = await answered;
    let answer = '';
    for await (const chunk of response) answer += chunk;
    return [response.statusCode, answer];
  };

const sendByFetch =
  (toBody: (text: string) => string | ReadableStream): Send =>
  async (text, post = {}) => {
    const response = await fetch(`${service.baseUrl}${post.path ?? '/v1/svc/task'}`, {
      method: 'POST',
      headers: toHeaders(post),
      body: toBody(text),
      duplex: 'half',
    });
    return [response.status, await response.text()];
  };

/** Reads nothing before it has written everything. */
const sendRaw: Send = async (text, post = {}) => {
  const { port, host } = new URL(service.baseUrl);
  const socket = connect(Number(port), '127.0.0.1').pause();
  const headers = Object.entries(toHeaders(post)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${post.path ?? '/v1/svc/task'} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n`;
  socket.write(`${head}${headers.join('')}transfer-encoding: chunked\r\n\r\n`);
  const chunks = pieces(text).map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(`${chunks.join('')}0\r\n\r\n`, () => resolve());
  });
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return [Number(answer.split(' ')[1]), answer];
};

const clients: readonly (readonly [string, Send])[] = [
  ['node:http with a length', sendByNode((text) => ({ 'content-length': Buffer.byteLength(text) }))],
  ['node:http in chunks', sendByNode(() => ({ 'transfer-encoding': 'chunked' }))],
  ['fetch with a length', sendByFetch((text) => text)],
  ['fetch in chunks', sendByFetch((text) => new Blob(pieces(text)).stream())],
  ['a socket in chunks', sendRaw],
];
const task = JSON.stringify({ action_id: 'books' });
const large = JSON.stringify({ action_id: 'books', params: { text: 'x'.repeat(8_000_000) } });

describe.each(clients)('%s', (_name, send) => {
  it('submits a task', async () => {
    await start();
    const [status, text] = await send(task);
    expect([status, text]).toEqual([202, expect.stringContaining('"job_id"')]);
  });

  it('sees the 413 of a body that is too large', async () => {
    await start();
    const [status, text] = await send(large);
    expect([status, text]).toEqual([413, expect.stringContaining('BODY_TOO_LARGE')]);
    // The service goes on.
    expect((await send(task))[0]).toBe(202);
  });

  it('with a wrong key sees the 401, however large its body is', async () => {
    await start();
    const [status, text] = await send(large, { key: 'svc_wrong' });
    expect([status, text]).toEqual([401, expect.stringContaining('UNAUTHORIZED')]);
  });

  it('posts a form to the console', async () => {
    await start();
    const post = { path: '/console/sign-in', type: 'application/x-www-form-urlencoded' };
    const [status, text] = await send('api_key=svc_wrong', post);
    expect([status, text]).toEqual([403, expect.stringContaining('This form is too old')]);
    expect((await send(`api_key=${'x'.repeat(2_000_000)}`, post))[0]).toBe(413);
  });
});

it('a wrong key is refused, though the body never ends', async () => {
  await start();
  const sending = httpRequest(`${service.baseUrl}/v1/svc/task`, {
    method: 'POST',
    headers: { ...toHeaders({ key: 'svc_wrong' }), 'transfer-encoding': 'chunked' },
  });
  const answered = once(sending, 'response');
  sending.write('{');
  const [response] = await answered;
  expect(response.statusCode).toBe(401);
  sending.destroy();
});
