/**
 * The practice members' site: sign-in by a form with a CSRF token, and pages that differ for members.
 * Each of its users stands for one way in which a sign-in can end.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { type Markup, type SiteFrame, signInHint, sitePage } from './layout.ts';

const sessionCookie = 'members_session';
const csrfCookie = 'members_csrf';
const sessionSeconds = 2 * 3600;
const slowMs = 60_000;

const site: SiteFrame = {
  name: 'Riverside Rowing Club',
  links: [
    ['/members/', 'Club'],
    ['/members/offers', 'Offers'],
    ['/members/orders', 'My orders'],
    ['/members/login', 'Sign in'],
  ],
};

/** Sessions are signed rather than stored, so that they outlive a restart; nothing here is worth a secret. */
const sign = (text: string) => createHmac('sha256', 'a practice site').update(text).digest('base64url');
const signedOut = new Set<string>();

function newSession(user: string): string {
  const content = `${user}.${Date.now() + sessionSeconds * 1000}.${randomUUID()}`;
  return `${content}.${sign(content)}`;
}

function signedIn(c: Context): string | undefined {
  const cookie = getCookie(c, sessionCookie) ?? '';
  const [user, end, id, signature = ''] = cookie.split('.');
  const expected = Buffer.from(sign(`${user}.${end}.${id}`));
  const signatureBytes = Buffer.from(signature);
  const genuine = signatureBytes.length === expected.length && timingSafeEqual(signatureBytes, expected);
  return genuine && Number(end) > Date.now() && !signedOut.has(cookie) ? user : undefined;
}

function loginForm(token: string, notice: Markup | string = ''): Markup {
  return sitePage(
    site,
    'Sign in',
    html`${notice}${signInHint}
      <form id="sign-in" action="/members/login" method="post">
        <input type="hidden" name="csrf_token" value="${token}">
        <input type="hidden" name="came_from" value="/members/">
        <label>User name <input name="username" autocomplete="username" required></label>
        <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
        <label><input type="checkbox" name="remember" value="yes"> Keep me signed in</label>
        <button name="submit" value="sign-in">Sign in</button>
      </form>`,
  );
}

function freshToken(c: Context): string {
  const token = randomUUID();
  setCookie(c, csrfCookie, token, { path: '/members', httpOnly: true, sameSite: 'Lax' });
  return token;
}

const page = (title: string, content: Markup) => sitePage(site, title, content);

/** How a sign-in ends for the user, after the password was found right. */
async function afterPassword(c: Context, user: string): Promise<Response> {
  switch (user) {
    case 'locked':
      return c.html(
        page('Sign in', html`<p class="notice locked">This account is locked. Write to the secretary.</p>`),
        403,
      );
    case 'mfa':
      return c.html(
        page(
          'One more step',
          html`<form id="one-time-code" method="post" action="/members/code">
            <label>Code from your telephone <input name="code" inputmode="numeric"></label><button>Go on</button>
          </form>`,
        ),
      );
    case 'captcha':
      return c.html(
        page(
          'Are you a person?',
          html`<div class="captcha" data-sitekey="practice">Tick all pictures with boats.</div>`,
        ),
      );
    case 'changed':
      return c.html(
        page(
          'Welcome to our new sign-in',
          html`<form class="sign-in-v2" method="post" action="/members/v2/login">
            <label>Member number <input name="member_number"></label>
            <label>Pass phrase <input type="password" name="pass_phrase"></label><button>Enter</button>
          </form>`,
        ),
      );
    case 'down':
      return c.html(page('Back soon', html`<p>The members' area is being repaired.</p>`), 503);
    case 'odd':
      return c.html(page('Hm', html`<p>Something happened that we did not expect.</p>`));
    case 'nocookie':
      return c.redirect('/members/welcome', 303);
    case 'slow':
      await delay(slowMs, undefined, { signal: c.req.raw.signal, ref: false }).catch(() => {});
      break;
  }
  setCookie(c, sessionCookie, newSession(user), {
    path: '/members',
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: sessionSeconds,
  });
  setCookie(c, 'members_theme', 'river', { path: '/members', maxAge: 90 * 24 * 3600 });
  return c.redirect('/members/welcome', 303);
}

const users = ['demo', 'demo2', 'locked', 'mfa', 'captcha', 'slow', 'changed', 'nocookie', 'down', 'odd'];

const offers = [
  ['Oar grips, pair', 18.5, 14],
  ['Waterproof bag, 20 l', 32, 25.6],
  ['Club cap', 12, 9],
] as const;
const memberOffers = [
  ['Boat hire, one evening', 0, 0],
  ['Place at the regatta dinner', 0, 24],
] as const;
const orders = [
  ['R-1042', '2026-11-02', 'Club cap', 1, 9, 'Delivered'],
  ['R-1017', '2026-09-21', 'Oar grips, pair', 2, 28, 'Delivered'],
  ['R-1066', '2026-11-18', 'Waterproof bag, 20 l', 1, 25.6, 'On its way'],
] as const;
/** Of the user `demo2`, so that two accounts can be told apart. */
const otherOrders = [
  ['R-1051', '2026-11-09', 'Place at the regatta dinner', 2, 48, 'Delivered'],
  ['R-1070', '2026-11-20', 'Club cap', 3, 27, 'On its way'],
] as const;
const euros = (price: number) => `${price.toFixed(2).replace('.', ',')} €`;

export const members = new Hono()
  .get('/', (c) =>
    c.html(
      page(
        'The club',
        html`<p>Rowing on the river since 1921.</p>
          <table id="opening-hours">
            <tr><th>Day</th><th>Opens</th><th>Closes</th></tr>
            <tr><td>Tuesday</td><td>16:00</td><td>20:00</td></tr>
            <tr><td>Thursday</td><td>16:00</td><td>20:00</td></tr>
            <tr><td>Saturday</td><td>09:00</td><td>17:30</td></tr>
            <tr><td>Sunday</td><td>10:00</td><td>14:00</td></tr>
          </table>`,
      ),
    ),
  )
  .get('/login', (c) => c.html(loginForm(freshToken(c))))
  .post('/login', async (c) => {
    const form = await c.req.parseBody();
    const token = getCookie(c, csrfCookie);
    if (token === undefined || form.csrf_token !== token)
      return c.html(page('Sign in', html`<p class="notice">The form is too old. Open it again.</p>`), 403);
    const user = String(form.username ?? '');
    if (!users.includes(user) || form.password !== 'demo') {
      const notice = html`<p class="notice wrong-password">User name or password is wrong.</p>`;
      return c.html(loginForm(freshToken(c), notice));
    }
    return afterPassword(c, user);
  })
  .get('/welcome', (c) =>
    c.html(
      page(
        'Welcome',
        html`<p>You are signed in as <b class="user">${signedIn(c) ?? 'nobody'}</b>. <a class="sign-out" href="/members/sign-out">Sign out</a></p>`,
      ),
    ),
  )
  .get('/sign-out', (c) => {
    const cookie = getCookie(c, sessionCookie);
    if (cookie !== undefined) signedOut.add(cookie);
    setCookie(c, sessionCookie, '', { path: '/members', maxAge: 0 });
    return c.redirect('/members/', 303);
  })
  .get('/offers', (c) => {
    const user = signedIn(c);
    const visibleOffers = user === undefined ? offers : [...offers, ...memberOffers];
    return c.html(
      page(
        'Offers',
        html`<p class="greeting">${user === undefined ? 'Hello, visitor' : `Hello, ${user}`}</p>
          <ul class="offers">${visibleOffers.map(
            ([name, price, memberPrice]) => html`<li class="offer">
              <span class="name">${name}</span>
              ${price === 0 ? '' : html`<span class="price">${euros(price)}</span>`}
              ${user === undefined ? '' : html`<span class="member-price">${euros(memberPrice)}</span>`}
            </li>`,
          )}</ul>`,
      ),
    );
  })
  .get('/orders', (c) => {
    const user = signedIn(c);
    if (user === undefined) return c.redirect('/members/login', 302);
    return c.html(
      page(
        'My orders',
        html`<p class="greeting">Orders of ${user}</p>
          <table id="orders">
            <thead><tr><th>Order</th><th>Date</th><th>Article</th><th>Pieces</th><th>Total</th><th>State</th></tr></thead>
            <tbody>${(user === 'demo2' ? otherOrders : orders).map(
              ([number, date, article, pieces, total, state]) =>
                html`<tr><td>${number}</td><td><time datetime="${date}">${date}</time></td><td>${article}</td>
                  <td>${pieces}</td><td>${euros(total)}</td><td>${state}</td></tr>`,
            )}</tbody>
          </table>`,
      ),
    );
  });
