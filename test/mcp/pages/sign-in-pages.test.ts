/** What the sign-in pages let in and what they show, over real HTTP. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  closePages,
  csrfTokenAt,
  formType,
  pageRequest,
  send,
  startPage,
  startPages,
  submitForm,
} from '../../support/sign-in-pages.ts';

afterEach(closePages);

const right = ['a@b.example', 'right'];

describe('an address', () => {
  it('is random, on loopback, and of at least 128 bits', async () => {
    const { pages, listener } = startPages();
    const addresses = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        listener.getAddress(await pages.open(pageRequest({ identityName: `account-${index}` }))),
      ),
    );
    expect(new Set(addresses).size).toBe(20);
    for (const address of addresses) {
      const { hostname, pathname } = new URL(address);
      expect(hostname).toBe('127.0.0.1');
      expect(Buffer.from(pathname.split('/').at(-1) ?? '', 'base64url').length).toBeGreaterThanOrEqual(16);
    }
  });

  it('is the same again for the same account while it is pending, and another for another', async () => {
    const { pages } = startPages();
    const first = await pages.open(pageRequest());
    expect((await pages.open(pageRequest())).id).toBe(first.id);
    expect((await pages.open(pageRequest({ identityName: 'work' }))).id).not.toBe(first.id);
    expect((await pages.open(pageRequest({ principal: 'other' }))).id).not.toBe(first.id);
    await first.end();
    expect((await pages.open(pageRequest())).id).not.toBe(first.id);
  });

  it('that was never issued shows nothing of any page', async () => {
    const { address } = await startPage();
    const { status, text } = await send(`${address.slice(0, -3)}AAA`);
    expect(status).toBe(404);
    expect(text).not.toContain('Shop');
    expect((await send(new URL('/', address).href)).status).toBe(404);
  });

  it('stays usable for a browser that opens it again, and after a wrong password', async () => {
    const tried: unknown[] = [];
    const { page, address } = await startPage({
      signIn: async (params) => {
        tried.push(params);
        if (params.password !== 'right') throw new Error('Wrong, that was.');
        return { status: 'verified' };
      },
    });
    for (let times = 0; times < 3; times += 1) expect((await send(address)).status).toBe(200);
    expect((await submitForm(address, ['a@b.example', 'wrong'])).status).toBe(303);
    await vi.waitUntil(() => page.failure !== undefined, 20_000);
    const again = await send(address);
    expect(again.text).toContain('Wrong, that was.');
    expect(again.text).toContain('value="a@b.example"');
    expect(again.text).not.toContain('value="wrong"');
    await submitForm(address, [...right, '', '12', 'true']);
    await page.ended;
    expect(tried).toEqual([
      { email: 'a@b.example', password: 'wrong', remember: false },
      { email: 'a@b.example', password: 'right', branch: 12, remember: true },
    ]);
  });

  it('that was used says so, and takes nothing more', async () => {
    const signIn = vi.fn(async () => ({ status: 'verified' }));
    const { page, address } = await startPage({ signIn });
    const token = await csrfTokenAt(address);
    await submitForm(address, right);
    await page.ended;
    expect((await send(address)).text).toContain('You are signed in');
    const reused = await send(address);
    expect([reused.status, reused.text]).toEqual([410, expect.stringContaining('has been used')]);
    const body = new URLSearchParams({ csrf_token: token, 'field-1': 'x' }).toString();
    expect((await send(address, { method: 'POST', headers: formType, body })).status).toBe(410);
    expect(signIn).toHaveBeenCalledTimes(1);
  });

  it('that has expired says so, and takes nothing more', async () => {
    const signIn = vi.fn(async () => ({ status: 'verified' }));
    const { page, address } = await startPage({ signIn }, { lifetimeMs: 300 });
    const token = await csrfTokenAt(address);
    expect(await page.ended).toBe('expired');
    const late = await send(address);
    expect([late.status, late.text]).toEqual([410, expect.stringContaining('has expired')]);
    const body = new URLSearchParams({ csrf_token: token, 'field-1': 'x' }).toString();
    expect((await send(address, { method: 'POST', headers: formType, body })).status).toBe(410);
    expect(signIn).not.toHaveBeenCalled();
  });
});

describe('while the sign-in is tried', () => {
  it('the page refreshes itself, and a second submission starts no second sign-in', async () => {
    let finish: (answer: { status: string }) => void = () => undefined;
    const signIn = vi.fn(
      () =>
        new Promise<{ status: string }>((resolve) => {
          finish = resolve;
        }),
    );
    const { page, address } = await startPage({ signIn });
    const token = await csrfTokenAt(address);
    const body = new URLSearchParams({ csrf_token: token, 'field-0': 'a', 'field-1': 'right' }).toString();
    const posts = await Promise.all(
      [1, 2, 3].map(() => send(address, { method: 'POST', headers: formType, body })),
    );
    expect(posts.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new URL(String(posts[0]?.headers.location), address).href).toBe(address);
    expect((await send(address)).text).toMatch(/http-equiv="refresh"/);
    finish({ status: 'verified' });
    expect(await page.ended).toBe('verified');
    expect(signIn).toHaveBeenCalledTimes(1);
  });
});

describe('a request', () => {
  it.each([
    ['GET', 'evil.example'],
    ['GET', '127.0.0.1'],
    ['POST', 'evil.example:80'],
  ])('with a foreign Host is refused (%s %s)', async (method, host) => {
    const { address } = await startPage();
    const { status, text } = await send(address, { method, headers: { host, ...formType } });
    expect(status).toBe(403);
    expect(text).not.toContain('Shop');
  });

  it.each<[string, object]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
    ['of a hidden origin across sites', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['of a hidden origin on the same site', { origin: 'null', 'sec-fetch-site': 'same-site' }],
    ['of another type', { 'content-type': 'text/plain' }],
  ])('%s is refused even if everything else is right', async (_, headers) => {
    const signIn = vi.fn(async () => ({ status: 'verified' }));
    const { address } = await startPage({ signIn });
    expect((await submitForm(address, right, headers)).status).toBe(403);
    expect(signIn).not.toHaveBeenCalled();
  });

  it('as browsers send it from a page without a referrer is taken', async () => {
    const { page, address } = await startPage();
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };
    expect((await submitForm(address, right, headers)).status).toBe(303);
    expect(await page.ended).toBe('verified');
  });

  it.each(['', 'csrf_token=', `csrf_token=${'A'.repeat(43)}`])(
    'without the token is refused (%s)',
    async (token) => {
      const signIn = vi.fn(async () => ({ status: 'verified' }));
      const { address } = await startPage({ signIn });
      const headers = { ...formType, origin: new URL(address).origin };
      const body = `${token}&field-0=a&field-1=b`;
      expect((await send(address, { method: 'POST', headers, body })).status).toBe(403);
      expect(signIn).not.toHaveBeenCalled();
    },
  );

  it("with another page's token is refused", async () => {
    const { pages, listener, address } = await startPage();
    const other = await listener.getAddress(await pages.open(pageRequest({ identityName: 'other' })));
    const body = `csrf_token=${await csrfTokenAt(other)}&field-0=a&field-1=b`;
    expect((await send(address, { method: 'POST', headers: formType, body })).status).toBe(403);
  });

  it('larger than a sign-in can be is refused', async () => {
    const { address } = await startPage();
    expect((await submitForm(address, ['a'.repeat(70_000), 'b'])).status).toBe(413);
  });
});

describe('every answer', () => {
  it('keeps itself out of caches, frames, referrers and scripts', async () => {
    const { address } = await startPage();
    const answers = [
      await send(address),
      await send(`${address}x`),
      await send(new URL('style.css', address).href),
      await send(address, { headers: { host: 'evil.example' } }),
      await submitForm(address, right),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 403, 303]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|script-src|\*/);
    }
  });

  it('has no script and no inline style, labels every field, masks secrets and escapes what is not ours', async () => {
    const { address } = await startPage();
    const { text } = await send(address);
    expect(text).not.toMatch(/<script|<style|style=|javascript:|\son\w+=/i);
    expect(text).toContain('The &lt;b&gt;Shop&lt;/b&gt;');
    for (const index of [0, 1, 2, 3, 4]) {
      expect(text).toContain(`for="field-${index}"`);
      expect(text).toContain(`id="field-${index}"`);
    }
    const typeOf = (index: number) =>
      new RegExp(`id="field-${index}"[^>]*?type="(\\w+)"|type="(\\w+)" id="field-${index}"`).exec(text);
    expect([0, 1, 2, 3, 4].map((index) => typeOf(index)?.slice(1).find(Boolean))).toEqual([
      'text',
      'password',
      'password',
      'number',
      'checkbox',
    ]);
  });
});

describe('the listener', () => {
  it('exists only while a page is pending, and shortly after', async () => {
    const { page, pages, listener, address } = await startPage({}, { lingerMs: 50 });
    const other = await pages.open(pageRequest({ identityName: 'other' }));
    expect(new URL(await listener.getAddress(other)).port).toBe(new URL(address).port);
    await page.end();
    expect((await send(await listener.getAddress(other))).status).toBe(200);
    await other.end();
    await vi.waitUntil(
      () =>
        send(address).then(
          () => false,
          (error: { code?: string }) => error.code === 'ECONNREFUSED',
        ),
      20_000,
    );
    const next = await listener.getAddress(await pages.open(pageRequest()));
    expect((await send(next)).status).toBe(200);
  });

  it.each([
    ['used', 'has been used'],
    ['expired', 'has expired'],
  ])('is there a minute longer for who opens a link late that was %s', async (how, words) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { page, address } = await startPage();
      if (how === 'used') await submitForm(address, right);
      else await page.end();
      await page.ended;
      // The person at the page learns how it went; everybody later what became of the link.
      if (how === 'used') expect((await send(address)).text).toContain('cannot be used again');
      await vi.advanceTimersByTimeAsync(59_000);
      expect(await send(address)).toMatchObject({ status: 410, text: expect.stringContaining(words) });
      await vi.advanceTimersByTimeAsync(2_000);
      await vi.waitUntil(
        () =>
          send(address).then(
            () => false,
            (error: { code?: string }) => error.code === 'ECONNREFUSED',
          ),
        20_000,
      );
    } finally {
      vi.useRealTimers();
    }
  });
});

it('a form that is sent in chunks is read, and one without end is refused', async () => {
  const tried: unknown[] = [];
  const { address } = await startPage({
    signIn: async (params) => {
      tried.push(params);
      return { status: 'verified' };
    },
  });
  const form = new URLSearchParams({ csrf_token: await csrfTokenAt(address) });
  for (const [index, value] of right.entries()) form.set(`field-${index}`, value);
  const post = (chunks: readonly string[]) => {
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      redirect: 'manual',
      headers: { ...formType, origin: new URL(address).origin },
      body: new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
          controller.close();
        },
      }),
      duplex: 'half',
    };
    return fetch(address, init);
  };
  expect((await post(Array.from({ length: 80 }, () => 'x'.repeat(1_000)))).status).toBe(413);
  const text = form.toString();
  expect((await post([text.slice(0, 9), text.slice(9)])).status).toBe(303);
  expect(tried).toMatchObject([{ password: 'right' }]);
});
