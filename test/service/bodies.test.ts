/** Bodies of requests as clients send them: with a length, in chunks, too large, or before the service knows who asks. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { bodyClients } from '../support/body-clients.ts';
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
const toHeaders = ({ key = service.apiKey, type = 'application/json' }: Post) => ({
  'x-api-key': key,
  'content-type': type,
});
const task = JSON.stringify({ action_id: 'books' });
const large = JSON.stringify({ action_id: 'books', params: { text: 'x'.repeat(8_000_000) } });

describe.each(bodyClients)('%s', (_name, sendBody) => {
  const send = (text: string, post: Post = {}) =>
    sendBody(`${service.baseUrl}${post.path ?? '/v1/svc/task'}`, toHeaders(post), text);

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
