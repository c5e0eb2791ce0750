/** The page sets that the builder's rules were tuned on. */
import { frame, type PageSet, page } from './page-set.ts';

const mugs = [
  ['Blue mug', '£7.50', '4', 'blue-mug'],
  ['Red bowl', '£12.00', '5', 'red-bowl'],
  ['Oak tray', '£24.95', '3', 'oak-tray'],
  ['Linen towel', '£9.20', '4', 'linen-towel'],
  ['Iron pan', '£1,049.00', '5', 'iron-pan'],
] as const;
const mugRows = mugs.map(([name, price, rating]) => ({
  name,
  price: Number(price.replace(/[£,]/g, '')),
  rating: Number(rating),
}));

const jobs = [
  ['Carpenter', 'Holt & Sons', 'Leeds', '2024-03-01', '£31,000'],
  ['Baker', 'Crumb Ltd', 'York', '2024-03-04', '£27,500'],
  ['Surveyor', 'Northline', 'Hull', '2024-02-27', '£39,000'],
  ['Nurse', 'St. Anne Hospital', 'Leeds', '2024-03-09', '£34,200'],
] as const;

const news = [
  [
    'Bridge reopens after two years',
    '/news/bridge',
    'Mara Quill',
    '2024-05-02',
    'Traffic crosses the river again since this morning.',
  ],
  [
    'Library extends opening hours',
    '/news/library',
    'Tom Ash',
    '2024-05-01',
    'Readers can stay until ten in the evening from June.',
  ],
  [
    'Harbour festival draws thousands',
    '/news/festival',
    'Mara Quill',
    '2024-04-29',
    'Three days of music and fish brought the town a record.',
  ],
  [
    'Council votes for new tram line',
    '/news/tram',
    'Ida Penn',
    '2024-04-27',
    'Building starts in autumn and takes four years.',
  ],
] as const;

const paragraph = (topic: string) =>
  `<p>The ${topic} has been part of the town for more than a century, and hardly anybody can imagine the place without it. When the works began, many feared that it would lose its character, but the builders kept every stone they could.</p>`;

export const tuning: readonly PageSet[] = [
  {
    name: 'shop, classed cards',
    goal: 'List all products with name, price and rating',
    pages: {
      '/': page(
        'Kitchen things',
        frame(
          `<h1>Everything for the kitchen</h1><div class="grid">${mugs.map(([name, price, rating, slug]) => `<div class="card product"><a href="/p/${slug}"><img src="/i/${slug}.jpg" alt=""></a><h2 class="card-title"><a href="/p/${slug}">${name}</a></h2><span class="price">${price}</span><span class="rating">${rating} out of 5</span><button>Add to basket</button></div>`).join('')}</div>`,
        ),
      ),
    },
    truth: mugRows,
  },
  {
    name: 'shop, hashed classes',
    goal: 'Get the name, price and image of every product',
    pages: {
      '/': page(
        'Store',
        `<div id="root"><div class="css-1x9k2a">${mugs.map(([name, price, , slug]) => `<div class="css-8fj2k1 sc-bdVaJa"><div class="css-p0q9w8"><img class="css-11aa22" src="/i/${slug}.jpg"></div><div class="css-zz81kd"><p class="css-77hhjj">${name}</p><p class="css-19dk2m">${price}</p></div></div>`).join('')}</div></div>`,
      ),
    },
    truth: mugs.map(([name, price, , slug]) => ({
      name,
      price: Number(price.replace(/[£,]/g, '')),
      image: `{origin}/i/${slug}.jpg`,
    })),
  },
  {
    name: 'shop, advertisements between',
    goal: 'Products with name and price',
    pages: {
      '/': page(
        'Shop',
        frame(
          `<ul>${mugs.map(([name, price], index) => `<li><h3>${name}</h3><p>${price}</p></li>${index % 2 === 1 ? '<li class="ad"><a href="https://ads.example/">Sponsored: buy a house</a></li>' : ''}`).join('')}</ul>`,
        ),
      ),
    },
    truth: mugs.map(([name, price]) => ({ name, price: Number(price.replace(/[£,]/g, '')) })),
  },
  {
    name: 'shop, microdata',
    goal: 'Extract name, price and brand of all items',
    pages: {
      '/': page(
        'Shop',
        frame(
          mugs
            .map(
              ([name, price], index) =>
                `<section itemscope itemtype="https://schema.org/Product"><b itemprop="name">${name}</b> <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="GBP"><span itemprop="price" content="${price.replace(/[£,]/g, '')}">${price}</span></div><i itemprop="brand">Maker ${'ABCDE'[index]}</i></section>`,
            )
            .join(''),
        ),
      ),
    },
    truth: mugs.map(([name, price], index) => ({
      name,
      price: Number(price.replace(/[£,]/g, '')),
      brand: `Maker ${'ABCDE'[index]}`,
    })),
  },
  {
    name: 'shop, paged by a query counter',
    goal: 'all products: name and price',
    pages: {
      '/shop': page(
        'Shop',
        frame(
          `<div class="items">${mugs
            .slice(0, 3)
            .map(
              ([name, price]) =>
                `<div class="item"><a class="name" href="/x">${name}</a><em class="cost">${price}</em></div>`,
            )
            .join('')}</div><div class="pages"><b>1</b> <a href="/shop?page=2">2</a></div>`,
        ),
      ),
      '/shop?page=1': '<p>',
      '/shop?page=2': page(
        'Shop',
        frame(
          `<div class="items">${mugs
            .slice(3)
            .map(
              ([name, price]) =>
                `<div class="item"><a class="name" href="/x">${name}</a><em class="cost">${price}</em></div>`,
            )
            .join('')}</div><div class="pages"><a href="/shop?page=1">1</a> <b>2</b></div>`,
        ),
      ),
    },
    truth: mugs.slice(0, 3).map(([name, price]) => ({ name, price: Number(price.replace(/[£,]/g, '')) })),
    second: mugs.slice(3).map(([name, price]) => ({ name, price: Number(price.replace(/[£,]/g, '')) })),
  },
  {
    name: 'jobs, labelled lines',
    goal: 'List all job openings (title, company, location, salary, date posted)',
    pages: {
      '/jobs': page(
        'Open positions',
        frame(
          `<h1>Open positions</h1>${jobs.map(([title, company, place, date, pay]) => `<article><h2><a href="#">${title}</a></h2><p>Company: ${company}</p><p>Location: ${place}</p><p>Salary: ${pay}</p><p>Posted: ${date}</p></article>`).join('')}`,
        ),
      ),
    },
    truth: jobs.map(([title, company, location, date_posted, pay]) => ({
      title,
      company,
      location,
      salary: Number(pay.replace(/[£,]/g, '')),
      date_posted,
    })),
  },
  {
    name: 'jobs, one line of meta',
    goal: 'Get each job with title, company and location',
    pages: {
      '/': page(
        'Jobs',
        frame(
          `<ul class="vacancies">${jobs.map(([title, company, place]) => `<li><a href="/j/${title}">${title}</a><div class="meta"><span class="employer">${company}</span> <span class="place">${place}</span></div></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: jobs.map(([title, company, location]) => ({ title, company, location })),
  },
  {
    name: 'jobs, unclassed table without headers',
    goal: 'Vacancies: position, company, salary',
    pages: {
      '/': page(
        'Vacancies',
        frame(
          `<h1>Vacancies</h1><table>${jobs.map(([title, company, , , pay]) => `<tr><td><a href="/j">${title}</a></td><td>${company}</td><td>${pay}</td></tr>`).join('')}</table>`,
        ),
      ),
    },
    truth: jobs.map(([position, company, , , pay]) => ({
      position,
      company,
      salary: Number(pay.replace(/[£,]/g, '')),
    })),
  },
  {
    name: 'news, list with summaries',
    goal: 'The latest news: headline, link, author, date and summary',
    pages: {
      '/': page(
        'Harbour Post',
        frame(
          `<h1>News</h1>${news.map(([title, href, author, date, text]) => `<article class="teaser"><h3><a href="${href}">${title}</a></h3><p class="byline">By ${author} <time datetime="${date}">${date}</time></p><p class="lead">${text}</p><a href="${href}" class="more">Read more</a></article>`).join('')}`,
        ),
      ),
    },
    truth: news.map(([headline, href, author, date, summary]) => ({
      headline,
      link: `{origin}${href}`,
      author,
      date,
      summary,
    })),
  },
  {
    name: 'news, a feed',
    goal: 'news headlines with link and date',
    pages: {
      '/feed': `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour Post</title><link>{origin}/</link><description>News</description>${news.map(([title, href, , date]) => `<item><title>${title}</title><link>{origin}${href}</link><guid>${href}</guid><pubDate>${new Date(date).toUTCString()}</pubDate></item>`).join('')}</channel></rss>`,
    },
    truth: news.map(([headline, href, , date]) => ({
      headline,
      link: `{origin}${href}`,
      date: `${date}T00:00:00Z`,
    })),
  },
  {
    name: 'news, rows of siblings',
    goal: 'stories with title, link, points and author',
    pages: {
      '/': page(
        'Link board',
        `<table id="board">${news.map(([title, href, author], index) => `<tr class="story"><td>${index + 1}.</td><td><a href="${href}" class="storylink">${title}</a></td></tr><tr><td></td><td><span class="score">${10 + index} points</span> by <a class="user" href="/u">${author}</a></td></tr><tr class="spacer"><td></td></tr>`).join('')}</table>`,
      ),
    },
    truth: news
      .map(([title, href, author], index) => ({ title, link: `{origin}${href}`, points: 10 + index, author }))
      .map(({ points, ...rest }) => ({ ...rest, point: points })),
  },
  {
    name: 'glossary, definition list',
    goal: 'Get the term and definition of all glossary entries',
    pages: {
      '/': page(
        'Glossary',
        frame(
          `<h1>Glossary</h1><dl>${[
            ['Ballast', 'Weight that steadies a ship'],
            ['Bow', 'The front of a ship'],
            ['Keel', 'The lowest beam of the hull'],
            ['Stern', 'The back of a ship'],
          ]
            .map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`)
            .join('')}</dl>`,
        ),
      ),
    },
    truth: [
      ['Ballast', 'Weight that steadies a ship'],
      ['Bow', 'The front of a ship'],
      ['Keel', 'The lowest beam of the hull'],
      ['Stern', 'The back of a ship'],
    ].map(([term = '', definition = '']) => ({ term, definition })),
  },
  {
    name: 'facts, definition list of one thing',
    goal: "Extract the ship's name, length, builder and year",
    pages: {
      '/ship': page(
        'MS Alba',
        frame(
          '<h1>MS Alba</h1><dl class="facts"><dt>Length</dt><dd>84 m</dd><dt>Builder</dt><dd>Clyde Yard</dd><dt>Year</dt><dd>1974</dd><dt>Crew</dt><dd>21</dd></dl>',
        ),
      ),
    },
    truth: [{ name: 'MS Alba', length: 84, builder: 'Clyde Yard', year: 1974 }],
  },
  {
    name: 'table with headers and units',
    goal: 'Weather stations: station, elevation, temperature',
    pages: {
      '/': page(
        'Stations',
        frame(
          '<table><caption>Stations</caption><thead><tr><th>Station</th><th>Elevation (m)</th><th>Temperature</th></tr></thead><tbody><tr><td>Holm</td><td>12</td><td>8.4 °C</td></tr><tr><td>Corrie</td><td>1,043</td><td>-2.3 °C</td></tr><tr><td colspan="3">Your advertisement here</td></tr><tr><td>Glen</td><td>412</td><td>3.6 °C</td></tr></tbody></table>',
        ),
      ),
    },
    truth: [
      { station: 'Holm', elevation: 12, temperature: 8.4 },
      { station: 'Corrie', elevation: 1043, temperature: -2.3 },
      { station: 'Glen', elevation: 412, temperature: 3.6 },
    ],
  },
  {
    name: 'table in German numbers',
    goal: 'Preisliste: Artikel, Preis',
    pages: {
      '/': page(
        'Preise',
        frame(
          '<h1>Preisliste</h1><table><tr><th>Artikel</th><th>Preis</th><th>Menge</th></tr><tr><td>Hammer</td><td>12,50 €</td><td>1 Stück</td></tr><tr><td>Säge</td><td>1.024,00 €</td><td>1 Stück</td></tr><tr><td>Nägel</td><td>3,99 €</td><td>100 Stück</td></tr></table>',
        ),
        '',
        'de',
      ),
    },
    truth: [
      { artikel: 'Hammer', preis: 12.5 },
      { artikel: 'Säge', preis: 1024 },
      { artikel: 'Nägel', preis: 3.99 },
    ],
  },
  {
    name: 'events, cards with times',
    goal: 'For each event: name, date, venue',
    pages: {
      '/': page(
        'What is on',
        frame(
          `<h2>Events</h2><div class="events">${[
            ['Jazz night', '2024-06-01', 'Old Mill'],
            ['Poetry slam', '2024-06-04', 'Cafe Nord'],
            ['Flea market', '2024-06-09', 'Main Square'],
          ]
            .map(
              ([name, date, place]) =>
                `<div class="event"><time datetime="${date}">soon</time><h4>${name}</h4><p class="where">${place}</p></div>`,
            )
            .join('')}</div>`,
        ),
      ),
    },
    truth: [
      ['Jazz night', '2024-06-01', 'Old Mill'],
      ['Poetry slam', '2024-06-04', 'Cafe Nord'],
      ['Flea market', '2024-06-09', 'Main Square'],
    ].map(([name = '', date = '', venue = '']) => ({ name, date, venue })),
  },
  {
    name: 'events, JSON-LD',
    goal: 'events with name, start date and location',
    pages: {
      '/': page(
        'Events',
        frame('<h1>Our events</h1><p>See below.</p>'),
        `<script type="application/ld+json">${JSON.stringify(
          [
            ['Regatta', '2024-07-01', 'Pier'],
            ['Concert', '2024-07-08', 'Park'],
            ['Lecture', '2024-07-15', 'Town hall'],
          ].map(([name, startDate, place]) => ({
            '@context': 'https://schema.org',
            '@type': 'Event',
            name,
            startDate,
            location: { '@type': 'Place', name: place },
          })),
        )}</script>`,
      ),
    },
    truth: [
      ['Regatta', '2024-07-01', 'Pier'],
      ['Concert', '2024-07-08', 'Park'],
      ['Lecture', '2024-07-15', 'Town hall'],
    ].map(([name = '', start_date = '', location = '']) => ({ name, start_date, location })),
  },
  {
    name: 'recipe, JSON-LD',
    goal: "Extract the recipe's name, ingredients and instructions",
    pages: {
      '/r/soup': page(
        'Leek soup',
        frame('<h1>Leek soup</h1><p>Warm and cheap.</p>'),
        `<script type="application/ld+json">${JSON.stringify({
          '@context': 'https://schema.org',
          '@graph': [
            { '@type': 'WebSite', name: 'Kitchen' },
            {
              '@type': 'Recipe',
              name: 'Leek soup',
              recipeIngredient: ['2 leeks', '1 l stock', 'salt'],
              recipeInstructions: [
                { '@type': 'HowToStep', text: 'Cut the leeks.' },
                { '@type': 'HowToStep', text: 'Boil all of it.' },
              ],
            },
          ],
        })}</script>`,
      ),
    },
    truth: [
      {
        name: 'Leek soup',
        ingredients: ['2 leeks', '1 l stock', 'salt'],
        instructions: ['Cut the leeks.', 'Boil all of it.'],
      },
    ],
  },
  {
    name: 'embedded state of an application',
    goal: 'movies with title, year and director',
    pages: {
      '/': page(
        'Cinema',
        `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
          props: {
            pageProps: {
              movies: [
                ['Stalker', 1979, 'Tarkovsky'],
                ['Playtime', 1967, 'Tati'],
                ['Ran', 1985, 'Kurosawa'],
              ].map(([title, year, name]) => ({ id: String(title), title, year, director: { name } })),
            },
          },
        })}</script>`,
      ),
    },
    truth: [
      ['Stalker', 1979, 'Tarkovsky'],
      ['Playtime', 1967, 'Tati'],
      ['Ran', 1985, 'Kurosawa'],
    ].map(([title = '', year = '', director = '']) => ({ title, year, director })),
  },
  {
    name: 'assigned state',
    goal: 'list stores with name, city and phone',
    pages: {
      '/': page(
        'Stores',
        `<div id="app"></div><script>window.__INITIAL__ = ${JSON.stringify({
          stores: {
            list: [
              ['Nord', 'Kiel', '0431-555'],
              ['Süd', 'Ulm', '0731-777'],
              ['West', 'Köln', '0221-999'],
            ].map(([name, city, phone]) => ({ name, city, phone })),
          },
        })};boot();</script>`,
      ),
    },
    truth: [
      ['Nord', 'Kiel', '0431-555'],
      ['Süd', 'Ulm', '0731-777'],
      ['West', 'Köln', '0221-999'],
    ].map(([name = '', city = '', phone = '']) => ({ name, city, phone })),
  },
  {
    name: 'interface that answers with JSON',
    goal: 'list the quotes with text and author',
    pages: {
      '/api/quotes': JSON.stringify({
        meta: { total: 3 },
        data: {
          quotes: [
            { id: 1, text: 'Know thyself.', author: 'Thales' },
            { id: 2, text: 'All flows.', author: 'Heraclitus' },
            { id: 3, text: 'I think.', author: 'Descartes' },
          ],
        },
      }),
    },
    truth: [
      { text: 'Know thyself.', author: 'Thales' },
      { text: 'All flows.', author: 'Heraclitus' },
      { text: 'I think.', author: 'Descartes' },
    ],
  },
  {
    name: 'forum threads',
    goal: 'list the forum threads with topic, author, number of replies and last post date',
    pages: {
      '/forum': page(
        'Forum',
        frame(
          `<ul class="threads">${[
            ['How to oil a chain?', 'rider', 12, '3 May 2024'],
            ['Which tyres for gravel?', 'moss', 4, '1 May 2024'],
            ['Broken spoke again', 'anna', 31, '28 April 2024'],
          ]
            .map(
              ([topic, user, replies, date]) =>
                `<li class="thread"><a class="topic" href="/t/1">${topic}</a> <span class="starter">by ${user}</span> <span class="replies">${replies} replies</span> <span class="last-post">${date}</span></li>`,
            )
            .join('')}</ul>`,
        ),
      ),
    },
    truth: [
      ['How to oil a chain?', 'rider', 12, '2024-05-03'],
      ['Which tyres for gravel?', 'moss', 4, '2024-05-01'],
      ['Broken spoke again', 'anna', 31, '2024-04-28'],
    ].map(([topic = '', author = '', number_of_replies = '', last_post_date = '']) => ({
      topic,
      author,
      number_of_replies,
      last_post_date,
    })),
  },
  {
    name: 'quotes with lists of tags',
    goal: 'quotes with text, author and tags',
    pages: {
      '/': page(
        'Quotes',
        `<h1>Quotes</h1>${[
          ['Be brief.', 'Ann Ray', ['style']],
          ['Be kind.', 'Bo Lind', ['life', 'love']],
          ['Be there.', 'Cy Dorn', ['life', 'time', 'work']],
        ]
          .map(
            ([text, author, tags]) =>
              `<div class="quote"><span class="text">${text}</span><span>by <small class="author">${author}</small></span><div class="tags">Tags: ${[
                tags,
              ]
                .flat()
                .map((tag) => `<a class="tag" href="/tag/${tag}">${tag}</a>`)
                .join(' ')}</div></div>`,
          )
          .join('')}`,
      ),
    },
    truth: [
      { text: 'Be brief.', author: 'Ann Ray', tags: ['style'] },
      { text: 'Be kind.', author: 'Bo Lind', tags: ['life', 'love'] },
      { text: 'Be there.', author: 'Cy Dorn', tags: ['life', 'time', 'work'] },
    ],
  },
  {
    name: 'article',
    goal: 'Read the article: headline, author and publication date',
    pages: {
      '/a': page(
        'The old bridge',
        frame(
          `<article><h1>The old bridge</h1><p class="byline">By Mara Quill</p><time datetime="2024-05-02">2 May</time>${paragraph('bridge').repeat(5)}</article>`,
        ),
      ),
    },
    truth: [{ headline: 'The old bridge', author: 'Mara Quill', publication_date: '2024-05-02' }],
  },
  {
    name: 'two lists, the second is meant',
    goal: 'upcoming concerts with artist and price',
    pages: {
      '/': page(
        'Club',
        frame(
          `<section><h2>Drinks</h2><ul class="drinks"><li><b>Beer</b> <span class="price">£4</span></li><li><b>Wine</b> <span class="price">£6</span></li><li><b>Water</b> <span class="price">£2</span></li></ul></section><section><h2>Concerts</h2><ul class="concerts">${[
            ['The Larks', 15],
            ['Moss', 12],
            ['Ida B', 18],
          ]
            .map(
              ([artist, price]) =>
                `<li><span class="artist">${artist}</span><span class="price">£${price}</span></li>`,
            )
            .join('')}</ul></section>`,
        ),
      ),
    },
    truth: [
      ['The Larks', 15],
      ['Moss', 12],
      ['Ida B', 18],
    ].map(([artist = '', price = '']) => ({ artist, price })),
  },
  {
    name: 'data one link away',
    goal: 'list our wines with name, year and price',
    pages: {
      '/': page(
        'Vineyard Stein',
        frame(
          '<h1>Welcome</h1><p>We make wine.</p><p><a href="/wines">Our wines</a></p><p><a href="/visit">Visit us</a></p>',
        ),
      ),
      '/wines': page(
        'Wines',
        frame(
          `<div class="wines">${[
            ['Riesling', 2021, 9.5],
            ['Silvaner', 2022, 8],
            ['Spätburgunder', 2019, 14],
          ]
            .map(
              ([name, year, price]) =>
                `<div class="wine"><strong class="name">${name}</strong><span class="vintage-year">${year}</span><span class="price">€${price}</span></div>`,
            )
            .join('')}</div>`,
        ),
      ),
    },
    truth: [
      ['Riesling', 2021, 9.5],
      ['Silvaner', 2022, 8],
      ['Spätburgunder', 2019, 14],
    ].map(([name = '', year = '', price = '']) => ({ name, year, price })),
  },
  {
    name: 'nothing: a landing page',
    goal: 'List products with name and price',
    pages: {
      '/': page('Studio', frame('<h1>We design gardens</h1><p>Call us.</p><p>We answer within a day.</p>')),
    },
    failure: ['NO_DATA_FOUND', 'GOAL_NOT_COVERED'],
  },
  {
    name: 'nothing: a sign-in',
    goal: 'List my invoices with number and amount',
    pages: {
      '/login': page(
        'Sign in',
        frame(
          '<h1>Sign in</h1><form method="post"><input name="user"><input type="password" name="pass"><button>Go</button></form>',
        ),
      ),
    },
    failure: ['LOGIN_REQUIRED'],
  },
  {
    name: 'nothing: an empty application',
    goal: 'List flights with price',
    pages: {
      '/': page(
        'Flights',
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/app.js"></script>',
      ),
    },
    failure: ['NEEDS_JAVASCRIPT'],
  },
  {
    name: 'nothing: other data',
    goal: 'List hotels with name, price per night and stars',
    pages: {
      '/': page(
        'Harbour Post',
        frame(
          `<h1>News</h1>${news.map(([title, href, , , text]) => `<article><h3><a href="${href}">${title}</a></h3><p>${text}</p></article>`).join('')}`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED'],
  },
  {
    name: 'nothing: an empty list',
    goal: 'List all cars with model and mileage',
    pages: { '/': page('Cars', frame('<h1>Cars</h1><p>No cars at the moment.</p>')) },
    failure: ['NO_DATA_FOUND', 'GOAL_NOT_COVERED'],
  },
];
