/** Data in standard forms: what feeds, JSON-LD, page state and definition lists hold beyond the usual fields. */
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const talks = [
  ['Salt roads', '2024-05-03T06:00:00Z', 'Fri, 03 May 2024 06:00:00 GMT', '41:07', 'salt', 'Mara Quist'],
  [
    'The last signal box',
    '2024-04-26T06:00:00Z',
    'Fri, 26 Apr 2024 06:00:00 GMT',
    '1:02:30',
    'signal',
    'Mara Quist',
  ],
  ['Moths', '2024-04-19T06:00:00Z', 'Fri, 19 Apr 2024 06:00:00 GMT', '38:15', 'moths', 'Ole Brandt'],
] as const;

const feeds: readonly PageSet[] = [
  {
    name: 'a podcast: durations, files and notes',
    goal: 'All episodes with title, publication date, duration, speaker and the audio file',
    pages: {
      '/feed.xml': `<?xml version="1.0"?><rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Side tracks</title><link>{origin}/</link><description>Stories</description>
        ${each(talks, ([title, , date, length, file, who]) => `<item><title>${title}</title><link>{origin}/${file}</link><guid isPermaLink="false">${file}-1</guid><pubDate>${date}</pubDate><description><![CDATA[<p>About <b>${file}</b>.</p>]]></description><enclosure url="https://cdn.example/${file}.mp3" length="4000" type="audio/mpeg"/><itunes:duration>${length}</itunes:duration><itunes:author>${who}</itunes:author></item>`)}</channel></rss>`,
    },
    truth: talks.map(([title, date, , duration, file, speaker]) => ({
      title,
      'publication_date|date': date,
      duration,
      speaker,
      audio_file: `https://cdn.example/${file}.mp3`,
    })),
  },
  {
    name: 'an Atom feed that only says when entries were updated',
    goal: 'Entries with name, link, date and who wrote it',
    pages: {
      '/notes.atom': `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><id>{origin}/</id><updated>2024-05-03T06:00:00Z</updated>
        ${each(talks, ([title, date, , , file, who]) => `<entry><id>tag:x,${file}</id><title>${title}</title><updated>${date}</updated><link rel="alternate" href="{origin}/${file}"/><author><name>${who}</name></author><content type="html">&lt;p&gt;${file}&lt;/p&gt;</content></entry>`)}</feed>`,
    },
    truth: talks.map(([name, date, , , file, who]) => ({
      name,
      link: `{origin}/${file}`,
      date,
      'who_wrote|author': who,
    })),
  },
  {
    name: 'a feed with elements of a namespace of its own',
    goal: 'List the vacancies: title, employer, salary, town',
    pages: {
      '/jobs.rss': `<?xml version="1.0"?><rss version="2.0" xmlns:job="https://jobs.example/ns"><channel><title>Vacancies</title><link>{origin}/</link><description>All jobs</description>
        ${each(
          [
            ['Miller', 'Old Mill', '31000', 'Leek'],
            ['Cooper', 'Barrel & Co', '29500', 'Ripon'],
            ['Baker', 'Crumb', '27000', 'Frome'],
          ],
          ([title, company, pay, town]) =>
            `<item><title>${title}</title><link>{origin}/${title}</link><job:company>${company?.replace('&', '&amp;')}</job:company><job:salary>${pay}</job:salary><job:location>${town}</job:location></item>`,
        )}</channel></rss>`,
    },
    truth: [
      { title: 'Miller', employer: 'Old Mill', salary: 31000, town: 'Leek' },
      { title: 'Cooper', employer: 'Barrel & Co', salary: 29500, town: 'Ripon' },
      { title: 'Baker', employer: 'Crumb', salary: 27000, town: 'Frome' },
    ],
  },
];

const boats = [
  {
    boatId: 4,
    name: "Gull's Way",
    berth: { harbour: 'Fowey', no: 12 },
    dailyRate: { amount: 140, currency: 'GBP' },
    sleeps: 4,
  },
  {
    boatId: 9,
    name: 'Tern',
    berth: { harbour: 'Looe', no: 3 },
    dailyRate: { amount: 95, currency: 'GBP' },
    sleeps: 2,
  },
  {
    boatId: 11,
    name: 'Old <Kittiwake>',
    berth: { harbour: 'Fowey', no: 7 },
    dailyRate: { amount: 220, currency: 'GBP' },
    sleeps: 8,
  },
];
const shell = (scripts: string) =>
  page('Boats to hire', `${frame('<div id="root"><p>Loading…</p></div>')}${scripts}`);
const boatTruth = boats.map(({ name, berth, dailyRate, sleeps }) => ({
  name,
  harbour: berth.harbour,
  'price|price_per_day': dailyRate.amount,
  sleeps,
}));
const escaped = (text: string) => text.replaceAll('<', '\\u003C').replaceAll('/', '\\u002F');

const states: readonly PageSet[] = [
  {
    name: 'state that a function removes after it was read',
    goal: 'All boats: name, harbour, price, sleeps',
    pages: {
      '/boats': shell(
        `<script>window.__CONFIG__={"api":"/api","debug":false,"__APP_STATE__":1};</script><script>window.dataLayer=window.dataLayer||[];window.__APP_STATE__=${escaped(JSON.stringify({ user: null, results: { fleet: boats } }))};(function(){var s;(s=document.currentScript).parentNode.removeChild(s);}());</script>`,
      ),
    },
    truth: boatTruth,
  },
  {
    name: 'state as an object of JavaScript',
    goal: 'All boats: name, harbour, price, sleeps',
    pages: {
      '/boats': shell(
        `<script>window.__NUXT__={layout:'default',data:[{fleet:[${boats.map(({ boatId, name, berth, dailyRate, sleeps }) => `{boatId:${boatId},name:${JSON.stringify(name).replaceAll('<', '\\x3C')},berth:{harbour:'${berth.harbour}',no:${berth.no}},dailyRate:{amount:${dailyRate.amount},currency:"GBP"},sleeps:${sleeps},offer:void 0,free:!0,}`).join(',')}]}],error:undefined,serverRendered:!0};</script>`,
      ),
    },
    truth: boatTruth,
  },
  {
    name: 'state in a text that is parsed',
    goal: 'All boats: name, harbour, price, sleeps',
    pages: {
      '/boats': shell(
        `<script>var config = {"a": 1}; window.store = JSON.parse('${escaped(JSON.stringify({ fleet: boats }).replaceAll('\\', '\\\\')).replaceAll("'", "\\'")}'); start(store);</script>`,
      ),
    },
    truth: boatTruth,
  },
  {
    name: 'state in a script of another id',
    goal: 'List all boats with name, harbour, price per day, sleeps',
    pages: {
      '/boats': shell(
        `<script type="application/json" id="i18n">{"ok":"OK"}</script><script type="application/json" data-for="fleet">${escaped(JSON.stringify({ a: { b: [{ fleet: boats }] } }))}</script>`,
      ),
    },
    truth: boatTruth,
  },
];

const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const crumbs = {
  '@type': 'BreadcrumbList',
  itemListElement: ['Home', 'Soups'].map((name, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
  })),
};

const lamps = [
  { name: 'Arc', sku: 'A-1', price: 120, stock: 'InStock' },
  { name: 'Dome', sku: 'D-1', price: 89.5, stock: 'OutOfStock' },
  { name: 'Reed', sku: 'R-4', price: 45, stock: 'InStock' },
  { name: 'Sill', sku: 'S-2', price: 60, stock: 'InStock' },
];

const things: readonly PageSet[] = [
  {
    name: 'a recipe of a blog',
    goal: 'recipe name, servings, prep time, total time, rating, number of reviews',
    pages: {
      '/soup': page(
        'Leek soup | Ladle',
        frame('<h1>Soup of the week</h1><p>Read on.</p>'),
        ld({
          '@context': 'https://schema.org',
          '@graph': [
            crumbs,
            { '@type': 'WebPage', name: 'Leek soup | Ladle', datePublished: '2024-01-02' },
            {
              '@type': 'Recipe',
              recipeCategory: 'Starter',
              keywords: 'leek, soup',
              name: 'Leek and barley soup',
              recipeYield: '6',
              prepTime: 'PT15M',
              totalTime: 'PT55M',
              recipeIngredient: ['2 leeks', 'barley'],
              aggregateRating: { '@type': 'AggregateRating', ratingValue: '4.7', reviewCount: '212' },
            },
          ],
        }),
      ),
    },
    truth: [
      {
        recipe_name: 'Leek and barley soup',
        servings: 6,
        prep_time: 'PT15M',
        total_time: 'PT55M',
        rating: 4.7,
        number_of_reviews: 212,
      },
    ],
  },
  {
    name: 'one vacancy',
    goal: 'Get the job title, employer, city, salary, posting date and application deadline of this vacancy',
    pages: {
      '/jobs/7': page(
        'Ferry pilot - Harbour Jobs',
        frame('<h1>Ferry pilot</h1><p>Posted on 3 May 2024.</p>'),
        ld({
          '@type': 'JobPosting',
          title: 'Ferry pilot',
          datePosted: '2024-05-03',
          validThrough: '2024-06-15',
          hiringOrganization: { '@type': 'Organization', name: 'Firth Lines' },
          jobLocation: {
            '@type': 'Place',
            address: {
              '@type': 'PostalAddress',
              addressLocality: 'Oban',
              addressRegion: 'Argyll',
              postalCode: 'PA34',
            },
          },
          baseSalary: {
            '@type': 'MonetaryAmount',
            currency: 'GBP',
            value: { '@type': 'QuantitativeValue', value: 41000, unitText: 'YEAR' },
          },
        }),
      ),
    },
    truth: [
      {
        job_title: 'Ferry pilot',
        employer: 'Firth Lines',
        city: 'Oban',
        salary: 41000,
        posting_date: '2024-05-03',
        'application_deadline|deadline': '2024-06-15',
      },
    ],
  },
  {
    name: 'a list of products that says more than is asked for',
    goal: 'All lamps with name, price and stock',
    pages: {
      '/lamps': page(
        'Lamps',
        frame('<h1>Lamps</h1><p>Light.</p>'),
        ld({
          '@type': 'ItemList',
          itemListElement: lamps.map(({ name, sku, price, stock }, index) => ({
            '@type': 'ListItem',
            position: index + 1,
            item: {
              '@type': 'Product',
              name,
              sku,
              url: `{origin}/lamps/${sku}`,
              image: `{origin}/${sku}.jpg`,
              offers: {
                '@type': 'Offer',
                price,
                priceCurrency: 'EUR',
                availability: `https://schema.org/${stock}`,
              },
            },
          })),
        }),
      ),
    },
    truth: lamps.map(({ name, price, stock }) => ({ name, price, stock })),
  },
];

const walks = [
  { name: 'Crag loop', km: 12.5, hours: '4 h 30 min', level: 'Hard', start: 'Mill Lane car park' },
  { name: 'River meadows', km: 5.2, hours: '1 h 40 min', level: 'Easy', start: 'Church gate' },
  { name: 'Two bridges', km: 8.1, hours: '2 h 45 min', level: 'Moderate', start: 'Station yard' },
  { name: 'Old tramway', km: 9.4, hours: '2 h 50 min', level: 'Easy', start: 'Quarry halt' },
];
const walkPage = page(
  'Walks around Elder Vale',
  frame(
    `<h1>Walks</h1><div class="walks">${each(walks, ({ name, km, hours, level, start }) => `<article class="walk"><h2 class="walk-name">${name}</h2><p><span class="distance">${km} km</span> <span class="duration">${hours}</span> <span class="difficulty">${level}</span></p><p class="start-point">${start}</p></article>`)}</div>`,
  ),
);
const coats = [
  ['Field parka', '£140', '£180'],
  ['Rain shell', '£95', ''],
  ['Wool overcoat', '£220', ''],
  ['Gilet', '£60', ''],
] as const;
const coatPage = (reduced: boolean) =>
  page(
    'Coats',
    frame(
      `<h1>Coats</h1><ul class="grid">${each(coats, ([name, price, old]) => `<li class="card"><h3 class="card-title"><a href="/coats/${name.replace(' ', '-')}">${name}</a></h3><span class="price">${price}</span>${reduced && old !== '' ? `<s class="price-old">${old}</s>` : ''}</li>`)}</ul>`,
    ),
  );

const lacking: readonly PageSet[] = [
  {
    name: 'one of five fields is nowhere',
    goal: 'All walks with walk name, distance, duration, difficulty and dog policy',
    pages: { '/walks': walkPage },
    truth: walks.map(({ name, km, hours, level }) => ({
      'walk_name|name': name,
      distance: km,
      duration: hours,
      difficulty: level,
    })),
  },
  {
    name: 'nothing: two of five fields are nowhere',
    goal: 'All walks with walk name, distance, duration, dog policy and pub',
    pages: { '/walks': walkPage },
    failure: ['GOAL_NOT_COVERED'],
  },
  {
    name: 'nothing: one of three fields is nowhere',
    goal: 'All walks with name, distance and dog policy',
    pages: { '/walks': walkPage },
    failure: ['GOAL_NOT_COVERED'],
  },
  {
    name: 'nothing: the fields of other things',
    goal: 'All flats with rent, size, number of rooms and district',
    pages: { '/walks': walkPage },
    failure: ['GOAL_NOT_COVERED'],
  },
  {
    name: 'an old price that is asked for if there is any, and there is none',
    goal: 'List the coats: name, price, old price if reduced',
    pages: { '/coats': coatPage(false) },
    truth: coats.map(([name, price]) => ({ name, price: Number(price.slice(1)) })),
  },
  {
    name: 'an old price that is asked for if there is any, and one coat has one',
    goal: 'List the coats: name, price and (if reduced) old price',
    pages: { '/coats': coatPage(true) },
    truth: coats.map(([name, price, old]) => ({
      name,
      price: Number(price.slice(1)),
      old_price: old === '' ? null : Number(old.slice(1)),
    })),
  },
];

const posts = [
  ['Rules of this board', true, 'Read these before you write anything here.'],
  ['Which chain oil for wet winters', false, 'The usual one goes off after two rides.'],
  ['Squeaking from the front hub', false, 'It started last week and gets louder.'],
  ['Meet-up in June', true, 'We meet at the lock as in other years.'],
  ['Looking for a 54 cm frame', false, 'Steel if possible, any colour will do.'],
] as const;
const soaps = [
  ['Lavender bar', '4.50', false],
  ['Pine tar', '5.20', true],
  ['Oat and honey', '4.80', false],
  ['Charcoal', '6.00', true],
  ['Sea salt', '5.00', false],
] as const;
const soapPage = (card: (soap: (typeof soaps)[number]) => string) =>
  page('Soaps', frame(`<h1>Soaps</h1><ul class="grid">${each(soaps, card)}</ul>`));
const soapTruth = soaps.map(([name, price, out]) => ({
  name,
  price: Number(price),
  'sold_out|availability': out,
}));

const flags: readonly PageSet[] = [
  {
    name: 'sold out as a badge',
    goal: 'All soaps with name, price and whether it is sold out',
    pages: {
      '/soaps': soapPage(
        ([name, price, out]) =>
          `<li class="card">${out ? '<span class="badge">Sold out</span>' : name === 'Sea salt' ? '<span class="badge">New</span>' : ''}<h3><a href="/s/${name[0]}">${name}</a></h3><span class="price">$${price}</span></li>`,
      ),
    },
    truth: soapTruth,
  },
  {
    name: 'sold out as a class',
    goal: 'name, price, sold out or not of all soaps',
    pages: {
      '/soaps': soapPage(
        ([name, price, out]) =>
          `<li class="card${out ? ' card--sold-out' : ''}"><h3><a href="/s/${name[0]}">${name}</a></h3><span class="price">$${price}</span></li>`,
      ),
    },
    truth: soapTruth,
  },
  {
    name: 'threads that are pinned by an icon',
    goal: 'List the threads: title, excerpt, pinned',
    pages: {
      '/board': page(
        'Board',
        frame(
          `<h1>Threads</h1><div>${each(posts, ([title, pinned, excerpt], index) => `<div class="thread">${pinned ? '<i class="icon is-sticky"></i>' : ''}<h3><a href="/t/${index}">${title}</a></h3><p class="excerpt">${excerpt}</p></div>`)}</div>`,
        ),
      ),
    },
    truth: posts.map(([title, pinned, excerpt]) => ({ title, excerpt, pinned })),
  },
];

const pictures = [
  ['Low tide', 'Ines Roth'],
  ['The mole, evening', 'Bo Lindh'],
  ['Nets', 'Ines Roth'],
  ['Gulls over the slip', 'Tam Osei'],
] as const;
const pictureSet = (
  caption: (title: string, who: string) => string,
  name: string,
  goal: string,
  key: string,
): PageSet => ({
  name,
  goal,
  pages: {
    '/gallery': page(
      'Gallery',
      frame(
        `<h1>Gallery</h1><div class="wall">${each(pictures, ([title, who], index) => `<figure><a href="/p/${index}"><img src="/img/${index}.jpg" alt=""></a><figcaption>${caption(title, who)}</figcaption></figure>`)}</div>`,
      ),
    ),
  },
  truth: pictures.map(([title, who], index) => ({
    'title|picture_title': title,
    [key]: who,
    image: `{origin}/img/${index}.jpg`,
  })),
});
const tees = [
  ['Shirt Ebbe', '12,50', ''],
  ['Shirt Flut', '24,50', '26,50'],
  ['Shirt Watt', '8,30', '10,30'],
  ['Shirt Priel', '9,90', ''],
  ['Shirt Deich', '7,00', ''],
] as const;
const amount = (value: string) =>
  `<span class="woocommerce-Price-amount amount"><bdi>${value}&nbsp;<span class="woocommerce-Price-currencySymbol">&euro;</span></bdi></span>`;
const spoken: PageSet = {
  name: 'reduced prices that are said once more for screen readers',
  goal: 'Alle Shirts mit Name und Preis',
  pages: {
    '/shirts': page(
      'Shirts',
      frame(
        `<h1>Shirts</h1><ul class="products columns-4">${each(tees, ([name, price, old], index) => `<li class="product post-${index}"><a href="/p/${index}" class="woocommerce-LoopProduct-link"><h2 class="woocommerce-loop-product__title">${name}</h2><span class="price">${old === '' ? amount(price) : `<del aria-hidden="true">${amount(old)}</del> <span class="screen-reader-text">Ursprünglicher Preis war: ${old}&nbsp;€</span><ins aria-hidden="true">${amount(price)}</ins><span class="screen-reader-text">Aktueller Preis ist: ${price}&nbsp;€.</span>`}</span></a></li>`)}</ul>`,
      ),
      '',
      'de',
    ),
  },
  truth: tees.map(([name, price]) => ({ name, preis: Number(price.replace(',', '.')) })),
};

const commands: readonly (readonly [
  section: string,
  list: readonly (readonly [name: string, text: string])[],
])[] = [
  [
    'Files',
    [
      ['ls', 'Lists what a folder holds'],
      ['cp', 'Copies files and folders'],
    ],
  ],
  [
    'Network',
    [
      ['ping', 'Asks a host for an answer'],
      ['dig', 'Looks a name up'],
      ['curl', 'Fetches an address'],
    ],
  ],
];

const captioned: readonly PageSet[] = [
  {
    name: 'summaries that say by what',
    goal: 'Posts with title, date and summary',
    pages: {
      '/blog': page(
        'Notes',
        frame(
          `<h1>Notes</h1>${each(pictures, ([title], index) => `<article><h2><a href="/n/${index}">${title}</a></h2><time datetime="2024-05-0${index + 1}">${index + 1} May</time><p>${title} in a week, ${['made by hand', 'paid by card', 'seen by night', 'told by a friend'][index]}</p></article>`)}`,
        ),
      ),
    },
    truth: pictures.map(([title], index) => ({
      title,
      date: `2024-05-0${index + 1}`,
      summary: `${title} in a week, ${['made by hand', 'paid by card', 'seen by night', 'told by a friend'][index]}`,
    })),
  },
  spoken,
  pictureSet(
    (title, who) => `${title} — Photo: ${who}`,
    'captions with a credit',
    'All pictures: title, photographer, image',
    'photographer',
  ),
  pictureSet(
    (title, who) => `${title} by ${who}`,
    'captions with an author',
    'Pictures with title, artist and image',
    'artist',
  ),
  {
    name: 'an index of terms in sections',
    goal: 'List all commands with name, link and short description',
    pages: {
      '/index': page(
        'Commands',
        frame(
          `<h1>Commands</h1>${each(commands, ([section, list]) => `<h2>${section}</h2><dl>${each(list, ([name, text]) => `<dt><a href="/c/${name}">${name}</a></dt><dd>${text}</dd>`)}</dl>`)}`,
        ),
      ),
    },
    truth: commands.flatMap(([, list]) =>
      list.map(([name, text]) => ({
        name,
        link: `{origin}/c/${name}`,
        'short_description|description': text,
      })),
    ),
  },
];

export const standards: readonly PageSet[] = [
  ...feeds,
  ...states,
  ...things,
  ...lacking,
  ...flags,
  ...captioned,
];
