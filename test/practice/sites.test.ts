/** The practice sites as a person's browser meets them. */
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPracticeSites } from '../../src/practice/sites/practice-sites.ts';

const globals = [globalThis.Request, globalThis.Response];
let sites: Awaited<ReturnType<typeof startPracticeSites>>;
beforeAll(async () => {
  sites = await startPracticeSites();
});
afterAll(() => sites.close());

const get = (path: string, init?: RequestInit) =>
  fetch(new URL(path, sites.origin), { redirect: 'manual', ...init });

describe('the practice sites', () => {
  it('leave the globals alone that the MCP server in the same process uses', () => {
    expect(globalThis.Request).toBe(globals[0]);
    expect(globalThis.Response).toBe(globals[1]);
  });

  it('are whole: every link, image and feed that can be reached from the front page answers', async () => {
    const waiting = ['/', '/favicon.ico'];
    const seen = new Set(waiting);
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const response = await get(path);
      expect([200, 302, 303], path).toContain(response.status);
      const text = await response.text();
      const isPage = response.headers.get('content-type')?.startsWith('text/html') === true && text !== '';
      const html = load(isPage ? text : '');
      const links = html('a[href], img[src], link[href]')
        .toArray()
        .map((element) => html(element).attr('href') ?? html(element).attr('src') ?? '');
      for (const link of [...links, response.headers.get('location') ?? path]) {
        const url = new URL(link, new URL(path, sites.origin));
        const next = `${url.pathname}${url.search}`;
        if (url.origin !== sites.origin || seen.has(next)) continue;
        seen.add(next);
        waiting.push(next);
      }
      if (isPage) {
        expect(html('html').attr('lang'), path).toBe('en');
        expect(html('h1'), path).toHaveLength(1);
        expect(html('title').text(), path).not.toBe('');
      }
    }
    // Books, their covers, pages of the listing, stations and the members' pages.
    expect(seen.size).toBeGreaterThan(100);
  });

  it('answer what is not there with 404 and what they do not want fetched in robots.txt', async () => {
    for (const path of ['/nothing', '/bookshop/book/nothing', '/stations/nothing', '/quotes/api/quotes/999'])
      expect((await get(path)).status, path).toBe(404);
    expect(await (await get('/robots.txt')).text()).toContain('Disallow: /bookshop/basket');
  });

  it('never show what was typed as part of the page', async () => {
    const typed = '"><script>alert(1)</script>';
    const page = await (await get(`/bookshop/search?q=${encodeURIComponent(typed)}`)).text();
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script>');
  });

  it('have a title of two different names on the front page', async () => {
    const title = load(await (await get('/')).text())('title').text();
    expect(new Set(title.split(' · ')).size).toBe(2);
  });

  it.each(['/members/login', '/gallery/login'])('say on %s who can sign in', async (path) => {
    expect(load(await (await get(path)).text())('main p').text()).toMatch(
      /user name is demo.*password is demo/,
    );
  });

  it('take a sign-in only with the form’s own token', async () => {
    const form = await get('/members/login');
    const cookie = form.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const token = load(await form.text())('input[name=csrf_token]').attr('value') ?? '';
    const send = (fields: Record<string, string>, headers: Record<string, string>) =>
      get('/members/login', { method: 'POST', body: new URLSearchParams(fields), headers });
    const user = { username: 'demo', password: 'demo' };
    expect((await send({ ...user, csrf_token: 'other' }, { cookie })).status).toBe(403);
    expect((await send({ ...user, csrf_token: token }, {})).status).toBe(403);
    const signedIn = await send({ ...user, csrf_token: token }, { cookie });
    expect(signedIn.status).toBe(303);
    const session = signedIn.headers.getSetCookie().find((line) => line.startsWith('members_session=')) ?? '';
    const [value = ''] = session.split(';');
    expect((await get('/members/orders', { headers: { cookie: value } })).status).toBe(200);
    expect((await get('/members/orders', { headers: { cookie: `${value}x` } })).status).toBe(302);
    expect((await get('/members/orders')).status).toBe(302);
  });

  it('close at once, also while somebody waits for an answer', async () => {
    const own = await startPracticeSites();
    const login = await fetch(`${own.origin}/members/login`);
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const token = load(await login.text())('input[name=csrf_token]').attr('value') ?? '';
    const body = new URLSearchParams({ username: 'slow', password: 'demo', csrf_token: token });
    const waiting = fetch(`${own.origin}/members/login`, { method: 'POST', body, headers: { cookie } });
    const started = performance.now();
    const [outcome] = await Promise.allSettled([waiting, own.close()]);
    expect(outcome.status).toBe('rejected');
    expect(performance.now() - started).toBeLessThan(2_000);
    await expect(fetch(`${own.origin}/`)).rejects.toThrow();
  });
});
