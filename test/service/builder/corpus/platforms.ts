/**
 * Page sets in the markup of common platforms and with goals as different people phrase them, written before the rules
 * met them. First measured F1: 0.42.
 */
import { chrome, recentPosts, tagCloud } from './chrome.ts';
import { type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const teas = [
  ['Sencha Morning', 'sencha-morning', '12.50', 'Japan', 38],
  ['Smoked Pine', 'smoked-pine', '18.00', 'China', 12],
  ['Wild Mint', 'wild-mint', '7.95', 'Morocco', 104],
  ['Golden Tippy', 'golden-tippy', '24.00', 'India', 9],
  ['Evening Blend', 'evening-blend', '9.90', 'Ceylon', 51],
] as const;

const bags = [
  ['Trail Pack 30', 'Norrland', '129,00', '159,00', 'https://cdn.example/trail.jpg'],
  ['City Tote', 'Halm', '49,90', '', 'https://cdn.example/tote.jpg'],
  ['Weekender XL', 'Norrland', '1.199,00', '1.299,00', 'https://cdn.example/week.jpg'],
  ['Sling Mini', 'Okto', '29,95', '', 'https://cdn.example/sling.jpg'],
] as const;

const posts = [
  [
    'Seven ways to repair a zip',
    'seven-ways',
    'Irma Doyle',
    'March 14, 2024',
    '2024-03-14T09:30:00+00:00',
    'Repair',
    4,
  ],
  [
    'The ferry that never sailed',
    'ferry',
    'Juno Park',
    'March 2, 2024',
    '2024-03-02T11:00:00+00:00',
    'Stories',
    17,
  ],
  [
    'Notes from the north coast',
    'north-coast',
    'Irma Doyle',
    'February 20, 2024',
    '2024-02-20T08:15:00+00:00',
    'Travel',
    0,
  ],
  [
    'What wool remembers',
    'wool',
    'Pat Lindqvist',
    'February 3, 2024',
    '2024-02-03T10:00:00+00:00',
    'Craft',
    8,
  ],
] as const;

const laptops = [
  ['Corvid 14', '1299.00', 'Ryzen 7', '16 GB', 'InStock', 4.6, 211],
  ['Corvid 16 Pro', '2149.00', 'Core i9', '32 GB', 'OutOfStock', 4.8, 87],
  ['Finch Air', '899.50', 'Core i5', '8 GB', 'InStock', 4.1, 530],
] as const;

const homes = [
  ['Calle Luna 4, Sevilla', '184.000 €', '3 hab.', '92 m²'],
  ['Avenida del Puerto 120, Valencia', '239.500 €', '4 hab.', '110 m²'],
  ['Plaza Mayor 1, Salamanca', '98.000 €', '1 hab.', '45 m²'],
] as const;

const speakers = [
  ['Nadia Osei', 'Staff Engineer', 'Latticeworks', 'Queues that forgive'],
  ['Tomás Fell', 'Designer', 'Studio Bright', 'Type for tired eyes'],
  ['Wren Abara', 'Researcher', 'Delta Lab', 'Measuring calm'],
  ['Ivo Marsh', 'CTO', 'Papertrain', 'Ten years of one table'],
] as const;

const threads = [
  ['Compost smells like ammonia', 'greenhands', 14, 820, 'Mar 3, 2024', 'Soil'],
  ['Best tomatoes for a short summer?', 'lars_p', 42, 3911, 'Mar 1, 2024', 'Vegetables'],
  ['Moles. Again.', 'mrs_mud', 7, 240, 'Feb 28, 2024', 'Pests'],
] as const;

const stellen = [
  ['Tischlermeister (m/w/d)', 'Holzwerk Süd GmbH', 'Augsburg', '12.03.2024'],
  ['Altenpfleger in Teilzeit', 'Haus Abendrot', 'Kempten', '09.03.2024'],
  ['Busfahrer Linienverkehr', 'Verkehrsbetriebe Ulm', 'Ulm', '01.03.2024'],
] as const;

const recettes = [
  ['Gratin de courges', '45 min', 'Facile', '4'],
  ['Tarte aux poireaux', '70 min', 'Moyen', '6'],
  ['Soupe de lentilles', '35 min', 'Facile', '8'],
] as const;

export const platforms: readonly PageSet[] = [
  {
    name: 'a shop with product grid items and quick view forms',
    goal: 'What does each tea cost?',
    pages: {
      '/collections/all': page(
        'All teas – Leaf & Kettle',
        chrome(
          `<div id="shopify-section-collection" class="shopify-section"><h1 class="collection-hero__title">All teas</h1><ul id="product-grid" class="grid product-grid grid--2-col-tablet-down">${each(
            teas,
            ([
              name,
              slug,
              price,
            ]) => `<li class="grid__item"><div class="card-wrapper product-card-wrapper"><div class="card card--standard"><div class="card__inner"><div class="card__media"><div class="media"><img srcset="/cdn/${slug}_165x.jpg 165w, /cdn/${slug}_533x.jpg 533w" src="/cdn/${slug}.jpg" alt="${name}" loading="lazy"></div></div></div>
<div class="card__content"><div class="card__information"><h3 class="card__heading h5"><a href="/products/${slug}" class="full-unstyled-link">${name}</a></h3><div class="card-information"><div class="price"><div class="price__container"><div class="price__regular"><span class="visually-hidden visually-hidden--inline">Regular price</span><span class="price-item price-item--regular">$${price} USD</span></div></div></div></div></div>
<div class="quick-add"><form method="post" action="/cart/add"><input type="hidden" name="id" value="1"><button type="submit">Add to cart</button></form></div></div></div></div></li>`,
          )}</ul></div>`,
          { section: 'All teas' },
        ),
      ),
    },
    truth: teas.map(([name, , price]) => ({
      'tea|title|name|tea_name|tea_title': name,
      'price|cost': Number(price),
    })),
  },
  {
    name: 'a shop with sale prices in del and ins, in German numbers',
    goal: 'Ich brauche alle Taschen mit Name, Marke, aktuellem Preis und Bild',
    pages: {
      '/shop/': page(
        'Taschen – Feldpost',
        chrome(
          `<header class="woocommerce-products-header"><h1 class="page-title">Taschen</h1></header><p class="woocommerce-result-count">Alle 4 Ergebnisse</p><ul class="products columns-4">${each(
            bags,
            ([name, brand, price, old, image], index) =>
              `<li class="product type-product post-${index + 91} status-publish instock product_cat-taschen has-post-thumbnail"><a href="/produkt/${index}/" class="woocommerce-LoopProduct-link woocommerce-loop-product__link">${old === '' ? '' : '<span class="onsale">Angebot!</span>'}<img width="300" height="300" src="${image}" class="attachment-woocommerce_thumbnail" alt=""><span class="product-brand">${brand}</span><h2 class="woocommerce-loop-product__title">${name}</h2><span class="price">${old === '' ? '' : `<del aria-hidden="true"><span class="woocommerce-Price-amount amount"><bdi>${old}&nbsp;<span class="woocommerce-Price-currencySymbol">€</span></bdi></span></del> `}${old === '' ? '' : '<ins>'}<span class="woocommerce-Price-amount amount"><bdi>${price}&nbsp;<span class="woocommerce-Price-currencySymbol">€</span></bdi></span>${old === '' ? '' : '</ins>'}</span></a><a href="?add-to-cart=${index}" class="button add_to_cart_button">In den Warenkorb</a></li>`,
          )}</ul>`,
          { section: 'Taschen' },
        ),
        '',
        'de',
      ),
    },
    truth: bags.map(([name, brand, price, , image]) => ({
      name,
      'marke|brand': brand,
      'preis|aktueller_preis|aktuellem_preis|price|current_price': Number(
        price.replace('.', '').replace(',', '.'),
      ),
      'bild|image': image,
    })),
  },
  {
    name: 'a blog with sidebar widgets',
    goal: 'latest blog posts (title + url + author + date)',
    pages: {
      '/journal/': page(
        'Journal – Slow Goods',
        chrome(
          `<h1 class="archive-title">Journal</h1>${each(
            posts,
            ([title, slug, author, shown, time, category, comments], index) =>
              `<article id="post-${index + 300}" class="post-${index + 300} post type-post hentry category-${category.toLowerCase()}"><header class="entry-header"><h2 class="entry-title"><a href="/journal/${slug}/" rel="bookmark">${title}</a></h2><div class="entry-meta"><span class="posted-on">Posted on <a href="/journal/${slug}/" rel="bookmark"><time class="entry-date published" datetime="${time}">${shown}</time></a></span><span class="byline"> by <span class="author vcard"><a class="url fn n" href="/author/x/">${author}</a></span></span></div></header><div class="entry-summary"><p>Some words about ${title.toLowerCase()} and what came of it in the end, told at length.</p></div><footer class="entry-footer"><span class="cat-links"><a href="/c/${category}" rel="category tag">${category}</a></span><span class="comments-link"><a href="/journal/${slug}/#comments">${comments} comments</a></span></footer></article>`,
          )}<nav class="navigation pagination"><span class="page-numbers current">1</span><a class="page-numbers" href="/journal/page/2/">2</a><a class="next page-numbers" href="/journal/page/2/">Older posts</a></nav>`,
          { section: 'Journal', sidebar: recentPosts + tagCloud },
        ),
        '<link rel="alternate" type="application/rss+xml" href="/broken-feed.xml">',
      ),
      '/journal/page/2/': page(
        'Journal – Slow Goods',
        chrome(
          `<h1 class="archive-title">Journal</h1>${each(
            [['Ink and oak', 'ink', 'Juno Park', 'January 20, 2024', '2024-01-20T10:00:00+00:00']],
            ([title, slug, author, shown, time]) =>
              `<article id="post-290" class="post-290 post type-post hentry category-craft"><header class="entry-header"><h2 class="entry-title"><a href="/journal/${slug}/" rel="bookmark">${title}</a></h2><div class="entry-meta"><span class="posted-on">Posted on <a href="/journal/${slug}/" rel="bookmark"><time class="entry-date published" datetime="${time}">${shown}</time></a></span><span class="byline"> by <span class="author vcard"><a class="url fn n" href="/author/x/">${author}</a></span></span></div></header><div class="entry-summary"><p>Some words.</p></div></article>`,
          )}`,
          { section: 'Journal', sidebar: recentPosts + tagCloud },
        ),
      ),
    },
    truth: posts.map(([title, slug, author, , time]) => ({
      title,
      url: `{origin}/journal/${slug}/`,
      author,
      date: time.replace('+00:00', 'Z'),
    })),
    second: [
      {
        title: 'Ink and oak',
        url: '{origin}/journal/ink/',
        author: 'Juno Park',
        date: '2024-01-20T10:00:00Z',
      },
    ],
  },
  {
    name: 'laptops in a JSON-LD graph, cards without classes',
    goal: "I'm building a price comparison and need all laptop offers incl. the name, the price, availability and the rating",
    pages: {
      '/laptops': page(
        'Laptops',
        chrome(
          `<h1>Laptops</h1><div>${each(laptops, ([name, price]) => `<div><div><a href="/x">${name}</a></div><div>from $${price}</div></div>`)}</div>`,
        ),
        `<script type="application/ld+json">${JSON.stringify({
          '@context': 'https://schema.org/',
          '@graph': [
            { '@type': 'Organization', '@id': '#org', name: 'Laptop Barn', logo: '/l.png' },
            {
              '@type': 'BreadcrumbList',
              itemListElement: [{ '@type': 'ListItem', position: 1, name: 'Home' }],
            },
            ...laptops.map(([name, price, , , stock, rating, count]) => ({
              '@type': 'Product',
              name,
              aggregateRating: { '@type': 'AggregateRating', ratingValue: rating, reviewCount: count },
              offers: {
                '@type': 'Offer',
                price,
                priceCurrency: 'USD',
                availability: `https://schema.org/${stock}`,
              },
            })),
          ],
        })}</script>`,
      ),
    },
    truth: laptops.map(([name, price, , , stock, rating]) => ({
      name,
      price: Number(price),
      availability: stock,
      rating,
    })),
  },
  {
    name: 'flats in Spanish, a Spanish goal',
    goal: 'lista de pisos con dirección, precio, habitaciones y superficie',
    pages: {
      '/venta': page(
        'Pisos en venta',
        chrome(
          `<h1>Pisos en venta</h1><section class="items-list">${each(
            homes,
            ([address, price, rooms, size]) =>
              `<article class="item"><picture class="item-multimedia"><img src="/f.jpg"></picture><div class="item-info-container"><a href="/inmueble/1/" class="item-link">${address}</a><div class="price-row"><span class="item-price h2-simulated">${price}</span></div><div class="item-detail-char"><span class="item-detail">${rooms}</span><span class="item-detail">${size}</span></div></div></article>`,
          )}</section>`,
        ),
        '',
        'es',
      ),
    },
    truth: homes.map(([address, price, rooms, size]) => ({
      'direccion|dirección|address': address,
      'precio|price': Number(price.replace(/\D/g, '')),
      'habitaciones|habitacion|habitacione|rooms': Number(rooms.replace(/\D/g, '')),
      'superficie|size|area': Number(size.replace(/ m²/, '')),
    })),
  },
  {
    name: 'speakers of a conference, utility classes',
    goal: 'Extract a list of all speakers with their names, job titles, companies and talk titles',
    pages: {
      '/speakers': page(
        'Speakers | QuietConf',
        `<div id="__next"><div class="min-h-screen bg-white"><div class="mx-auto max-w-7xl px-6 lg:px-8"><h2 class="text-3xl font-bold tracking-tight text-gray-900">Speakers</h2><ul role="list" class="mt-12 grid grid-cols-1 gap-x-6 gap-y-12 sm:grid-cols-2">${each(
          speakers,
          ([name, title, company, talk]) =>
            `<li class="flex flex-col gap-4 rounded-lg shadow"><img class="h-24 w-24 rounded-full" src="/s.jpg" alt=""><div class="flex-1"><h3 class="text-lg font-semibold leading-8">${name}</h3><p class="text-sm text-gray-500">${title}</p><p class="text-sm text-gray-500">${company}</p><p class="mt-2 text-base italic">${talk}</p></div></li>`,
        )}</ul></div></div></div>`,
      ),
    },
    truth: speakers.map(([name, job, company, talk]) => ({
      name,
      job_title: job,
      company,
      talk_title: talk,
    })),
  },
  {
    name: 'forum index in table rows with nested cells',
    goal: 'Get every thread: subject, who started it, replies, views',
    pages: {
      '/viewforum.php?f=2': page(
        'Garden talk • View forum',
        chrome(
          `<h2 class="forum-title">Garden talk</h2><div class="forumbg announcement"><ul class="topiclist"><li class="header"><dl class="row-item"><dt><div class="list-inner">Announcements</div></dt><dd class="posts">Replies</dd><dd class="views">Views</dd></dl></li></ul></div><div class="forumbg"><div class="inner"><ul class="topiclist topics">${each(
            threads,
            ([title, user, replies, views, last], index) =>
              `<li class="row bg${(index % 2) + 1}"><dl class="row-item topic_read"><dt title="No unread posts"><div class="list-inner"><a href="./viewtopic.php?t=${index}" class="topictitle">${title}</a><br><div class="topic-poster">by <a href="./memberlist.php?u=1" class="username">${user}</a> » ${last}</div></div></dt><dd class="posts">${replies} <dfn>Replies</dfn></dd><dd class="views">${views} <dfn>Views</dfn></dd><dd class="lastpost"><span><dfn>Last post </dfn>by <a class="username" href="#">someone</a><br>${last}</span></dd></dl></li>`,
          )}</ul></div></div>`,
        ),
      ),
    },
    truth: threads.map(([title, user, replies, views]) => ({
      subject: title,
      'who_started|starter|author|started|who_started_it': user,
      replies,
      views,
    })),
  },
  {
    name: 'jobs in German, a German goal',
    goal: 'Alle Stellenangebote mit Titel, Arbeitgeber, Ort und Datum',
    pages: {
      '/stellen': page(
        'Stellenmarkt Schwaben',
        chrome(
          `<h1>Aktuelle Stellenangebote</h1><div class="result-list">${each(
            stellen,
            ([title, firm, place, date]) =>
              `<div class="result-item"><div class="result-item__head"><a class="result-item__link" href="/job/1"><h3>${title}</h3></a></div><div class="result-item__firma">${firm}</div><div class="result-item__meta"><span class="icon-pin"></span><span class="result-item__ort">${place}</span> <span class="result-item__datum">${date}</span></div></div>`,
          )}</div>`,
          { section: 'Stellen' },
        ),
        '',
        'de',
      ),
    },
    truth: stellen.map(([titel, arbeitgeber, ort, date]) => ({
      titel,
      arbeitgeber,
      ort,
      datum: date.split('.').reverse().join('-'),
    })),
  },
  {
    name: 'recipes in French, labels in data attributes',
    goal: 'Récupérer toutes les recettes avec leur nom, la durée et la difficulté',
    pages: {
      '/recettes': page(
        'Recettes de saison',
        chrome(
          `<h1>Recettes de saison</h1><div class="cards">${each(
            recettes,
            ([nom, duree, niveau, personnes]) =>
              `<a class="card card--recipe" href="/recette/1"><figure class="card__fig"><img src="/r.jpg" alt=""></figure><h4 class="card__titre">${nom}</h4><ul class="card__infos"><li class="info info--duree">${duree}</li><li class="info info--difficulte">${niveau}</li><li class="info info--personnes">${personnes} pers.</li></ul></a>`,
          )}</div>`,
        ),
        '',
        'fr',
      ),
    },
    truth: recettes.map(([nom, duree, niveau]) => ({
      'nom|name': nom,
      'duree|durée|duration': Number(duree.replace(/\D/g, '')),
      'difficulte|difficulté|difficulty': niveau,
    })),
  },
  {
    name: 'a wide table of an encyclopedia with references and flags',
    goal: 'list of the tallest lighthouses: name, country, height and year built',
    pages: {
      '/wiki/List': page(
        'List of tallest lighthouses',
        `<div id="mw-content-text"><h1 id="firstHeading">List of tallest lighthouses</h1><p>This is a list of lighthouses that are tall.</p><div id="toc"><ul><li><a href="#a">1 List</a></li><li><a href="#b">2 See also</a></li></ul></div><table class="wikitable sortable"><caption>Tallest lighthouses</caption><tbody><tr><th scope="col">Rank</th><th scope="col">Name</th><th scope="col">Height (m)</th><th scope="col">Year built</th><th scope="col">Country</th><th scope="col" class="unsortable">Ref</th></tr>${each(
          [
            [1, 'Jeddah Light', 133, 1990, 'Saudi Arabia'],
            [2, 'Perry Monument', 107, 1915, 'United States'],
            [3, 'Île Vierge', 82.5, 1902, 'France'],
            [4, 'Lanterna', 77, 1543, 'Italy'],
          ],
          ([rank, name, height, year, country]) =>
            `<tr><td>${rank}</td><td><a href="/wiki/x" title="${name}">${name}</a></td><td align="right">${height}</td><td>${year}</td><td><span class="flagicon"><img src="/flag.png" alt=""></span> <a href="/wiki/c">${country}</a></td><td><sup class="reference"><a href="#cite">[${rank}]</a></sup></td></tr>`,
        )}</tbody></table><h2>See also</h2><ul><li><a href="/wiki/1">Lists of lighthouses</a></li><li><a href="/wiki/2">Lightvessels</a></li><li><a href="/wiki/3">Fog signals</a></li></ul></div>`,
      ),
    },
    truth: [
      ['Jeddah Light', 'Saudi Arabia', 133, 1990],
      ['Perry Monument', 'United States', 107, 1915],
      ['Île Vierge', 'France', 82.5, 1902],
      ['Lanterna', 'Italy', 77, 1543],
    ].map(([name = '', country = '', height = '', year = '']) => ({
      name,
      country,
      height,
      year_built: year,
    })),
  },
  {
    name: 'a product page with specifications, title and price apart',
    goal: 'How much is the tent and is it available?',
    pages: {
      '/p/ridge-2': page(
        'Ridge 2 Tent – Northern Camp',
        chrome(
          `<div class="product-detail"><div class="gallery"><img src="/r1.jpg"><img src="/r2.jpg"></div><div class="summary"><h1 class="product_title entry-title">Ridge 2 Tent</h1><p class="price"><span class="amount">$349.00</span></p><p class="stock in-stock">12 in stock</p><div class="short-description"><p>A tent for two that stands up to wind.</p></div></div></div><section class="related products"><h2>Related products</h2><ul class="products"><li class="product"><h2>Groundsheet</h2><span class="price">$39.00</span></li><li class="product"><h2>Peg set</h2><span class="price">$12.00</span></li><li class="product"><h2>Lamp</h2><span class="price">$25.00</span></li></ul></section>`,
        ),
      ),
    },
    truth: [{ 'price|cost|how_much': 349, 'availability|available|stock': '12 in stock' }],
  },
  {
    name: 'events of a theme with day and month in boxes',
    goal: 'upcoming events with title, venue and start time',
    pages: {
      '/events/': page(
        'Events',
        chrome(
          `<h1>Upcoming events</h1><div class="tribe-events-calendar-list">${each(
            [
              ['Seed swap', '2024-04-06T10:00:00', 'Apr 6 @ 10:00', 'Village hall'],
              ['Night walk', '2024-04-12T21:00:00', 'Apr 12 @ 21:00', 'Heath car park'],
              ['Spring fair', '2024-04-20T09:00:00', 'Apr 20 @ 9:00', 'Market square'],
            ],
            ([title, iso = '', shown, venue]) =>
              `<div class="tribe-common-g-row tribe-events-calendar-list__event-row"><div class="tribe-events-calendar-list__event-date-tag"><time class="tag-datetime" datetime="${iso.slice(0, 10)}"><span class="weekday">Sat</span><span class="daynum">${iso.slice(8, 10)}</span></time></div><div class="tribe-events-calendar-list__event-wrapper"><article class="tribe-events-calendar-list__event"><header><div class="tribe-events-calendar-list__event-datetime-wrapper"><time class="tribe-events-calendar-list__event-datetime" datetime="${iso}"><span class="tribe-event-date-start">${shown}</span></time></div><h3 class="tribe-events-calendar-list__event-title"><a href="/event/x" class="tribe-events-calendar-list__event-title-link">${title}</a></h3><address class="tribe-events-calendar-list__event-venue"><span class="tribe-events-calendar-list__event-venue-title">${venue}</span></address></header></article></div></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['Seed swap', 'Village hall', '2024-04-06T10:00:00Z'],
      ['Night walk', 'Heath car park', '2024-04-12T21:00:00Z'],
      ['Spring fair', 'Market square', '2024-04-20T09:00:00Z'],
    ].map(([title = '', venue = '', time = '']) => ({ title, venue, start_time: time })),
  },
  {
    name: 'Nuxt state as a function call beside rendered cards',
    goal: 'Scrape movie titles, release years and ratings',
    pages: {
      '/movies': page(
        'Movies',
        `<div id="__nuxt"><div id="__layout"><div class="movies" data-v-7ba5bd90>${each(
          [
            ['The Salt Road', 2011, '7.4'],
            ['Glass Harbor', 2019, '6.8'],
            ['Eleven Winters', 1998, '8.1'],
          ],
          ([title, year, score]) =>
            `<div class="movie" data-v-7ba5bd90><a href="/m/1" data-v-7ba5bd90><img src="/poster.jpg" data-v-7ba5bd90></a><div class="movie-meta" data-v-7ba5bd90><h2 data-v-7ba5bd90>${title} <small data-v-7ba5bd90>(${year})</small></h2><div class="score" data-v-7ba5bd90>★ ${score}</div></div></div>`,
        )}</div></div></div><script>window.__NUXT__=(function(a,b){return {layout:"default",data:[{}],error:a}}(null,1));</script>`,
      ),
    },
    truth: [
      ['The Salt Road', 2011, 7.4],
      ['Glass Harbor', 2019, 6.8],
      ['Eleven Winters', 1998, 8.1],
    ].map(([title = '', year = '', rating = '']) => ({
      'movie_title|title': title,
      'release_year|year': year,
      rating,
    })),
  },
  {
    name: 'Apollo cache with references',
    goal: 'all podcasts with name, host and episode count',
    pages: {
      '/': page(
        'Podcasts',
        `<div id="root"></div><script>window.__APOLLO_STATE__ = ${JSON.stringify({
          ROOT_QUERY: {
            __typename: 'Query',
            podcasts: [{ __ref: 'Podcast:1' }, { __ref: 'Podcast:2' }, { __ref: 'Podcast:3' }],
          },
          'Podcast:1': {
            __typename: 'Podcast',
            id: '1',
            name: 'Low Tide',
            host: 'Mina Rowe',
            episodeCount: 48,
          },
          'Podcast:2': {
            __typename: 'Podcast',
            id: '2',
            name: 'Tin Roof',
            host: 'Al Barros',
            episodeCount: 12,
          },
          'Podcast:3': {
            __typename: 'Podcast',
            id: '3',
            name: 'Slow Maps',
            host: 'Quill Adair',
            episodeCount: 131,
          },
        })};</script>`,
      ),
    },
    truth: [
      ['Low Tide', 'Mina Rowe', 48],
      ['Tin Roof', 'Al Barros', 12],
      ['Slow Maps', 'Quill Adair', 131],
    ].map(([name = '', host = '', count = '']) => ({ name, host, episode_count: count })),
  },
  {
    name: 'streamed state of a React server page, rendered list',
    goal: 'Fetch the changelog: version, release date and summary of each release',
    pages: {
      '/changelog': page(
        'Changelog',
        `<main class="mx-auto max-w-2xl"><h1>Changelog</h1>${each(
          [
            ['4.2.0', '2024-05-06', 'Faster cold starts and a calmer log.'],
            ['4.1.3', '2024-04-22', 'Repairs the import of old archives.'],
            ['4.1.0', '2024-04-01', 'Adds tags to saved searches.'],
          ],
          ([version, date, text]) =>
            `<section class="py-8"><div class="flex items-baseline"><h2 id="v${version}" class="text-xl">v${version}</h2><time dateTime="${date}" class="ml-auto">${date}</time></div><p>${text}</p></section>`,
        )}</main><script>self.__next_f=self.__next_f||[];self.__next_f.push([0]);self.__next_f.push([1,"1:HL[\\"/_next/static/css/a.css\\"]\\n"])</script>`,
      ),
    },
    truth: [
      ['v4.2.0', '2024-05-06', 'Faster cold starts and a calmer log.'],
      ['v4.1.3', '2024-04-22', 'Repairs the import of old archives.'],
      ['v4.1.0', '2024-04-01', 'Adds tags to saved searches.'],
    ].map(([version = '', date = '', summary = '']) => ({ version, 'release_date|date': date, summary })),
  },
  {
    name: 'weather forecast in unlabelled boxes',
    goal: 'weather forecast for the coming days: day, conditions, high and low',
    pages: {
      '/forecast': page(
        'Forecast',
        chrome(
          `<h2>Extended forecast</h2><ul id="seven-day-forecast-list" class="list-unstyled">${each(
            [
              ['Monday', 'Light rain', 'High: 14 °C', 'Low: 6 °C'],
              ['Tuesday', 'Cloudy', 'High: 16 °C', 'Low: 7 °C'],
              ['Wednesday', 'Sunny', 'High: 19 °C', 'Low: 9 °C'],
            ],
            ([day, sky, high, low]) =>
              `<li class="forecast-tombstone"><div class="tombstone-container"><p class="period-name">${day}</p><p><img src="/w.png" alt="" class="forecast-icon"></p><p class="short-desc">${sky}</p><p class="temp temp-high">${high}</p><p class="temp temp-low">${low}</p></div></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: [
      ['Monday', 'Light rain', 14, 6],
      ['Tuesday', 'Cloudy', 16, 7],
      ['Wednesday', 'Sunny', 19, 9],
    ].map(([day = '', conditions = '', high = '', low = '']) => ({ day, conditions, high, low })),
  },
  {
    name: 'library search results in a table of layout, labels in bold',
    goal: 'books: title, author, publisher, isbn',
    pages: {
      '/opac': page(
        'Catalogue results',
        chrome(
          `<h1>Results 1 to 3 of 3</h1><form action="/opac" method="get"><input type="text" name="q" value="sea"></form><table class="results">${each(
            [
              ['Charts of the sea', 'Orla Finn', 'Quay Press', '978-1-4028-9462-6'],
              ['Sea room', 'Ben Adler', 'Lamp Books', '978-0-3064-0615-7'],
              ['The salt line', 'Mo Ferreira', 'Quay Press', '978-3-1614-8410-0'],
            ],
            ([title, author, publisher, isbn], index) =>
              `<tr><td class="num">${index + 1}.</td><td><a href="/cgi-bin/detail.pl?bib=${index}" class="title">${title}</a><br><b>Author:</b> ${author}<br><b>Publisher:</b> ${publisher}<br><b>ISBN:</b> ${isbn}</td><td><img src="/cover.jpg"></td></tr>`,
          )}</table>`,
        ),
      ),
    },
    truth: [
      ['Charts of the sea', 'Orla Finn', 'Quay Press', '978-1-4028-9462-6'],
      ['Sea room', 'Ben Adler', 'Lamp Books', '978-0-3064-0615-7'],
      ['The salt line', 'Mo Ferreira', 'Quay Press', '978-3-1614-8410-0'],
    ].map(([title = '', author = '', publisher = '', isbn = '']) => ({ title, author, publisher, isbn })),
  },
  {
    name: 'reviews in microdata with nested ratings',
    goal: 'customer reviews: reviewer name, stars, review date, review text',
    pages: {
      '/hotel/reviews': page(
        'Hotel Aurora reviews',
        chrome(
          `<h1>Hotel Aurora</h1><div class="reviews">${each(
            [
              ['Kasia', '5', '2024-01-18', 'Quiet rooms and a breakfast that I still think about.'],
              ['Deniz', '3', '2024-01-11', 'Fine, but the lift was out of order for our whole stay.'],
              ['Morten', '4', '2023-12-30', 'Friendly people at the desk, good location.'],
            ],
            ([who, stars, date, text]) =>
              `<div class="review" itemprop="review" itemscope itemtype="https://schema.org/Review"><div itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name">${who}</span></div><div itemprop="reviewRating" itemscope itemtype="https://schema.org/Rating"><meta itemprop="ratingValue" content="${stars}"><span class="stars" aria-hidden="true">★★★</span></div><meta itemprop="datePublished" content="${date}"><p itemprop="reviewBody">${text}</p></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['Kasia', 5, '2024-01-18', 'Quiet rooms and a breakfast that I still think about.'],
      ['Deniz', 3, '2024-01-11', 'Fine, but the lift was out of order for our whole stay.'],
      ['Morten', 4, '2023-12-30', 'Friendly people at the desk, good location.'],
    ].map(([who = '', stars = '', date = '', text = '']) => ({
      reviewer_name: who,
      'stars|star|rating': stars,
      review_date: date,
      review_text: text,
    })),
  },
  {
    name: 'an article page of a newspaper',
    goal: 'article title, author, publish date and full text',
    pages: {
      '/2024/05/02/harbour': page(
        'Harbour wall to be rebuilt by 2027 - The Tidewater Courier',
        chrome(
          `<article class="story"><h1 class="headline">Harbour wall to be rebuilt by 2027</h1><div class="story-meta"><span class="byline">By <a href="/staff/nell" rel="author">Nell Hargreave</a></span> <time datetime="2024-05-02T07:45:00Z">2 May 2024</time></div><div class="story-body"><p>The old harbour wall, which has stood for a hundred and forty years, is to be taken down stone by stone and rebuilt a little further out, the council decided on Wednesday evening.</p><p>Work begins next spring and will cost eleven million, most of it from a fund for coasts that sink; fishermen may use the northern quay as long as it lasts.</p><p>"We waited for three storms too many," said the mayor, who was born in a house that the last of them took, and who voted with everybody else.</p></div></article><section class="most-read"><h2>Most read</h2><ol><li><a href="/1">Bus lanes return</a></li><li><a href="/2">School bell stolen</a></li><li><a href="/3">Fog until Friday</a></li></ol></section>`,
          { section: 'News' },
        ),
      ),
    },
    truth: [
      {
        'article_title|title': 'Harbour wall to be rebuilt by 2027',
        author: 'Nell Hargreave',
        'publish_date|published|date': '2024-05-02T07:45:00Z',
        'full_text|text':
          'which has stood for a hundred and forty years, is to be taken down stone by stone and rebuilt a little further out, the council decided on Wednesday evening. Work begins next spring and will cost eleven million, most of it from a fund',
      },
    ],
  },
  {
    name: 'menu of a restaurant, several sections',
    goal: 'menu dishes and their prices',
    pages: {
      '/menu': page(
        'Menu – Trattoria Alba',
        chrome(
          `<h1>Our menu</h1>${each(
            [
              [
                'Starters',
                [
                  ['Bruschetta', '6.50'],
                  ['Burrata', '9.00'],
                ],
              ],
              [
                'Mains',
                [
                  ['Gnocchi al burro', '14.50'],
                  ['Branzino', '21.00'],
                  ['Ossobuco', '19.50'],
                ],
              ],
              [
                'Desserts',
                [
                  ['Panna cotta', '7.00'],
                  ['Affogato', '5.50'],
                ],
              ],
            ] as const,
            ([section, dishes]: readonly [string, readonly (readonly [string, string])[]]) =>
              `<section class="menu-section"><h2 class="menu-section-title">${section}</h2><ul class="dishes">${each(dishes, ([dish, price]) => `<li class="dish"><div class="dish-head"><span class="dish-name">${dish}</span><span class="dots"></span><span class="dish-price">€${price}</span></div><p class="dish-desc">With things of the season.</p></li>`)}</ul></section>`,
          )}`,
          { section: 'Menu card' },
        ),
      ),
    },
    truth: [
      ['Bruschetta', 6.5],
      ['Burrata', 9],
      ['Gnocchi al burro', 14.5],
      ['Branzino', 21],
      ['Ossobuco', 19.5],
      ['Panna cotta', 7],
      ['Affogato', 5.5],
    ].map(([dish = '', price = '']) => ({ 'dish|menu_dish|name|title|dish_name': dish, price })),
  },
  {
    name: 'packages of a registry, terse goal',
    goal: 'name version downloads',
    pages: {
      '/packages': page(
        'Packages',
        chrome(
          `<h1>Packages</h1><div class="package-list">${each(
            [
              ['tiny-parse', '2.1.0', '12,409'],
              ['color-wheel', '0.9.4', '1,024,880'],
              ['leftover', '11.0.1', '310'],
            ],
            ([name, version, downloads]) =>
              `<div class="package-snippet"><h3 class="package-snippet__title"><span class="package-snippet__name">${name}</span> <span class="package-snippet__version">${version}</span></h3><p class="package-snippet__description">A package.</p><span class="package-snippet__downloads">${downloads}</span></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['tiny-parse', '2.1.0', 12409],
      ['color-wheel', '0.9.4', 1024880],
      ['leftover', '11.0.1', 310],
    ].map(([name = '', version = '', downloads = '']) => ({ name, version, downloads })),
  },
  {
    name: 'an Atom feed',
    goal: 'Give me the release notes feed as title, link, updated date',
    pages: {
      '/releases.atom': `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><id>tag:x,2024:1</id><title>Release notes from kettle</title><updated>2024-05-01T10:00:00Z</updated>${each(
        [
          ['v3.1', 'https://git.example/r/3.1', '2024-05-01T10:00:00Z'],
          ['v3.0', 'https://git.example/r/3.0', '2024-03-11T08:30:00Z'],
        ],
        ([title, link, time]) =>
          `<entry><id>tag:x:${title}</id><updated>${time}</updated><link rel="alternate" type="text/html" href="${link}"/><title>${title}</title><content type="html">&lt;p&gt;Notes&lt;/p&gt;</content><author><name>bo</name></author></entry>`,
      )}</feed>`,
    },
    truth: [
      ['v3.1', 'https://git.example/r/3.1', '2024-05-01T10:00:00Z'],
      ['v3.0', 'https://git.example/r/3.0', '2024-03-11T08:30:00Z'],
    ].map(([title = '', link = '', time = '']) => ({ title, link, 'updated_date|updated|date': time })),
  },
  {
    name: 'a REST answer with a wrapper and nested objects',
    goal: 'list users with full name, email and city',
    pages: {
      '/api/v1/users?limit=3': JSON.stringify({
        status: 'success',
        page: 1,
        results: [
          ['Ada Moor', 'ada@x.example', 'Leeds'],
          ['Cy Vance', 'cy@x.example', 'Hull'],
          ['Una Bly', 'una@x.example', 'York'],
        ].map(([full, email, city], index) => ({
          id: index + 1,
          username: `u${index}`,
          fullName: full,
          email,
          address: { street: 'Elm 1', city, geo: { lat: 1.5, lng: 2.5 } },
          company: { name: 'Acme' },
        })),
      }),
    },
    truth: [
      ['Ada Moor', 'ada@x.example', 'Leeds'],
      ['Cy Vance', 'cy@x.example', 'Hull'],
      ['Una Bly', 'una@x.example', 'York'],
    ].map(([name = '', email = '', city = '']) => ({ 'full_name|name': name, email, city })),
  },
  {
    name: 'question and answer site with vote boxes',
    goal: 'Show the questions along with number of votes, number of answers and tags',
    pages: {
      '/questions': page(
        'Newest questions',
        chrome(
          `<h1>All questions</h1><div id="questions">${each(
            [
              ['How do I true a wheel?', 12, 3, ['wheels', 'tools']],
              ['Why does my chain skip?', 4, 1, ['drivetrain']],
              ['Grease or oil for bearings?', 31, 7, ['bearings', 'oil', 'winter']],
            ] as const,
            ([title, votes, answers, tags], index) =>
              `<div class="s-post-summary js-post-summary" id="question-summary-${index + 700}" data-post-id="${index + 700}"><div class="s-post-summary--stats"><div class="s-post-summary--stats-item" title="Score of ${votes}"><span class="s-post-summary--stats-item-number">${votes}</span> <span class="s-post-summary--stats-item-unit">votes</span></div><div class="s-post-summary--stats-item has-answers"><span class="s-post-summary--stats-item-number">${answers}</span> <span class="s-post-summary--stats-item-unit">answers</span></div></div><div class="s-post-summary--content"><h3 class="s-post-summary--content-title"><a href="/questions/${index}" class="s-link">${title}</a></h3><ul class="s-post-summary--meta-tags">${each(tags, (tag) => `<li><a href="/t/${tag}" class="post-tag">${tag}</a></li>`)}</ul></div></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: (
      [
        ['How do I true a wheel?', 12, 3, ['wheels', 'tools']],
        ['Why does my chain skip?', 4, 1, ['drivetrain']],
        ['Grease or oil for bearings?', 31, 7, ['bearings', 'oil', 'winter']],
      ] as const
    ).map(([title, votes, answers, tags]) => ({
      'question|title|questions|question_title': title,
      'number_of_votes|votes': votes,
      'number_of_answers|answers': answers,
      tags,
    })),
  },
  {
    name: 'an open goal on a shop',
    goal: 'Get all the teas',
    pages: {
      '/t': page(
        'Teas',
        chrome(
          `<h1>Teas</h1><div class="tea-list">${each(
            teas,
            ([name, slug, price, origin]) =>
              `<div class="tea"><a class="tea-name" href="/t/${slug}">${name}</a><span class="tea-origin">${origin}</span><span class="tea-price">€${price}</span></div>`,
          )}</div>`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: teas.map(([name, slug, price, origin]) => ({
      'name|title|tea_name|tea': name,
      'url|link': `{origin}/t/${slug}`,
      'origin|tea_origin': origin,
      'price|tea_price': Number(price),
    })),
  },
  {
    name: 'a product page in microdata with table of facts',
    goal: 'Fetch the processor, memory, weight and price of this laptop',
    pages: {
      '/laptops/corvid-14': page(
        'Corvid 14 | Laptop Barn',
        chrome(
          `<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Corvid 14</h1><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span itemprop="priceCurrency" content="EUR">€</span><span itemprop="price" content="1299.00">1.299,00</span><link itemprop="availability" href="http://schema.org/InStock">Auf Lager</div><h2>Specifications</h2><table class="specs"><tbody><tr><th>Processor</th><td>Ryzen 7 8840U</td></tr><tr><th>Memory</th><td>16 GB</td></tr><tr><th>Display</th><td>14"</td></tr><tr><th>Weight</th><td>1.24 kg</td></tr></tbody></table></div>`,
        ),
      ),
    },
    truth: [{ processor: 'Ryzen 7 8840U', memory: 16, weight: 1.24, price: 1299 }],
  },
  {
    name: 'charts with positions and moves, ordered list with hashed classes',
    goal: 'song chart: position, song, artist',
    pages: {
      '/charts': page(
        'Top songs',
        `<div class="_1aF3x"><ol class="_9kLq2">${each(
          [
            ['1', 'Paper Moons', 'Ilse'],
            ['2', 'Hold the Tide', 'The Ferrymen'],
            ['3', 'Neon Orchard', 'Kid Vesper'],
            ['4', 'Small Hours', 'Ilse'],
          ],
          ([place, song, artist]) =>
            `<li class="_3xPz8"><div class="_0aa1B">${place}</div><div class="_7yyTr"><span class="_5tGb1 song-name-x91">${song}</span><span class="_2wSx9">${artist}</span></div></li>`,
        )}</ol></div>`,
      ),
    },
    truth: [
      [1, 'Paper Moons', 'Ilse'],
      [2, 'Hold the Tide', 'The Ferrymen'],
      [3, 'Neon Orchard', 'Kid Vesper'],
      [4, 'Small Hours', 'Ilse'],
    ].map(([position = '', song = '', artist = '']) => ({ position, song, artist })),
  },
  {
    name: 'two shops lists on one page, deals are wanted',
    goal: 'Which deals are on today? I want the product, old price and the deal price',
    pages: {
      '/': page(
        'Gadget Market',
        chrome(
          `<section id="new-arrivals"><h2>New arrivals</h2><div class="carousel">${each(
            ['Desk fan', 'USB lamp', 'Cable tray', 'Wrist rest', 'Foot stool', 'Monitor arm'],
            (name, index) =>
              `<div class="tile"><a href="/n/${index}"><img src="/n.jpg"><p class="tile-title">${name}</p></a><p class="tile-price">$${index + 15}.00</p></div>`,
          )}</div></section><section id="todays-deals"><h2>Today's deals</h2><div class="deals-grid">${each(
            [
              ['Walnut keyboard', '$180.00', '$129.00'],
              ['Paper tablet', '$399.00', '$349.00'],
              ['Thermos', '$40.00', '$28.00'],
            ],
            ([name, old, now]) =>
              `<div class="deal-card"><img src="/d.jpg"><h4 class="deal-product">${name}</h4><span class="was">Was ${old}</span><strong class="deal-price">${now}</strong></div>`,
          )}</div></section>`,
        ),
      ),
    },
    truth: [
      ['Walnut keyboard', 180, 129],
      ['Paper tablet', 399, 349],
      ['Thermos', 40, 28],
    ].map(([product = '', old = '', deal = '']) => ({ product, old_price: old, deal_price: deal })),
  },
  {
    name: 'paged listing by path numbers, no rel',
    goal: 'vintage radios with model name and price',
    pages: {
      '/radios/': page(
        'Radios',
        chrome(
          `<h1>Vintage radios</h1>${each(
            [
              ['Aria 4', '£120'],
              ['Bakelite Duo', '£85'],
              ['Nordmende Spectra', '£240'],
            ],
            ([name, price]) =>
              `<div class="radio-row"><span class="radio-model">${name}</span><span class="radio-price">${price}</span></div>`,
          )}<div class="pager-wrap"><span>1</span><a href="/radios/page/2/">2</a><a href="/radios/page/3/">3</a></div>`,
        ),
      ),
      '/radios/page/2/': page(
        'Radios',
        chrome(
          `<h1>Vintage radios</h1>${each(
            [
              ['Philco 90', '£310'],
              ['Tesla Talisman', '£150'],
            ],
            ([name, price]) =>
              `<div class="radio-row"><span class="radio-model">${name}</span><span class="radio-price">${price}</span></div>`,
          )}<div class="pager-wrap"><a href="/radios/">1</a><span>2</span><a href="/radios/page/3/">3</a></div>`,
        ),
      ),
    },
    truth: [
      ['Aria 4', 120],
      ['Bakelite Duo', 85],
      ['Nordmende Spectra', 240],
    ].map(([name = '', price = '']) => ({ 'model_name|model|name': name, price })),
    second: [
      ['Philco 90', 310],
      ['Tesla Talisman', 150],
    ].map(([name = '', price = '']) => ({ 'model_name|model|name': name, price })),
  },
  {
    name: 'details behind the links of a list',
    goal: 'All breweries with name, city, phone number and website',
    pages: {
      '/breweries': page(
        'Breweries',
        chrome(
          `<h1>Breweries</h1><ul class="brewery-list">${each(
            [
              ['Foxtail Brewing', 'Leeds', 'foxtail'],
              ['Quarry Ales', 'Hull', 'quarry'],
              ['Tidewater Beer Co', 'Whitby', 'tidewater'],
            ],
            ([name, city, slug]) =>
              `<li class="brewery"><a href="/breweries/${slug}" class="brewery-name">${name}</a> <span class="city">${city}</span></li>`,
          )}</ul>`,
        ),
      ),
      ...Object.fromEntries(
        [
          ['Foxtail Brewing', 'foxtail', '0113 496 0001', 'https://foxtail.example/'],
          ['Quarry Ales', 'quarry', '01482 496 002', 'https://quarry.example/'],
          ['Tidewater Beer Co', 'tidewater', '01947 496 003', 'https://tidewater.example/'],
        ].map(([name, slug, phone, site]) => [
          `/breweries/${slug}`,
          page(
            `${name}`,
            chrome(
              `<h1>${name}</h1><dl class="contact"><dt>Phone</dt><dd>${phone}</dd><dt>Website</dt><dd><a href="${site}">${site}</a></dd></dl>`,
            ),
          ),
        ]),
      ),
    },
    truth: [
      ['Foxtail Brewing', 'Leeds', '0113 496 0001', 'https://foxtail.example/'],
      ['Quarry Ales', 'Hull', '01482 496 002', 'https://quarry.example/'],
      ['Tidewater Beer Co', 'Whitby', '01947 496 003', 'https://tidewater.example/'],
    ].map(([name = '', city = '', phone = '', website = ''], index) => ({
      name,
      city,
      // What the details are found by stays in the row.
      url: `{origin}/breweries/${['foxtail', 'quarry', 'tidewater'][index]}`,
      'phone_number|phone': phone,
      website,
    })),
  },
  {
    name: 'nothing: a cookie wall',
    goal: 'List all products with price',
    pages: {
      '/': page(
        'Before you continue',
        '<div class="consent"><h1>Before you continue</h1><p>We use cookies and data to deliver and maintain our services and measure engagement.</p><form method="post" action="/save"><button>Reject all</button><button>Accept all</button></form><ul><li><a href="/privacy">Privacy</a></li><li><a href="/terms">Terms</a></li></ul></div>',
      ),
    },
    failure: ['NO_DATA_FOUND', 'GOAL_NOT_COVERED'],
  },
  {
    name: 'nothing: members only',
    goal: 'list my orders with date and total',
    pages: {
      '/account/orders': page(
        'Log in – Leaf & Kettle',
        chrome(
          '<h1>Log in</h1><form method="post" action="/account/login"><label>Email <input type="email" name="email"></label><label>Password <input type="password" name="password"></label><button>Sign in</button></form><p><a href="/account/register">Create account</a></p>',
        ),
      ),
    },
    failure: ['LOGIN_REQUIRED'],
  },
  {
    name: 'nothing: a shell of a Vue application',
    goal: 'cinema showtimes: film, time, screen',
    pages: {
      '/': page(
        'Roxy Cinema',
        '<noscript><strong>We\'re sorry but roxy doesn\'t work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id="app"></div><script src="/js/chunk-vendors.1a2b3c.js"></script>',
      ),
    },
    failure: ['NEEDS_JAVASCRIPT'],
  },
  {
    name: 'nothing: a shop whose search found nothing, with bestsellers',
    goal: 'List the search results for hammocks with name, price and weight capacity',
    pages: {
      '/search?q=hammock': page(
        'Search: 0 results found for hammock',
        chrome(
          `<h1>0 results found for "hammock"</h1><p>Check the spelling or use other words.</p><h2>Bestsellers</h2><ul class="products">${each(teas, ([name, , price]) => `<li class="product"><h3>${name}</h3><span class="price">$${price}</span></li>`)}</ul>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: a company page with team and numbers',
    goal: 'Give me opening hours for every branch',
    pages: {
      '/about': page(
        'About – Brightwell',
        chrome(
          `<h1>About Brightwell</h1><p>We mend roofs since 1970.</p><div class="stats"><div class="stat"><b>54</b><span>years</span></div><div class="stat"><b>1,200</b><span>roofs</span></div><div class="stat"><b>18</b><span>people</span></div></div><h2>Team</h2><div class="team">${each(['Ann', 'Ben', 'Cleo'], (name) => `<div class="member"><h3>${name}</h3><p>Roofer</p></div>`)}</div>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: an error page with status 200',
    goal: 'train departures with time, destination, platform',
    pages: {
      '/departures': page(
        'Page not found',
        chrome(
          '<h1>Oops! That page can’t be found.</h1><p>It looks like nothing was found at this location.</p>',
          {
            sidebar: recentPosts + tagCloud,
          },
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: news instead of stock prices',
    goal: 'Get the share price, market cap and P/E ratio for each company',
    pages: {
      '/markets': page(
        'Markets news',
        chrome(
          `<h1>Markets</h1>${each(posts, ([title, slug, author, shown]) => `<article class="post"><h2><a href="/${slug}">${title}</a></h2><p>${author}, ${shown}</p></article>`)}`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
];
