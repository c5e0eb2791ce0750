/**
 * Page sets of cards: such as are links as a whole beside a sidebar, such as a logo says whose they are, such as have
 * their facts in a list of which some lack one; and pages about one thing that say a part of it for programs alone.
 */
import { chrome, recentPosts } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const fonts = [
  ['Larkspur Sans', '2.1.0', 'A humanist face for long tables', '2024-03-08'],
  ['Tidal Mono', '0.9.4', 'Fixed width, with slashed zeros', '2024-01-19'],
  ['Old Quay', '1.3.0', 'Letters of harbour signs', '2023-11-02'],
  ['Bramble Slab', '4.0.1', 'Heavy serifs for posters', '2023-08-27'],
] as const;

const ferries = [
  ['Norsund Line', '06:40', '09:15', '2h 35m', '38'],
  ['Blue Strait', '08:05', '10:20', '2h 15m', '44'],
  ['Norsund Line', '11:30', '14:25', '2h 55m', '31'],
  ['Kapp Ferries', '16:00', '18:10', '2h 10m', '52'],
] as const;

const flats = [
  ['Attic in Mill Lane', '1,150', 2, 64, 3],
  ['Studio by the lock', '720', undefined, 31, 1],
  ['House on Fell Road', '1,480', 4, 118, undefined],
  ['Garden flat, Elm Row', '990', 2, 57, 0],
  ['Loft at the tannery', '1,620', 3, 96, 5],
] as const;

const kits = [
  ['Puffin', '14.50', ['birds', 'card']],
  ['Otter on a rock', '19.00', ['mammals']],
  ['Hare', '11.25', ['mammals', 'card', 'easy']],
  ['Long-eared owl', '16.75', ['birds', 'wood']],
] as const;

const shifts = [
  ['Night porter', 'Grand Pier Hotel', 'Torbay', '2024-05-02'],
  ['Pastry cook', 'Salt & Rye', 'Exmouth', '2024-05-01'],
  ['Boat cleaner', 'Marlin Charters', 'Brixham', '2024-04-29'],
] as const;

const opinions = [
  [
    'Ines K.',
    4,
    'Quiet and quick',
    'It boils a litre in under three minutes and one hardly hears it.',
    '2024-02-11',
  ],
  [
    'Paul',
    2,
    'Lid broke',
    'After six weeks the hinge of the lid gave way; I wait for a spare part.',
    '2024-02-03',
  ],
  [
    'Mrs Hale',
    5,
    'Second one bought',
    'The first still works after nine years, this one is for my daughter.',
    '2024-01-20',
  ],
] as const;

export const cards: readonly PageSet[] = [
  {
    name: 'cards that are links as a whole, beside a sidebar of filters',
    goal: 'all fonts: name, version, description, release date, link',
    pages: {
      '/fonts': page(
        'Fonts',
        chrome(
          `<div class="sidebar-layout"><div class="sidebar-layout__side"><h2>Filter</h2><ul class="filter-list"><li><a href="/f/sans">Sans</a></li><li><a href="/f/serif">Serif</a></li><li><a href="/f/mono">Mono</a></li></ul></div>
          <div class="sidebar-layout__main"><ul class="plain" aria-label="Fonts">${each(fonts, ([name, version, about, date]) => `<li><a class="font-snippet" href="/font/${name.toLowerCase().replace(' ', '-')}"><h3><span class="font-snippet__name">${name}</span> <span class="font-snippet__version">${version}</span> <span class="font-snippet__released"><time datetime="${date}">some time ago</time></span></h3><p class="font-snippet__description">${about}</p></a></li>`)}</ul></div></div>`,
        ),
      ),
    },
    truth: fonts.map(([name, version, description, date]) => ({
      name,
      version,
      description,
      'release_date|date': date,
      link: `{origin}/font/${name.toLowerCase().replace(' ', '-')}`,
    })),
  },
  {
    name: 'ferries whose operator stands in a logo, with times without names',
    goal: 'ferries: operator, departure time, arrival time, duration, price',
    pages: {
      '/ferries': page(
        'Ferries from Norsund',
        frame(
          `<h1>Ferries from Norsund</h1><div class="xq7">${each(ferries, ([line, from, to, lasts, price], index) => `<div class="kd2"><div class="v1"><img src="/img/operators/logos/${index}.png" alt="${line}"></div><div class="v2"><div class="w4"><span>${from}</span><span> – </span><span>${to}</span></div><div class="w5"><div class="o1">${line}</div></div></div><div class="v3"><div class="w6">${lasts}</div></div><div class="v4"><a href="/book/${index}"><div class="p9">${price} €</div></a><a class="bt" href="/book/${index}">Choose</a></div></div>`)}</div>`,
        ),
      ),
    },
    truth: ferries.map(([operator, departure_time, arrival_time, duration, price]) => ({
      operator,
      departure_time,
      arrival_time,
      duration,
      price: Number(price),
    })),
  },
  {
    name: 'flats with their facts in a list of which some lack one',
    goal: 'flats to rent with title, monthly rent, bedrooms, floor area and link',
    pages: {
      '/flats': page(
        'Flats to rent',
        chrome(
          `<h1>Flats to rent</h1><section class="results">${each(flats, ([title, rent, beds, area, floor], index) => `<article class="result"><div class="gallery"><img src="/p/${index}.jpg" alt=""><span>1/${index + 7}</span></div><div class="info"><a class="result-link" href="/flat/${index}">${title}</a><div class="rent"><span class="price">£${rent}</span></div><div class="facts">${[beds === undefined ? '' : `<span class="fact">${beds} bed${beds > 1 ? 's' : ''}</span>`, `<span class="fact">${area} m²</span>`, floor === undefined ? '' : `<span class="fact">Floor ${floor}</span>`].join('')}</div></div></article>`)}</section>`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: flats.map(([title, rent, bedrooms, area], index) => ({
      title,
      'monthly_rent|rent|price': Number(rent.replace(',', '')),
      bedrooms: bedrooms ?? null,
      'floor_area|area': area,
      link: `{origin}/flat/${index}`,
    })),
  },
  {
    name: 'kits in tags of another vocabulary, with links to their kinds',
    goal: 'each kit with name, price and tags',
    pages: {
      '/kits': page(
        'Kits',
        frame(
          `<h1>Kits</h1><o:list>${each(kits, ([name, price, tags], index) => `<o:kit><h2><a href="/kit/${index}">${name}</a></h2><o:p>£${price}</o:p><p class="tags">${tags.map((tag) => `<a href="/tags/${tag}">${tag}</a>`).join(' ')}</p></o:kit>`)}</o:list>`,
        ),
      ),
    },
    truth: kits.map(([name, price, tags]) => ({ name, price: Number(price), tags })),
  },
  {
    name: 'shifts whose titles are buttons',
    goal: 'job title, company, location and date posted of every shift',
    pages: {
      '/shifts': page(
        'Shifts',
        chrome(
          `<h1>Shifts by the sea</h1><div id="found">${each(shifts, ([title, company, place, date], index) => `<article class="shift"><h2 class="shift__title"><button type="button" class="btn btn-link" data-href="/s/${index}">${title}</button></h2>${index === 1 ? '' : `<div class="shift__logo"><img src="/logo/${index}.png" alt="${company.replace('&', '&amp;')} logo"></div>`}<div class="shift__by">Posted <time datetime="${date}">lately</time> by <a class="company-link" href="/c/${index}">${company.replace('&', '&amp;')}</a></div><ul class="shift__facts"><li class="shift__location">${place}</li></ul><button class="btn">Save</button></article>`)}</div>`,
        ),
      ),
    },
    truth: shifts.map(([job_title, company, location, date]) => ({
      'job_title|title': job_title,
      company,
      location,
      date_posted: date,
    })),
  },
  {
    name: 'opinions with a name, a heading and drawn stars',
    goal: 'all reviews with name, stars, title, text and date',
    pages: {
      '/opinions': page(
        'Kettle 12: reviews',
        frame(
          `<h1>Reviews of Kettle 12</h1><div class="cards">${each(opinions, ([who, stars, heading, text, date]) => `<article class="card_x81kd9"><aside class="customer"><span class="initial">${who[0]}</span><span class="heading_k2j3h4">${who}</span><div>${stars + 3} reviews</div></aside><div data-review-rating="${stars}"><img src="/stars-${stars}.svg" alt="Rated ${stars} out of 5 stars"><time datetime="${date}">on a day</time></div><h2 class="heading_k2j3h4">${heading}</h2><p class="body_d83jk2">${text}</p></article>`)}</div>`,
        ),
      ),
    },
    truth: opinions.map(([name, stars, title, text, date]) => ({ name, stars, title, text, date })),
  },
  {
    name: 'a lamp of which the page states a part for programs',
    goal: 'product name, brand, sku, price, old price, rating and number of reviews of this lamp',
    pages: {
      '/lamp': page(
        'Heron desk lamp | Lumen & Daughters',
        chrome(
          `<section class="pdp"><h1 class="pdp__title">Heron desk lamp</h1><div class="pdp__meta"><a class="stars" href="#opinions"><span class="stars__value">4.6</span> <span class="stars__count">(218)</span></a></div>
          <div class="cost"><span class="cost__now">£84.00</span> <span class="cost__was">Was <s>£112.00</s></span></div><p>An arm of brass with two joints, and a shade that turns.</p>
          <table><tr><th>Height</th><td>46 cm</td></tr><tr><th>Cable</th><td>2 m</td></tr></table></section>
          <section class="more"><h2>You may also like</h2>${each(['Egret floor lamp', 'Plover clip light', 'Stork pendant'], (name, index) => `<div class="tile"><a href="/l/${index}">${name}</a><span class="cost__now">£${60 + index}.00</span></div>`)}</section>`,
        ),
        `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'Product', name: 'Heron desk lamp', sku: 'HDL-046', brand: { '@type': 'Brand', name: 'Lumen' }, offers: { '@type': 'Offer', price: '84.00', priceCurrency: 'GBP' } })}</script>`,
      ),
    },
    truth: [
      {
        'product_name|name': 'Heron desk lamp',
        brand: 'Lumen',
        sku: 'HDL-046',
        price: 84,
        old_price: 112,
        rating: 4.6,
        'number_of_reviews|reviews': 218,
      },
    ],
  },
  {
    name: 'an atlas with what it is stated to be and its kinds as buttons',
    goal: 'title, author, ISBN, number of pages, ratings count and genres of this book',
    pages: {
      '/book': page(
        'The Salt Atlas by Oona Vale',
        frame(
          `<div class="book"><h1 data-testid="bookTitle">The Salt Atlas</h1><div class="by"><a class="contributor" href="/a/1"><span class="contributor__name">Oona Vale</span></a></div><span data-testid="ratingsCount">2,904 ratings</span><p>Maps of marshes, pans and the roads between them, drawn over thirty years.</p>
          <div class="genres"><span class="lead">Genres</span>${each(['Maps', 'Travel', 'Salt'], (genre) => `<span class="genres__button"><a class="button" href="/g/${genre}"><span class="button__label">${genre}</span></a></span>`)}</div></div>
          <section><h2>Readers also liked</h2><ul>${each(['Peat', 'A Book of Locks', 'The Ford'], (name, index) => `<li class="other"><a href="/b/${index}"><span class="other__title">${name}</span></a></li>`)}</ul></section>`,
        ),
        `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'Book', name: 'The Salt Atlas (Coasts, #1)', author: [{ '@type': 'Person', name: 'Oona Vale' }], isbn: '9780000412768', numberOfPages: 312 })}</script>`,
      ),
    },
    truth: [
      {
        title: 'The Salt Atlas',
        author: 'Oona Vale',
        isbn: '9780000412768',
        number_of_pages: 312,
        ratings_count: 2904,
        genres: ['Maps', 'Travel', 'Salt'],
      },
    ],
  },
];
