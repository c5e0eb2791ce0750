/** Page sets in the forms that programs write: custom elements, microformats, nested microdata, state and tooltips. */
import { chrome } from './chrome.ts';
import { type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const tools = [
  ['Block plane', 'Iris Holm', 68, 4.7],
  ['Marking gauge', 'Pavel Duda', 31, 4.2],
  ['Coping saw', 'Iris Holm', 24, 4.9],
  ['Spokeshave', 'Ana Ferro', 57, 3.8],
] as const;

const letters = [
  ['A winter of knots', '2025-02-11', ['rope', 'winter']],
  ['Salt in the varnish', '2025-01-30', ['boats']],
  ['Three kinds of rust', '2025-01-12', ['metal', 'tools', 'rust']],
  ['What the tide left', '2024-12-20', ['shore', 'winter']],
] as const;

const records = [
  ['The Long Ferry', 'Nora Aske', 14.5],
  ['Peat and Iron', 'Callum Reid', 9.9],
  ['A Field Guide to Fog', 'Sigrid Moe', 21],
] as const;

const lectures = [
  ['How bridges fail', 2467, '41:07', 18230, '18.2k'],
  ['Reading old maps', 1735, '28:55', 1406, '1.4k'],
  ['The sound of glass', 3902, '1:05:02', 874, '874'],
  ['Counting birds', 612, '10:12', 9870, '9.9k'],
] as const;

const wells = [
  ['Priory Well', 'Northgate', 31, 1742],
  ['Cooper Well', 'Harbour', 18, 1820],
  ['Mint Well', 'Old Town', 44, 1699],
] as const;

export const technical: readonly PageSet[] = [
  {
    name: 'custom elements with a shadow of their own',
    goal: 'all tools with name, maker, price and rating',
    pages: {
      '/tools': page(
        'Tools',
        chrome(
          `<h1>Hand tools</h1><div class="shelf">${each(
            tools,
            ([name, maker, price, rating], index) =>
              `<tool-tile rating="${rating}"><template shadowrootmode="open"><style>:host{display:block}</style><figure><slot name="head"></slot></figure><p part="price">$${price}.00</p><slot></slot></template><h3 slot="head"><a href="/tools/${index}">${name}</a></h3><p class="maker">${maker}</p></tool-tile>`,
          )}</div>`,
        ),
      ),
    },
    truth: tools.map(([name, maker, price, rating]) => ({ name, maker, price, rating })),
  },
  {
    name: 'entries with microformats and several tags',
    goal: 'every letter: title, date, tags',
    pages: {
      '/letters': page(
        'Letters',
        chrome(
          `<div class="h-feed"><h1 class="p-name">Letters</h1>${each(
            letters,
            ([title, date, tags], index) =>
              `<div class="h-entry"><h2 class="p-name"><a class="u-url" href="/letters/${index}">${title}</a></h2><div>By <span class="p-author h-card"><span class="p-name">Olive Kent</span></span>, <time class="dt-published" datetime="${date}">some time ago</time></div><div>${tags
                .map((tag) => `<a class="p-category" href="/tags/${tag}">${tag}</a>`)
                .join(' ')}</div></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: letters.map(([title, date, tags]) => ({ title, date, tags: [...tags] })),
  },
  {
    name: 'the name of an author inside of the author',
    goal: 'books with title, author and price',
    pages: {
      '/books': page(
        'Books',
        chrome(
          `<h1>New books</h1><ul>${each(
            records,
            ([title, author, price]) =>
              `<li itemscope itemtype="https://schema.org/Book"><p class="credit">by <span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">${author}</b></span></p><h3 itemprop="name">${title}</h3><span itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="${price}">£${price.toFixed(2)}</span></span></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: records.map(([title, author, price]) => ({ title, author, price })),
  },
  {
    name: 'lengths and rounded counts beside the state that holds them in full',
    goal: 'list all lectures with title, length and views',
    pages: {
      '/lectures': page(
        'Lectures',
        chrome(
          `<h1>Lectures</h1><div class="reel">${each(
            lectures,
            ([title, , length, views, rounded], index) =>
              `<article class="clip"><span class="clip-length">${length}</span><h3><a href="/watch/${index}">${title}</a></h3><div class="clip-views" title="${views.toLocaleString('en')} views">${rounded}</div></article>`,
          )}</div><script id="state" type="application/json">${JSON.stringify({
            lectures: lectures.map(([title, seconds], index) => ({
              id: index,
              title,
              lengthSeconds: seconds,
            })),
          })}</script>`,
        ),
      ),
    },
    truth: lectures.map(([title, , length, views]) => ({ title, length, views })),
  },
  {
    name: 'rows of an answer whose columns are named elsewhere',
    contentType: 'application/json',
    goal: 'name, district, depth and year of each well',
    pages: {
      '/api/wells.json': JSON.stringify({
        meta: {
          view: { name: 'Wells', columns: ['name', 'district', 'depth', 'year'].map((name) => ({ name })) },
        },
        data: wells,
      }),
    },
    truth: wells.map(([name, district, depth, year]) => ({ name, district, depth, year })),
  },
];
