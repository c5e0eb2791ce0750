/** The practice bookshop: a listing with pages, details, a search form and a feed of new books. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { type Book, books, categories } from './books.ts';
import { type Markup, type SiteFrame, sitePage } from './layout.ts';

const perPage = 10;
const site: SiteFrame = {
  name: 'Harbour Street Books',
  links: [
    ['/bookshop/', 'All books'],
    ['/bookshop/search', 'Search'],
    ['/bookshop/basket', 'Basket'],
  ],
  head: html`<link rel="alternate" type="application/rss+xml" title="New books" href="/bookshop/new.xml">`,
};

const pounds = (price: number) => `£${price.toFixed(2)}`;
const ratingWords = ['Zero', 'One', 'Two', 'Three', 'Four', 'Five'];
const availability = (book: Book) =>
  book.copies === 0 ? 'Out of stock' : `In stock (${book.copies} available)`;

function card(book: Book): Markup {
  const address = `/bookshop/book/${book.slug}`;
  return html`<li><article class="book">
    <a href="${address}"><img src="/bookshop/covers/${book.slug}.svg" alt="" class="cover"></a>
    <h3><a href="${address}" title="${book.title}">${book.title}</a></h3>
    <p class="author">by ${book.author}</p>
    <p class="star-rating ${ratingWords[book.rating]}">${'★'.repeat(book.rating)}</p>
    <p class="price">${pounds(book.price)}</p>
    <p class="availability">${availability(book)}</p>
  </article></li>`;
}

function listing(matches: readonly Book[], page: number, toAddress: (page: number) => string): Markup {
  const last = Math.max(Math.ceil(matches.length / perPage), 1);
  const pageBooks = matches.slice((page - 1) * perPage, page * perPage);
  return html`<p class="count">${matches.length} books, page ${page} of ${last}</p>
    <ol class="books">${pageBooks.map(card)}</ol>
    <ul class="pager">
      ${page > 1 ? html`<li class="previous"><a href="${toAddress(page - 1)}">Previous</a></li>` : ''}
      ${page < last ? html`<li class="next"><a href="${toAddress(page + 1)}">Next</a></li>` : ''}
    </ul>`;
}

const pageNumber = (text: string | undefined) => Math.max(Math.floor(Number(text ?? 1)) || 1, 1);

function details(book: Book): Markup {
  return html`<article class="book-details">
    <img src="/bookshop/covers/${book.slug}.svg" alt="Cover of ${book.title}" id="cover">
    <p class="author">by <span itemprop="author">${book.author}</span></p>
    <p class="price" itemprop="price">${pounds(book.price)}</p>
    <p class="star-rating ${ratingWords[book.rating]}">${'★'.repeat(book.rating)}</p>
    <table class="facts">
      <tr><th>Category</th><td class="category">${book.category}</td></tr>
      <tr><th>First published</th><td class="year">${book.year}</td></tr>
      <tr><th>Availability</th><td class="availability">${availability(book)}</td></tr>
      <tr><th>In the shop since</th>
        <td><time datetime="${book.added.toISOString()}">${book.added.toUTCString()}</time></td></tr>
    </table>
    <p class="description">A clean second-hand copy of “${book.title}”, first published in ${book.year}.
      Posted within two days, wrapped in brown paper.</p>
  </article>`;
}

const escapeXml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

function feed(origin: string): string {
  const newest = [...books].sort((a, b) => b.added.getTime() - a.added.getTime()).slice(0, 15);
  const items = newest.map(
    (book) => `<item>
  <title>${escapeXml(book.title)}</title>
  <link>${origin}/bookshop/book/${book.slug}</link>
  <guid>${origin}/bookshop/book/${book.slug}</guid>
  <pubDate>${book.added.toUTCString()}</pubDate>
  <category>${escapeXml(book.category)}</category>
  <description>${escapeXml(`${book.title} by ${book.author}, ${pounds(book.price)}`)}</description>
</item>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel>
<title>New at Harbour Street Books</title>
<link>${origin}/bookshop/</link>
<description>What came into the shop lately</description>
${items.join('\n')}
</channel></rss>`;
}

export const bookshop = new Hono()
  .get('/', (c) => {
    const category = c.req.query('category');
    const matches = category === undefined ? books : books.filter((book) => book.category === category);
    const query = category === undefined ? '' : `&category=${encodeURIComponent(category)}`;
    const page = listing(
      matches,
      pageNumber(c.req.query('page')),
      (number) => `/bookshop/?page=${number}${query}`,
    );
    const filters = categories.map(
      (name) => html`<li><a href="/bookshop/?category=${encodeURIComponent(name)}">${name}</a></li>`,
    );
    return c.html(
      sitePage(site, category ?? 'All books', html`<ul class="categories">${filters}</ul>${page}`),
    );
  })
  .get('/search', (c) => {
    const q = (c.req.query('q') ?? '').trim();
    const matches = books.filter((book) =>
      `${book.title} ${book.author}`.toLowerCase().includes(q.toLowerCase()),
    );
    const results =
      q === ''
        ? ''
        : matches.length === 0
          ? html`<p class="nothing">Nothing found for “${q}”.</p>`
          : listing(
              matches,
              pageNumber(c.req.query('page')),
              (number) => `/bookshop/search?q=${encodeURIComponent(q)}&page=${number}`,
            );
    return c.html(
      sitePage(
        site,
        'Search',
        html`<form action="/bookshop/search" method="get">
          <label>Title or author <input type="search" name="q" value="${q}"></label><button>Search</button>
        </form>${results}`,
      ),
    );
  })
  .get('/book/:slug', (c) => {
    const book = books.find(({ slug }) => slug === c.req.param('slug'));
    if (book === undefined)
      return c.html(sitePage(site, 'No such book', html`<p>We do not have it.</p>`), 404);
    return c.html(sitePage(site, book.title, details(book)));
  })
  .get('/basket', (c) => c.html(sitePage(site, 'Your basket', html`<p>Your basket is empty.</p>`)))
  .get('/covers/:file', (c) => {
    const hue = [...c.req.param('file')].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360;
    return c.body(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 3"><path fill="hsl(${hue} 40% 45%)" d="M0 0h2v3H0z"/></svg>`,
      200,
      { 'content-type': 'image/svg+xml' },
    );
  })
  .get('/new.xml', (c) =>
    c.body(feed(new URL(c.req.url).origin), 200, { 'content-type': 'application/rss+xml' }),
  );
