/** Bodies that are too large or come before the server knows who asks: the refusal reaches every client. */
import { afterEach, describe, expect, it } from 'vitest';
import { bodyClients } from '../../support/body-clients.ts';
import { closeHttp, jsonHeaders, serveHttp, standalone } from '../../support/http.ts';
import { closePages, csrfTokenAt, formType, startPage } from '../../support/sign-in-pages.ts';

afterEach(async () => {
  await closeHttp();
  await closePages();
});

const tries = 10;
const large = 'x'.repeat(4 * 1024 * 1024);

describe.each(bodyClients)('%s', (_name, send) => {
  it('sees the 413 of an MCP request that is too large, every time', async () => {
    const { server } = await serveHttp();
    for (let time = 0; time < tries; time += 1) {
      const [status, text] = await send(`${server.origin}/mcp`, jsonHeaders, JSON.stringify(large));
      expect([status, text]).toEqual([413, expect.stringContaining('1048576 bytes')]);
    }
    const { status } = await fetch(`${server.origin}/mcp`, standalone('tools/list'));
    expect(status).toBe(200);
  });

  it('sees the 413 of a message to a stream that is too large', async () => {
    const { server } = await serveHttp();
    const [status] = await send(`${server.origin}/messages`, jsonHeaders, JSON.stringify(large));
    expect(status).toBe(413);
  });

  it('sees the 401 of a large MCP request without a key, and the 415 of another type', async () => {
    const { server } = await serveHttp({ access: { sharedKey: undefined, token: undefined } });
    for (let time = 0; time < tries; time += 1) {
      expect((await send(`${server.origin}/mcp`, jsonHeaders, large))[0]).toBe(401);
      const key = { 'x-api-key': 'key-of-a', 'content-type': 'text/plain' };
      expect((await send(`${server.origin}/mcp`, key, large))[0]).toBe(415);
    }
  });

  it('sees the 413 of a sign-in form that is too large, every time', async () => {
    const { address } = await startPage();
    const headers = { ...formType, origin: new URL(address).origin };
    for (let time = 0; time < tries; time += 1) {
      const [status, text] = await send(address, headers, `field-0=${large}`);
      expect([status, text]).toEqual([413, expect.stringContaining('The form is too large')]);
    }
    const form = `csrf_token=${await csrfTokenAt(address)}&field-0=a%40b.example&field-1=right`;
    expect((await send(address, headers, form))[0]).toBe(303);
  });
});
