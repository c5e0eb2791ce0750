/**
 * The practice gallery, which shows nothing without scripts: a shell that fetches its works as JSON, a button that shows
 * more of them, and a sign-in whose session is a cookie of the server and a token that the script keeps. The token is in
 * a cookie, not in local storage: that belongs to a port, which differs from start to start.
 */
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html, raw } from 'hono/html';
import { type SiteFrame, signInHint, sitePage } from './layout.ts';

const site: SiteFrame = {
  name: 'Lantern Street Gallery',
  links: [
    ['/gallery/', 'Works'],
    ['/gallery/login', 'Sign in'],
    ['/gallery/favourites', 'My favourites'],
  ],
};

const works = [
  ['Harbour at Dusk', 'Ida Brandt', 1911, 240],
  ['Three Lemons', 'Tomas Eklund', 1923, 180],
  ['The Ferryman', 'Ida Brandt', 1914, 520],
  ['Study in Grey', 'Mara Lindqvist', 1931, 90],
  ['Market in Rain', 'Tomas Eklund', 1926, 310],
  ['Night Train', 'Mara Lindqvist', 1934, 460],
  ['White Boats', 'Ida Brandt', 1909, 275],
].map(([title, artist, year, price], index) => ({ id: index + 1, title, artist, year, price }));
const pageSize = 3;
/** Nothing here is worth a secret. */
const session = { cookie: 'visit-1', token: 'token-of-demo' };

const shell = `<ul id="works"></ul><button id="more" type="button">More works</button><script>
const list = document.getElementById('works'), more = document.getElementById('more');
let page = 0;
more.onclick = async () => {
  more.disabled = true;
  const { works, last } = await (await fetch('/gallery/api/works?page=' + page++)).json();
  for (const { title, artist, year, price } of works) {
    const item = document.createElement('li');
    for (const [name, value] of Object.entries({ title, artist, year, price })) {
      const part = document.createElement('span');
      part.className = name;
      part.textContent = value;
      item.append(part, ' ');
    }
    list.append(item);
  }
  if (last) more.remove();
  else more.disabled = false;
};
more.click();
</script>`;
const login = `<form id="login"><label>User <input name="user" autocomplete="username"></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label><button>Sign in</button></form>
<p id="answer"></p><script>
document.getElementById('login').onsubmit = async (event) => {
  event.preventDefault();
  const answer = await fetch('/gallery/api/session', { method: 'POST', body: new FormData(event.target) });
  if (!answer.ok) return void (document.getElementById('answer').textContent = 'Wrong user or password.');
  document.cookie = 'gallery_token=' + (await answer.json()).token + '; path=/gallery; max-age=7200';
  location = '/gallery/favourites';
};
</script>`;
const favourites = `<p id="visitor"></p><ul id="works"></ul><script>
const headers = { authorization: document.cookie.match(/gallery_token=([^;]*)/)?.[1] ?? '' };
fetch('/gallery/api/favourites', { headers }).then((answer) => answer.json()).then(({ user, works = [] }) => {
  const visitor = document.getElementById('visitor');
  visitor.className = user ? 'signed-in' : 'signed-out';
  visitor.textContent = user ?? 'Sign in to see your favourites.';
  for (const { title } of works) document.getElementById('works').append(Object.assign(document.createElement('li'), { textContent: title }));
});
</script>`;

export const gallery = new Hono()
  .get('/', (c) => c.html(sitePage(site, 'Works', html`${raw(shell)}`)))
  .get('/login', (c) => c.html(sitePage(site, 'Sign in', html`${signInHint}${raw(login)}`)))
  .get('/favourites', (c) => c.html(sitePage(site, 'My favourites', html`${raw(favourites)}`)))
  .get('/api/works', (c) => {
    const first = Math.max(0, Math.floor(Number(c.req.query('page') ?? 0)) || 0) * pageSize;
    return c.json({ works: works.slice(first, first + pageSize), last: first + pageSize >= works.length });
  })
  .post('/api/session', async (c) => {
    const { user, password } = await c.req.parseBody();
    if (user !== 'demo' || password !== 'demo') return c.json({ error: 'wrong' }, 401);
    setCookie(c, 'gallery_visit', session.cookie, { path: '/gallery', httpOnly: true, maxAge: 7_200 });
    return c.json({ token: session.token });
  })
  .get('/api/favourites', (c) => {
    const isSignedIn =
      getCookie(c, 'gallery_visit') === session.cookie && c.req.header('authorization') === session.token;
    return c.json(isSignedIn ? { user: 'demo', works: works.slice(1, 3) } : {});
  });
