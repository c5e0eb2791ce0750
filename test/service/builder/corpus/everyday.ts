/**
 * Page sets of everyday sites with everyday goals, written after the rules had passed all others and before any was
 * tried on these. First measured F1: 0.67.
 */
import { chrome, recentPosts, tagCloud } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const bikes = [
  ['Roadster S', '1,249.00', 4.7, 'In stock', 'roadster-s'],
  ['Gravel King', '1,899.00', 4.4, 'Sold out', 'gravel-king'],
  ['City Hopper', '549.50', 3.9, 'In stock', 'city-hopper'],
] as const;

const posts = [
  ['Council approves new library', 'https://gazette.example/library', 'Rowan Teal', '2024-06-03'],
  ['River walk closed until July', 'https://gazette.example/river', 'Mina Cho', '2024-06-02'],
  ['School choir wins national prize', 'https://gazette.example/choir', 'Rowan Teal', '2024-05-30'],
] as const;

const roles = [
  ['Data Analyst', 'Bluefin Labs', 'Remote', '$85,000 – $98,000', 'Full-time'],
  ['Site Manager', 'Corrigan Build', 'Denver, CO', '$92,000 – $110,000', 'Contract'],
  ['Pastry Chef', 'Maison Lune', 'Portland, OR', '$48,000 – $55,000', 'Full-time'],
] as const;

const gigs = [
  ['Low Tide Trio', 'Fri 14 June 2024', 'The Cellar', '£12'],
  ['Orchard Street', 'Sat 15 June 2024', 'Dock House', '£18'],
  ['Mara Voss', 'Thu 20 June 2024', 'The Cellar', '£15'],
] as const;

const dishes = [
  ['Lemon orzo', '25 min', 4, 'Easy', 412],
  ['Beef and barley stew', '2 h 10 min', 6, 'Medium', 530],
  ['Miso aubergine', '35 min', 2, 'Easy', 280],
] as const;

const towns = [
  ['Ardmore', '12,480', '38', '1204'],
  ['Brisling', '4,310', '112', '1388'],
  ['Corwen', '880', '241', '1540'],
] as const;

export const everyday: readonly PageSet[] = [
  {
    name: 'bikes in cards',
    goal: 'Please collect every bike on the page: its name, what it costs, the customer rating and whether it is in stock.',
    pages: {
      '/bikes': page(
        'Bikes',
        chrome(
          `<h1>Bikes</h1><div class="bike-grid">${each(bikes, ([name, price, rating, stock, slug]) => `<div class="bike-card" data-id="${slug}"><a class="bike-link" href="/bikes/${slug}"><img src="/img/${slug}.png" alt="${name}"></a><div class="bike-body"><h3 class="bike-name">${name}</h3><div class="bike-rating" title="${rating} / 5"><span class="num">${rating}</span></div><div class="bike-price">$${price}</div><div class="bike-stock">${stock}</div></div></div>`)}</div>`,
        ),
      ),
    },
    truth: bikes.map(([name, price, rating, stock]) => ({
      name,
      'cost|price|costs|what_costs': Number(price.replace(',', '')),
      'customer_rating|rating': rating,
      'availability|stock|in_stock': stock,
    })),
  },
  {
    name: 'news in an unordered list, source beside',
    goal: 'headlines + links + reporter + date',
    pages: {
      '/': page(
        'The Gazette',
        frame(
          `<h1>Latest</h1><ul class="story-list">${each(posts, ([title, url, who, date]) => `<li class="story-list__item"><a class="story-list__link" href="${url}">${title}</a><p class="story-list__info"><span>${who}</span> · <time datetime="${date}">${date}</time></p></li>`)}</ul>`,
        ),
      ),
    },
    truth: posts.map(([title, url, who, date]) => ({
      'headline|title': title,
      'link|url': url,
      'reporter|author': who,
      date,
    })),
  },
  {
    name: 'jobs with ranges of pay',
    goal: 'Find all open positions and give me job title, employer, location, salary range and employment type for each',
    pages: {
      '/jobs': page(
        'Jobs',
        chrome(
          `<h1>Open positions</h1><section class="jobs">${each(roles, ([title, firm, place, pay, kind]) => `<div class="job-row"><div class="job-row-main"><a href="/jobs/1" class="job-title">${title}</a><div class="job-company">${firm}</div></div><div class="job-row-side"><span class="job-location">${place}</span><span class="job-salary">${pay}</span><span class="job-type">${kind}</span></div></div>`)}</section>`,
          { sidebar: tagCloud },
        ),
      ),
    },
    truth: roles.map(([title, firm, place, pay, kind]) => ({
      'job_title|title': title,
      employer: firm,
      location: place,
      salary_range: pay,
      employment_type: kind,
    })),
  },
  {
    name: 'gigs in a table without a head, dates in words',
    goal: 'gig guide: act, date, venue, ticket price',
    pages: {
      '/gigs': page(
        'Gig guide',
        frame(
          `<h1>Gig guide</h1><table class="gigs"><tbody>${each(gigs, ([act, date, venue, price]) => `<tr><td>${date}</td><td><b>${act}</b></td><td>${venue}</td><td>${price}</td></tr>`)}</tbody></table>`,
        ),
      ),
    },
    truth: gigs.map(([act, date, venue, price]) => ({
      act,
      date: `2024-06-${/\d+/.exec(date)?.[0]}`,
      venue,
      ticket_price: Number(price.slice(1)),
    })),
  },
  {
    name: 'recipes with icons for facts',
    goal: 'Extract recipes: title, total time, servings, difficulty and calories',
    pages: {
      '/recipes': page(
        'Weeknight recipes',
        chrome(
          `<h1>Weeknight recipes</h1><div class="recipes">${each(dishes, ([title, time, people, level, kcal]) => `<article class="r-card"><h2><a href="/r/1">${title}</a></h2><ul class="r-facts"><li><i class="icon icon-clock"></i>${time}</li><li><i class="icon icon-users"></i>Serves ${people}</li><li><i class="icon icon-hat"></i>${level}</li><li><i class="icon icon-fire"></i>${kcal} kcal</li></ul></article>`)}</div>`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: dishes.map(([title, time, people, level, kcal]) => ({
      title,
      total_time: time,
      servings: people,
      difficulty: level,
      calories: kcal,
    })),
  },
  {
    name: 'towns in a wide table, two columns wanted by other words',
    goal: 'For each town give the number of inhabitants and its altitude',
    pages: {
      '/towns': page(
        'Towns of the vale',
        frame(
          `<h1>Towns of the vale</h1><table><thead><tr><th>Town</th><th>Population</th><th>Elevation (m)</th><th>First mentioned</th></tr></thead><tbody>${each(towns, (row) => `<tr>${each(row, (cell) => `<td>${cell}</td>`)}</tr>`)}</tbody></table>`,
        ),
      ),
    },
    truth: towns.map(([town, people, height]) => ({
      'town|title|name': town,
      'number_of_inhabitants|inhabitants|population': Number(people.replace(',', '')),
      'altitude|elevation': Number(height),
    })),
  },
  {
    name: 'definition list of several things in one list',
    goal: 'list each tool and what it is used for',
    pages: {
      '/tools': page(
        'Tools',
        frame(
          `<h1>Our tools</h1><dl class="tools">${each(
            [
              ['Adze', 'Shaping of beams'],
              ['Froe', 'Splitting of shingles'],
              ['Spokeshave', 'Rounding of edges'],
            ],
            ([tool, use]) => `<dt>${tool}</dt><dd>${use}</dd>`,
          )}</dl>`,
        ),
      ),
    },
    truth: [
      ['Adze', 'Shaping of beams'],
      ['Froe', 'Splitting of shingles'],
      ['Spokeshave', 'Rounding of edges'],
    ].map(([tool = '', use = '']) => ({
      'tool|term|title|name': tool,
      'use|used|definition|description': use,
    })),
  },
  {
    name: 'embedded state of a store',
    goal: 'All sneakers with brand, model, price and sizes',
    pages: {
      '/sneakers': page(
        'Sneakers',
        `<div id="app"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
          props: {
            pageProps: {
              navigation: [
                { label: 'Men', href: '/men' },
                { label: 'Women', href: '/women' },
                { label: 'Kids', href: '/kids' },
              ],
              catalogue: {
                total: 3,
                edges: [
                  ['Orbit', 'Runner 2', 89.9, ['40', '41', '42']],
                  ['Orbit', 'Court', 74.5, ['39', '43']],
                  ['Pike', 'Trail Low', 119, ['41']],
                ].map(([brand, model, price, sizes]) => ({
                  node: { brand, model, price: { amount: price, currency: 'EUR' }, sizes },
                })),
              },
            },
          },
          page: '/sneakers',
          buildId: 'x',
        })}</script>`,
      ),
    },
    truth: [
      ['Orbit', 'Runner 2', 89.9, ['40', '41', '42']],
      ['Orbit', 'Court', 74.5, ['39', '43']],
      ['Pike', 'Trail Low', 119, ['41']],
    ].map(([brand = '', model = '', price = '', sizes = '']) => ({ brand, model, price, sizes })),
  },
  {
    name: 'an RSS feed found from the page that needs scripts',
    goal: 'latest podcast episodes with title, link and publish date',
    pages: {
      '/': page(
        'Night Desk',
        '<div id="root"></div><script src="/static/js/main.js"></script>',
        '<link rel="alternate" type="application/rss+xml" title="Episodes" href="/feed.xml">',
      ),
      '/feed.xml': `<?xml version="1.0"?><rss version="2.0"><channel><title>Night Desk podcast</title><link>{origin}/</link><description>Talk</description>${each(
        [
          ['The last typist', 'https://desk.example/3', 'Mon, 03 Jun 2024 05:00:00 GMT'],
          ['Ink and rain', 'https://desk.example/2', 'Mon, 27 May 2024 05:00:00 GMT'],
        ],
        ([title, link, date]) =>
          `<item><title>${title}</title><link>${link}</link><pubDate>${date}</pubDate></item>`,
      )}</channel></rss>`,
    },
    truth: [
      ['The last typist', 'https://desk.example/3', '2024-06-03T05:00:00Z'],
      ['Ink and rain', 'https://desk.example/2', '2024-05-27T05:00:00Z'],
    ].map(([title = '', link = '', date = '']) => ({ title, link, 'publish_date|date': date })),
  },
  {
    name: 'hashed classes throughout, sponsored card among them',
    goal: 'List phones with name, price and storage capacity',
    pages: {
      '/phones': page(
        'Phones',
        `<div class="x1n2onr6"><div class="x78zum5 xdt5ytf">${each(
          [
            ['Pixelite 4', '$399', '128 GB'],
            ['Nordia One', '$549', '256 GB'],
            ['', '', ''],
            ['Halcyon Fold', '$1,299', '512 GB'],
            ['Pixelite 4a', '$299', '64 GB'],
          ],
          ([name, price, size]) =>
            name === ''
              ? '<div class="x1lliihq x9f619"><span class="x6s0dn4">Sponsored</span><a href="https://ads.example/x"><span class="x193iq5w">Insure your phone today</span></a></div>'
              : `<div class="x1lliihq x9f619"><img class="xz74otr" src="/p.webp" alt=""><div class="xyamay9"><span class="x193iq5w">${name}</span><span class="x1xmf6yo">${price}</span><span class="xo1l8bm">${size}</span></div></div>`,
        )}</div></div>`,
      ),
    },
    truth: [
      ['Pixelite 4', 399, 128],
      ['Nordia One', 549, 256],
      ['Halcyon Fold', 1299, 512],
      ['Pixelite 4a', 299, 64],
    ].map(([name = '', price = '', size = '']) => ({
      name,
      price,
      'storage_capacity|storage|capacity': size,
    })),
  },
  {
    name: 'records of heading, image and two paragraphs each',
    goal: 'Which exhibitions are running? title, dates, short description',
    pages: {
      '/exhibitions': page(
        'Exhibitions',
        chrome(
          `<h1>Exhibitions</h1>${each(
            [
              ['Paper cities', '2 May – 30 August 2024', 'Models of towns that were never built.'],
              ['Salt', '12 June – 1 October 2024', 'What the sea leaves behind, in forty objects.'],
              ['The night bus', '20 June – 15 September 2024', 'Photographs from the last row.'],
            ],
            ([title, dates, text]) =>
              `<h2>${title}</h2><img src="/e.jpg" alt=""><p class="when">${dates}</p><p>${text}</p>`,
          )}`,
        ),
      ),
    },
    truth: [
      ['Paper cities', '2 May – 30 August 2024', 'Models of towns that were never built.'],
      ['Salt', '12 June – 1 October 2024', 'What the sea leaves behind, in forty objects.'],
      ['The night bus', '20 June – 15 September 2024', 'Photographs from the last row.'],
    ].map(([title = '', dates = '', text = '']) => ({
      title,
      'dates|date': dates,
      'short_description|description': text,
    })),
  },
  {
    name: 'microdata of events inside of divs',
    goal: 'events: name, start date, venue name and ticket url',
    pages: {
      '/e': page(
        'Events',
        frame(
          each(
            [
              ['Kite day', '2024-07-06T11:00', 'South Beach', 'https://tix.example/1'],
              ['Star party', '2024-08-11T22:00', 'Observatory Hill', 'https://tix.example/2'],
            ],
            ([name, start, place, url]) =>
              `<div itemscope itemtype="https://schema.org/Event"><h3 itemprop="name">${name}</h3><time itemprop="startDate" datetime="${start}">soon</time><div itemprop="location" itemscope itemtype="https://schema.org/Place"><span itemprop="name">${place}</span></div><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><a itemprop="url" href="${url}">Tickets</a></div></div>`,
          ),
        ),
      ),
    },
    truth: [
      ['Kite day', '2024-07-06T11:00:00Z', 'South Beach', 'https://tix.example/1'],
      ['Star party', '2024-08-11T22:00:00Z', 'Observatory Hill', 'https://tix.example/2'],
    ].map(([name = '', start = '', place = '', url = '']) => ({
      name,
      start_date: start,
      'venue_name|venue': place,
      ticket_url: url,
    })),
  },
  {
    name: 'one book in detail',
    goal: "Get this book's title, author, ISBN, publisher, page count and price",
    pages: {
      '/books/tide-tables': page(
        'Tide Tables by Noor Haddad | Quay Books',
        chrome(
          `<div class="book"><div class="book__cover"><img src="/c.jpg"></div><div class="book__info"><h1 class="book__title">Tide Tables</h1><p class="book__author">by <a href="/a/noor">Noor Haddad</a></p><p class="book__price">£16.99</p><button>Add to bag</button><h2>Details</h2><ul class="book__details"><li><strong>ISBN:</strong> 9781402894626</li><li><strong>Publisher:</strong> Lamp Books</li><li><strong>Pages:</strong> 312</li></ul></div></div><section><h2>Readers also bought</h2><ul class="related"><li><a href="/books/x">Sea Room</a> £9.99</li><li><a href="/books/y">Charts</a> £12.00</li><li><a href="/books/z">Harbour</a> £8.50</li></ul></section>`,
        ),
      ),
    },
    truth: [
      {
        title: 'Tide Tables',
        author: 'Noor Haddad',
        isbn: '9781402894626',
        publisher: 'Lamp Books',
        page_count: 312,
        price: 16.99,
      },
    ],
  },
  {
    name: 'comments under an article',
    goal: 'Get the comments: commenter name, comment text, time posted and likes',
    pages: {
      '/article/5': page(
        'Why we sleep badly in June',
        frame(
          `<article><h1>Why we sleep badly in June</h1><p>The nights are short and the birds begin at three, which is reason enough for most of us to lie awake and think of the year.</p><p>But there is more to it, as a group of researchers has found who followed forty people through a summer with watches on their wrists.</p></article><section id="comments"><h2>3 comments</h2>${each(
            [
              ['juniper', 'Blackout curtains changed my life.', '2024-06-10T07:12:00Z', 14],
              ['old_owl', 'I have not slept since 1987.', '2024-06-10T08:40:00Z', 52],
              ['Tam', 'The birds are the best part of it.', '2024-06-11T04:05:00Z', 3],
            ],
            ([who, text, time, likes], index) =>
              `<div class="comment" id="c${index + 880}"><div class="comment-meta"><a class="comment-author" href="/u/${who}">${who}</a><time datetime="${time}">yesterday</time></div><div class="comment-text"><p>${text}</p></div><div class="comment-foot"><button>Like</button><span class="likes">${likes}</span></div></div>`,
          )}</section>`,
        ),
      ),
    },
    truth: [
      ['juniper', 'Blackout curtains changed my life.', '2024-06-10T07:12:00Z', 14],
      ['old_owl', 'I have not slept since 1987.', '2024-06-10T08:40:00Z', 52],
      ['Tam', 'The birds are the best part of it.', '2024-06-11T04:05:00Z', 3],
    ].map(([who = '', text = '', time = '', likes = '']) => ({
      commenter_name: who,
      comment_text: text,
      time_posted: time,
      likes,
    })),
  },
  {
    name: 'two tables of like columns under headings',
    goal: 'women’s results: rank, athlete, country, time',
    pages: {
      '/results': page(
        'Marathon results',
        chrome(
          `<h2>Men</h2><table class="res"><tr><th>Rank</th><th>Athlete</th><th>Country</th><th>Time</th></tr><tr><td>1</td><td>Ola Berg</td><td>NOR</td><td>2:09:11</td></tr><tr><td>2</td><td>Jon Ruiz</td><td>ESP</td><td>2:10:02</td></tr></table><h2>Women</h2><table class="res"><tr><th>Rank</th><th>Athlete</th><th>Country</th><th>Time</th></tr><tr><td>1</td><td>Asha Lem</td><td>ETH</td><td>2:24:40</td></tr><tr><td>2</td><td>Mia Kolb</td><td>GER</td><td>2:27:13</td></tr></table>`,
        ),
      ),
    },
    truth: [
      [1, 'Asha Lem', 'ETH', '2:24:40'],
      [2, 'Mia Kolb', 'GER', '2:27:13'],
    ].map(([rank = '', athlete = '', country = '', time = '']) => ({ rank, athlete, country, time })),
  },
  {
    name: 'a price list in plain lines',
    goal: 'services with prices',
    pages: {
      '/prices': page(
        'Salon prices',
        chrome(
          `<h1>Our prices</h1><ul class="price-list">${each(
            [
              ['Cut and finish', '£38'],
              ['Colour', '£62'],
              ['Beard trim', '£14'],
            ],
            ([service, price]) => `<li>${service} <span>${price}</span></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: [
      ['Cut and finish', 38],
      ['Colour', 62],
      ['Beard trim', 14],
    ].map(([service = '', price = '']) => ({ 'service|title|name|services': service, price })),
  },
  {
    name: 'hotel offers with per-night prices and scores',
    goal: 'I would like to compare hotels: hotel name, price per night, guest score, distance from the centre',
    pages: {
      '/hotels': page(
        'Hotels in Ljubljana',
        `<div data-testid="results">${each(
          [
            ['Hotel Emona', '€96', '8.4', '0.6 km from centre'],
            ['Pension Lipa', '€61', '7.9', '2.1 km from centre'],
            ['Grand Tivoli', '€158', '9.1', '0.3 km from centre'],
          ],
          ([name, price, score, far]) =>
            `<div data-testid="property-card" class="a826ba81c4 fa2f36ad22"><div class="c82435a4b8"><div data-testid="title" class="fcab3ed991 a23c043802">${name}</div><span data-testid="distance" class="f4bd0794db">${far}</span></div><div data-testid="review-score" class="b5cd09854e d10a6220b4"><div class="b5cd09854e">${score}</div></div><span data-testid="price-and-discounted-price" class="fcab3ed991 fbd1d3018c">${price}</span><div data-testid="price-for-x-nights">per night</div></div>`,
        )}</div>`,
      ),
    },
    truth: [
      ['Hotel Emona', 96, 8.4, 0.6],
      ['Pension Lipa', 61, 7.9, 2.1],
      ['Grand Tivoli', 158, 9.1, 0.3],
    ].map(([name = '', price = '', score = '', far = '']) => ({
      hotel_name: name,
      'price|price_per_night': price,
      guest_score: score,
      // The words behind the number may stay or go.
      'distance|distance_from_centre|distance_from_the_centre': far,
    })),
  },
  {
    name: 'a shop in Italian, an Italian goal',
    goal: 'Elenca tutti i vini con nome, annata, produttore e prezzo',
    pages: {
      '/vini': page(
        'I nostri vini',
        chrome(
          `<h1>I nostri vini</h1><div class="vini">${each(
            [
              ['Barolo Cannubi', '2018', 'Cascina Rossa', '48,00 €'],
              ['Etna Bianco', '2021', 'Terre Nere', '24,50 €'],
              ['Morellino', '2020', 'Poggio Alto', '13,90 €'],
            ],
            ([nome, anno, chi, prezzo]) =>
              `<div class="vino"><h3 class="vino-nome">${nome}</h3><p class="vino-annata">${anno}</p><p class="vino-produttore">${chi}</p><p class="vino-prezzo">${prezzo}</p></div>`,
          )}</div>`,
        ),
        '',
        'it',
      ),
    },
    truth: [
      ['Barolo Cannubi', 2018, 'Cascina Rossa', 48],
      ['Etna Bianco', 2021, 'Terre Nere', 24.5],
      ['Morellino', 2020, 'Poggio Alto', 13.9],
    ].map(([nome = '', annata = '', produttore = '', prezzo = '']) => ({ nome, annata, produttore, prezzo })),
  },
  {
    name: 'a German page, an English goal',
    goal: 'Get all events with title, date, location and admission price',
    pages: {
      '/termine': page(
        'Veranstaltungen',
        chrome(
          `<h1>Veranstaltungen</h1><div class="termine">${each(
            [
              ['Sommerkonzert', '21. Juni 2024', 'Stadtgarten', '12,00 €'],
              ['Flohmarkt', '6. Juli 2024', 'Alter Hafen', '3,50 €'],
              ['Lesung', '12. Juli 2024', 'Buchhandlung Mohn', '8,00 €'],
            ],
            ([titel, datum, ort, preis]) =>
              `<div class="termin"><h3 class="termin-titel">${titel}</h3><div class="termin-datum">${datum}</div><div class="termin-ort">${ort}</div><div class="termin-eintritt">Eintritt: ${preis}</div></div>`,
          )}</div>`,
        ),
        '',
        'de',
      ),
    },
    truth: [
      ['Sommerkonzert', '2024-06-21', 'Stadtgarten', 12],
      ['Flohmarkt', '2024-07-06', 'Alter Hafen', 3.5],
      ['Lesung', '2024-07-12', 'Buchhandlung Mohn', 8],
    ].map(([title = '', date = '', location = '', price = '']) => ({
      title,
      date,
      location,
      admission_price: price,
    })),
  },
  {
    name: 'members of a parliament behind pages of a list',
    goal: 'members of parliament: name, party, constituency, email',
    pages: {
      '/members': page(
        'Members',
        chrome(
          `<h1>Members of Parliament</h1><div class="member-list">${each(
            [
              ['Ines Aalto', 'Green', 'North Bay', 'ines-aalto'],
              ['Bo Carver', 'Labour', 'Eastfield', 'bo-carver'],
            ],
            ([name, party, seat, slug]) =>
              `<a class="member-card" href="/members/${slug}"><div class="primary-info">${name}</div><div class="secondary-info">${party}</div><div class="indicator indicator-label">${seat}</div></a>`,
          )}<p><a rel="next" href="/members?page=2">Next</a></p></div>`,
        ),
      ),
      '/members?page=2': page(
        'Members',
        chrome(
          `<h1>Members of Parliament</h1><div class="member-list">${each(
            [
              ['Lena Ott', 'Green', 'Quarry Hill', 'lena-ott'],
              ['Raj Malik', 'Liberal', 'South Bay', 'raj-malik'],
            ],
            ([name, party, seat, slug]) =>
              `<a class="member-card" href="/members/${slug}"><div class="primary-info">${name}</div><div class="secondary-info">${party}</div><div class="indicator indicator-label">${seat}</div></a>`,
          )}</div>`,
        ),
      ),
      ...Object.fromEntries(
        ['ines-aalto', 'bo-carver', 'lena-ott', 'raj-malik'].map((slug) => [
          `/members/${slug}`,
          page(
            slug,
            chrome(
              `<h1>${slug}</h1><div class="contact"><h2>Contact</h2><p>Email: <a href="mailto:${slug}@parl.example">${slug}@parl.example</a></p></div>`,
            ),
          ),
        ]),
      ),
    },
    truth: [
      ['Ines Aalto', 'Green', 'North Bay', 'ines-aalto'],
      ['Bo Carver', 'Labour', 'Eastfield', 'bo-carver'],
    ].map(([name = '', party = '', seat = '', slug = '']) => ({
      name,
      party,
      constituency: seat,
      email: `${slug}@parl.example`,
      url: `{origin}/members/${slug}`,
    })),
    second: [
      ['Lena Ott', 'Green', 'Quarry Hill', 'lena-ott'],
      ['Raj Malik', 'Liberal', 'South Bay', 'raj-malik'],
    ].map(([name = '', party = '', seat = '', slug = '']) => ({
      name,
      party,
      constituency: seat,
      email: `${slug}@parl.example`,
      url: `{origin}/members/${slug}`,
    })),
  },
  {
    name: 'quotes with authors in the same line',
    goal: 'inspirational quotes and who said them',
    pages: {
      '/quotes': page(
        'Quotes',
        frame(
          `<h1>Quotes</h1>${each(
            [
              ['Begin anywhere.', 'John Arden'],
              ['The way out is through.', 'Rob Frostby'],
              ['Less, but better.', 'Dita Ramm'],
            ],
            ([text, who]) =>
              `<blockquote class="q"><p>“${text}”</p><footer>— <cite>${who}</cite></footer></blockquote>`,
          )}`,
        ),
      ),
    },
    truth: [
      ['Begin anywhere.', 'John Arden'],
      ['The way out is through.', 'Rob Frostby'],
      ['Less, but better.', 'Dita Ramm'],
    ].map(([text = '', who = '']) => ({
      'quote|text|quotes|title': `“${text}”`,
      'author|who_said|who|who_said_them': who,
    })),
  },
  {
    name: 'flights as an answer in JSON, times and nested airports',
    goal: 'departures (flight number, airline, destination city, scheduled time, gate)',
    pages: {
      '/api/departures': JSON.stringify({
        airport: 'XNA',
        flights: [
          ['SK 804', 'Skerry Air', 'Oslo', '2024-06-14T09:35:00Z', 'B12'],
          ['NL 22', 'Nordlight', 'Riga', '2024-06-14T10:05:00Z', 'A3'],
        ].map(([number, airline, city, time, gate]) => ({
          flightNumber: number,
          airline: { code: 'XX', name: airline },
          destination: { iata: 'OSL', city },
          scheduledTime: time,
          gate,
          codeshares: [],
        })),
      }),
    },
    truth: [
      ['SK 804', 'Skerry Air', 'Oslo', '2024-06-14T09:35:00Z', 'B12'],
      ['NL 22', 'Nordlight', 'Riga', '2024-06-14T10:05:00Z', 'A3'],
    ].map(([number = '', airline = '', city = '', time = '', gate = '']) => ({
      flight_number: number,
      airline,
      destination_city: city,
      scheduled_time: time,
      gate,
    })),
  },
  {
    name: 'nothing: a shop page with an empty list',
    goal: 'name and price of all garden chairs',
    pages: {
      '/chairs': page(
        'Garden chairs',
        chrome('<h1>Garden chairs</h1><p class="empty">No products were found matching your selection.</p>', {
          sidebar: recentPosts,
        }),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: contact page',
    goal: 'List all employees with their job title and phone number',
    pages: {
      '/contact': page(
        'Contact',
        chrome(
          '<h1>Contact us</h1><p>Write to <a href="mailto:hello@x.example">hello@x.example</a> or call <a href="tel:+441134960000">0113 496 0000</a>.</p><form method="post"><input name="name"><textarea name="text"></textarea><button>Send</button></form>',
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: team page where flights are asked for',
    goal: 'flight departures with flight number, destination and gate',
    pages: {
      '/team': page(
        'Team',
        chrome(
          `<h1>Our team</h1><div class="team">${each(
            [
              ['Ann Lee', 'Founder', 'Leeds'],
              ['Bob Day', 'Designer', 'York'],
              ['Cy Orr', 'Engineer', 'Hull'],
            ],
            ([name, job, place]) =>
              `<div class="member"><h3>${name}</h3><p class="job">${job}</p><p class="place">${place}</p></div>`,
          )}</div>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: news where prices of fuel are asked for',
    goal: 'current fuel prices by station: station name, diesel price, petrol price',
    pages: {
      '/fuel': page(
        'Fuel prices rise again',
        chrome(
          `<article><h1>Fuel prices rise again</h1>${'<p>Fuel prices rose again this week, and drivers at the stations along the coast road said that they had stopped filling their tanks to the top, for who knows what next week will bring.</p>'.repeat(5)}</article>`,
          { sidebar: recentPosts },
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: a wall for subscribers',
    goal: 'article headline, author and full text',
    pages: {
      '/login?next=/a/1': page(
        'Log in to continue reading',
        '<h1>Log in to continue reading</h1><form method="post"><input type="email" name="e"><input type="password" name="p"><button>Log in</button></form>',
      ),
    },
    failure: ['LOGIN_REQUIRED'],
  },
  {
    name: 'nothing: a listing that scripts fill',
    goal: 'apartments for rent with rent, rooms and address',
    pages: {
      '/rent': page(
        'Apartments',
        '<header class="top"><a href="/">Home</a></header><main><h1>Apartments for rent</h1><div id="app" class="results"><div class="skeleton"></div><div class="skeleton"></div><div class="skeleton"></div></div></main><script type="module" src="/assets/index-4f3a.js"></script>',
      ),
    },
    failure: ['NEEDS_JAVASCRIPT', 'NO_DATA_FOUND', 'GOAL_NOT_COVERED'],
  },
];
