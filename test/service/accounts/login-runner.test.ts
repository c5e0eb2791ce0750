/** Every end of a sign-in that the runner can tell, against the practice members' site over real HTTP. */
import { CookieJar } from 'tough-cookie';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPracticeSites } from '../../../src/practice/sites/practice-sites.ts';
import { LoginRecipe } from '../../../src/service/accounts/login-recipe.ts';
import { type LoginOutcome, LoginRunner } from '../../../src/service/accounts/login-runner.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { parsePool } from '../../support/page-pools.ts';
import { practiceAt } from '../../support/practice.ts';
import { startWebServer } from '../../support/web-server.ts';

let sites: Awaited<ReturnType<typeof startPracticeSites>>;
let fetcher: Fetcher;
let logins: LoginRunner;
let recipe: LoginRecipe;
const limits = { signal: new AbortController().signal };

beforeAll(async () => {
  sites = await startPracticeSites();
  fetcher = new Fetcher({ allowOrigins: [sites.origin] });
  logins = new LoginRunner({ fetcher, parsePool });
  recipe = LoginRecipe.parse(practiceAt(sites.origin).find(({ slug }) => slug === 'members')?.login?.recipe);
});
afterAll(async () => {
  await fetcher.close();
  await sites.close();
});

const signIn = (username: string, password: string, changes: Partial<LoginRecipe> = {}) =>
  logins.login({ recipe: { ...recipe, ...changes }, params: { username, password } }, limits);
const codeOf = (outcome: LoginOutcome) => (outcome.verified ? 'verified' : outcome.code);

describe('a sign-in', () => {
  it('gives the cookies of a session, without the password, and the soonest end of the session', async () => {
    const before = Date.now();
    const outcome = await signIn('demo', 'demo');
    if (!outcome.verified) throw new Error(outcome.code);
    const jar = CookieJar.deserializeSync(outcome.cookies);
    expect(await jar.getCookieString(`${sites.origin}/members/orders`)).toContain('members_session=');
    const lasts = (outcome.expiresAt?.getTime() ?? 0) - before;
    expect(lasts).toBeGreaterThan(2 * 3600_000 - 5_000);
    expect(lasts).toBeLessThan(2 * 3600_000 + 60_000);
  });

  it('reads who is signed in where the site shows it', async () => {
    const user = (changes: Partial<LoginRecipe>) => signIn('demo2', 'demo', changes);
    expect(await user({})).toMatchObject({ siteUser: 'demo2' });
    for (const other of [undefined, '.missing', 'main'])
      expect(await user({ user: other })).not.toMatchObject({ siteUser: 'demo2' });
  });

  it('takes the soonest end among all new cookies where none is named', async () => {
    const outcome = await signIn('demo', 'demo', { session_cookies: undefined });
    expect(outcome.verified && outcome.expiresAt?.getTime()).toBeLessThan(Date.now() + 3 * 3600_000);
    const named = await signIn('demo', 'demo', { session_cookies: ['members_theme'] });
    expect(named.verified && named.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 80 * 24 * 3600_000);
  });

  it.each([
    ['locked', 'demo', 'ACCOUNT_LOCKED'],
    ['mfa', 'demo', 'MFA_REQUIRED'],
    ['captcha', 'demo', 'CAPTCHA_REQUIRED'],
    ['changed', 'demo', 'LOGIN_PAGE_CHANGED'],
    ['nocookie', 'demo', 'LOGIN_NO_COOKIES'],
    ['down', 'demo', 'LOGIN_INFRASTRUCTURE_ERROR'],
    ['odd', 'demo', 'LOGIN_FAILED'],
    ['demo', 'wrong', 'BAD_PASSWORD'],
    ['locked', 'wrong', 'BAD_PASSWORD'],
    ['nobody', 'demo', 'BAD_PASSWORD'],
    ['', '', 'BAD_PASSWORD'],
    ["'; drop table users; --", '&password=demo', 'BAD_PASSWORD'],
  ])('of user %j with password %j ends as %s', async (username, password, code) => {
    expect(codeOf(await signIn(username, password))).toBe(code);
  });

  it('that takes too long is LOGIN_TIMEOUT, by the recipe’s limit', async () => {
    expect(codeOf(await signIn('slow', 'demo', { timeout_ms: 400 }))).toBe('LOGIN_TIMEOUT');
    expect(recipe.timeout_ms).toBeLessThanOrEqual(10_000);
  });

  it('knows a changed page before anything is typed', async () => {
    const noForm = { ...recipe, page: `${sites.origin}/members/` };
    const noField = {
      ...recipe,
      form: { ...recipe.form, fields: { user: '{username}', password: '{password}' } },
    };
    for (const changed of [noForm, noField])
      expect(codeOf(await signIn('demo', 'demo', changed))).toBe('LOGIN_PAGE_CHANGED');
  });

  it('never sends the password to another site than the recipe’s', async () => {
    const other = await startWebServer((_, response) => response.end('<a class="sign-out">out</a>'));
    const fields = '<input name="username"><input type="password" name="password">';
    const site = await startWebServer(({ path }, response) => {
      if (path === '/moved') response.writeHead(302, { location: `${other.origin}/login` }).end();
      else if (path === '/away') response.writeHead(307, { location: `${other.origin}/login` }).end();
      else {
        const action = path === '/login' ? `${other.origin}/login` : '/away';
        response.end(`<form id="sign-in" method="post" action="${action}">${fields}</form>`);
      }
    });
    const own = new Fetcher({ allowOrigins: [site.origin, other.origin] });
    const runner = new LoginRunner({ fetcher: own, parsePool });
    const params = { username: 'me', password: 'canary-91ab' };
    const ends = {
      '/login': 'LOGIN_PAGE_CHANGED',
      // An origin that the recipe does not name is not even reached.
      '/moved': 'LOGIN_FAILED',
      '/redirecting': 'LOGIN_FAILED',
    };
    for (const [path, code] of Object.entries(ends)) {
      const changed = { ...recipe, page: `${site.origin}${path}` };
      expect(codeOf(await runner.login({ recipe: changed, params }, limits)), path).toBe(code);
    }
    await own.close();
    await Promise.all([site.close(), other.close()]);
    expect(JSON.stringify(other.asked)).not.toContain('canary-91ab');
  });

  it('never rejects: a site that is away, a wrong recipe, missing params and a cancelled run are codes too', async () => {
    const gone = await startWebServer();
    await gone.close();
    const away = new Fetcher({ allowOrigins: [gone.origin] });
    const other = new LoginRunner({ fetcher: away, parsePool });
    const params = { username: 'demo', password: 'demo' };
    const page = `${gone.origin}/members/login`;
    expect(codeOf(await other.login({ recipe: { ...recipe, page }, params }, limits))).toBe(
      'LOGIN_INFRASTRUCTURE_ERROR',
    );
    // Not an allowed origin for this fetcher.
    expect(codeOf(await other.login({ recipe, params }, limits))).toBe('LOGIN_FAILED');
    await away.close();
    expect(codeOf(await logins.login({ recipe: { nonsense: true }, params }, limits))).toBe('LOGIN_FAILED');
    expect(codeOf(await logins.login({ recipe, params: {} }, limits))).toBe('BAD_PASSWORD');
    const cancelled = { ...limits, signal: AbortSignal.abort() };
    expect(codeOf(await logins.login({ recipe, params }, cancelled))).toBe('LOGIN_INFRASTRUCTURE_ERROR');
  });

  it('sends the password in the form’s body only, together with what the form held', async () => {
    const asked: { path: string; body: string; headers: string }[] = [];
    const site = await startWebServer(({ method, path, body, headers }, response) => {
      asked.push({ path: `${method} ${path}`, body, headers: JSON.stringify(headers) });
      if (method === 'POST')
        response.writeHead(303, { location: '/done', 'set-cookie': 'sid=1; Path=/' }).end();
      else if (path === '/done') response.end('<a class="sign-out">out</a>');
      else
        response.end(`<form id="sign-in" method="post" action="send?x=1"><input type="hidden" name="token" value="t&amp;1">
          <input name="username"><input type="password" name="password"><input type="checkbox" name="stay"></form>`);
    });
    const own = new Fetcher({ allowOrigins: [site.origin] });
    const runner = new LoginRunner({ fetcher: own, parsePool });
    const secret = 'canary-5e1f p&=%ss';
    const outcome = await runner.login(
      {
        recipe: { ...recipe, page: `${site.origin}/a/login`, session_cookies: ['sid'] },
        params: { username: 'me', password: secret },
      },
      limits,
    );
    await own.close();
    await site.close();
    expect(outcome).toMatchObject({ verified: true, expiresAt: undefined });
    expect(JSON.stringify(outcome)).not.toContain('canary-5e1f');
    expect(asked.map(({ path }) => path)).toEqual([
      'GET /robots.txt',
      'GET /a/login',
      'POST /a/send?x=1',
      'GET /done',
    ]);
    const [, , posted] = asked;
    expect([...new URLSearchParams(posted?.body)]).toEqual([
      ['token', 't&1'],
      ['username', 'me'],
      ['password', secret],
    ]);
    const elsewhere = asked.map(
      ({ path, headers, body }) => path + headers + (path.startsWith('POST') ? '' : body),
    );
    expect(elsewhere.join()).not.toContain('canary-5e1f');
  });
});

it('a session that was ended on the site is AUTH_EXPIRED for the actions that need it', async () => {
  const outcome = await signIn('demo', 'demo');
  if (!outcome.verified) throw new Error(outcome.code);
  const runner = new RecipeRunner({ fetcher, parsePool });
  const actions = practiceAt(sites.origin).flatMap((catalog) => catalog.actions);
  const task = (id: string) => ({
    recipe: actions.find(({ action_id }) => action_id === id)?.recipe,
    params: {},
    cookies: outcome.cookies,
  });
  expect((await runner.run(task('members_orders'), limits)).data.count).toBe(3);
  const jar = CookieJar.deserializeSync(outcome.cookies);
  await fetcher.fetch({ url: `${sites.origin}/members/sign-out`, jar, signal: limits.signal });
  for (const id of ['members_orders', 'members_offers'])
    await expect(runner.run(task(id), limits)).rejects.toMatchObject({ code: 'AUTH_EXPIRED' });
});
