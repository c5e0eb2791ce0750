// A small website to try the catalog files of this folder on: node examples/catalogs/site.mjs
// It listens on http://127.0.0.1:9000. Nothing is stored; a restart begins anew.
import { createServer } from 'node:http';

const parts = ['Hinge', 'Hook', 'Knob', 'Lever', 'Spring'].map((name, index) => ({
  id: index + 1,
  name,
  price: { amount: 2.5 + index, currency: 'EUR' },
  in_stock: index !== 2,
}));
const orders = [
  { number: 'A-1001', date: '2026-10-02', total: '7.50 EUR' },
  { number: 'A-1002', date: '2026-11-09', total: '3.50 EUR' },
];
let hasNewLook = false;

const page = (title, body) =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`;

/** The same data; in the new look its columns are in another order, under other names. */
const priceList = () =>
  hasNewLook
    ? `<table class="v2"><tr><th>Available</th><th>Amount in EUR</th><th>Article</th></tr>${parts
        .map(
          ({ name, price, in_stock }) =>
            `<tr><td>${in_stock ? 'yes' : 'no'}</td><td>${price.amount.toFixed(2)}</td><td>${name}</td></tr>`,
        )
        .join('')}</table>`
    : `<table id="prices"><tr><th>Part</th><th>Price (EUR)</th><th>Stock</th></tr>${parts
        .map(
          ({ name, price, in_stock }) =>
            `<tr><td>${name}</td><td>${price.amount.toFixed(2)}</td><td>${in_stock ? 'yes' : 'no'}</td></tr>`,
        )
        .join('')}</table>`;

const orderList = () =>
  `<p class="user">Hello, anna</p><table id="orders"><tr><th>Order</th><th>Date</th><th>Total</th></tr>${orders
    .map(({ number, date, total }) => `<tr><td>${number}</td><td>${date}</td><td>${total}</td></tr>`)
    .join('')}</table><a class="sign-out" href="/sign-out">Sign out</a>`;

const signIn = (notice = '') =>
  `${notice}<form id="sign-in" method="post" action="/sign-in"><input name="user"><input name="password" type="password"><button>Sign in</button></form>`;

const routes = {
  'GET /api/parts': ({ url }) => {
    const from = Number(url.searchParams.get('from') ?? 0);
    const shown = parts.slice(from, from + 2);
    const next = from + 2 < parts.length ? `/api/parts?from=${from + 2}` : null;
    return { type: 'application/json', body: JSON.stringify({ parts: shown, next }) };
  },
  'GET /prices': () => ({ body: page('Price list', priceList()) }),
  'POST /new-look': () => {
    hasNewLook = true;
    return { type: 'text/plain', body: 'The price list has a new look.\n' };
  },
  'POST /cheaper': () => {
    parts[0].price.amount = 1.75;
    return { type: 'text/plain', body: 'The hinge costs 1.75 EUR.\n' };
  },
  'GET /sign-in': () => ({ body: page('Sign in', signIn()) }),
  'POST /sign-in': ({ form }) =>
    form.get('user') === 'anna' && form.get('password') === 'secret'
      ? {
          status: 303,
          headers: { location: '/orders', 'set-cookie': 'shop_session=anna; HttpOnly; Path=/' },
          body: '',
        }
      : { body: page('Sign in', signIn('<p class="wrong">Wrong user or password</p>')) },
  'GET /orders': ({ cookie }) => ({
    body: cookie.includes('shop_session=anna') ? page('Orders', orderList()) : page('Sign in', signIn()),
  }),
};

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1:9000');
  let sent = '';
  for await (const chunk of request) sent += chunk;
  const route = routes[`${request.method} ${url.pathname}`];
  const answer = route?.({ url, form: new URLSearchParams(sent), cookie: request.headers.cookie ?? '' });
  const {
    status = 200,
    type = 'text/html; charset=utf-8',
    headers = {},
    body,
  } = answer ?? { status: 404, body: 'Not found' };
  response.writeHead(status, { 'content-type': type, ...headers }).end(body);
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1');
