/**
 * Page sets of further kinds of sites, written after the rules for the platforms and before any was tried on them.
 * First measured F1: 0.74.
 */
import { chrome, recentPosts, tagCloud } from './chrome.ts';
import { type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const lamps = [
  ['Arc floor lamp', '149.00', '199.00', 'arc-floor-lamp'],
  ['Clip reading light', '24.50', '', 'clip-reading-light'],
  ['Paper globe', '39.95', '49.95', 'paper-globe'],
  ['Brass sconce', '88.00', '', 'brass-sconce'],
] as const;

const repos = [
  ['ferrous', 'kiln', 'A build tool that forgets nothing.', 'Rust', '12,480', '310'],
  ['lagoon-dev', 'reef', 'Charts for the terminal.', 'Go', '3,902', '85'],
  ['ottersoft', 'raft', 'Small consensus, well tested.', 'Zig', '871', '22'],
] as const;

const news = [
  ['Show HN: A kettle that knows the time', 'https://kettle.example/', 212, 'boilerman', 88],
  ['The case against weekly meetings', 'https://calm.example/meetings', 431, 'sunny', 305],
  ['Soviet calculators and their keys', 'https://keys.example/', 97, 'retro', 14],
] as const;

const films = [
  ['The Long Harbour', '1994', '2h 22m', '9.2'],
  ['Winter Kitchen', '1972', '2h 55m', '9.1'],
  ['Nine Lanterns', '2008', '1h 38m', '8.9'],
] as const;

const houses = [
  ['$425,000', '18 Birch Rd, Salem', 3, 2, '1,240'],
  ['$612,500', '7 Mill Ln, Astoria', 4, 3, '2,015'],
  ['$298,000', '220 Coast Ave, Newport', 2, 1, '860'],
] as const;

const matches = [
  ['Rovers', 'United', '2', '1', '2024-03-02'],
  ['Albion', 'Athletic', '0', '0', '2024-03-03'],
  ['City', 'Wanderers', '3', '2', '2024-03-09'],
] as const;

const crew = [
  ['Hedda Krog', 'Managing partner', 'hedda@krog.example', '+47 22 11 33 01'],
  ['Tor Lunde', 'Counsel', 'tor@krog.example', '+47 22 11 33 02'],
  ['Siri Vik', 'Associate', 'siri@krog.example', '+47 22 11 33 03'],
] as const;

const coins = [
  ['Nimbus', 'NMB', '$64,120.55', '+2.31%', '$1.26T'],
  ['Quarry', 'QRY', '$3,411.08', '-0.84%', '$410.2B'],
  ['Tallow', 'TLW', '$0.5127', '+11.02%', '$28.1B'],
] as const;

export const variety: readonly PageSet[] = [
  {
    name: 'category page with price boxes and data attributes',
    goal: 'Grab product names, prices and links from the category page.',
    pages: {
      '/lighting.html': page(
        'Lighting',
        chrome(
          `<div class="toolbar toolbar-products"><p class="toolbar-amount">4 Items</p></div><div class="products wrapper grid products-grid"><ol class="products list items product-items">${each(
            lamps,
            (
              [name, price, old, slug],
              index,
            ) => `<li class="item product product-item"><div class="product-item-info" data-container="product-grid"><a href="/${slug}.html" class="product photo product-item-photo" tabindex="-1"><span class="product-image-container"><img class="product-image-photo" src="/media/${slug}.jpg" loading="lazy" alt="${name}"/></span></a><div class="product details product-item-details"><strong class="product name product-item-name"><a class="product-item-link" href="/${slug}.html">
 ${name} </a></strong><div class="price-box price-final_price" data-role="priceBox" data-product-id="${index + 40}">${old === '' ? '' : `<span class="special-price">`}<span class="price-container price-final_price"><span id="product-price-${index + 40}" data-price-amount="${Number(price)}" data-price-type="finalPrice" class="price-wrapper"><span class="price">$${price}</span></span></span>${old === '' ? '' : `</span><span class="old-price"><span class="price-container"><span class="price-label">Regular Price</span><span data-price-amount="${Number(old)}" data-price-type="oldPrice" class="price-wrapper"><span class="price">$${old}</span></span></span></span>`}</div><div class="actions-primary"><button type="submit" class="action tocart primary"><span>Add to Cart</span></button></div></div></div></li>`,
          )}</ol></div>`,
        ),
      ),
    },
    truth: lamps.map(([name, price, , slug]) => ({
      'product_name|name|title': name,
      price: Number(price),
      'link|url': `{origin}/${slug}.html`,
    })),
  },
  {
    name: 'search results of an auction site',
    goal: 'For all search results I need the listing title, price, condition and shipping cost',
    pages: {
      '/sch/i.html?_nkw=typewriter': page(
        'typewriter for sale',
        chrome(
          `<h1 class="srp-controls__count-heading"><span class="BOLD">3</span> results for <span class="BOLD">typewriter</span></h1><ul class="srp-results srp-list clearfix">${each(
            [
              ['Olivetti Lettera 32, blue case', '$129.00', 'Pre-Owned', '+$18.20 shipping'],
              ['Hermes Baby, Swiss keyboard', '$210.00', 'Refurbished', '+$24.00 shipping'],
              ['Royal Quiet De Luxe 1949', '$89.95', 'For parts', '+$31.75 shipping'],
            ],
            ([title, price, condition, ship], index) =>
              `<li class="s-item s-item__pl-on-bottom" id="item${index}a${index}f"><div class="s-item__wrapper clearfix"><div class="s-item__image-section"><a href="/itm/${index + 2251}"><div class="s-item__image-wrapper"><img src="/i/${index}.webp" alt=""></div></a></div><div class="s-item__info clearfix"><a class="s-item__link" href="/itm/${index + 2251}"><div class="s-item__title"><span role="heading" aria-level="3">${title}</span></div></a><div class="s-item__subtitle"><span class="SECONDARY_INFO">${condition}</span></div><div class="s-item__details clearfix"><div class="s-item__detail s-item__detail--primary"><span class="s-item__price">${price}</span></div><div class="s-item__detail s-item__detail--primary"><span class="s-item__shipping s-item__logisticsCost">${ship}</span></div></div></div></div></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: [
      ['Olivetti Lettera 32, blue case', 129, 'Pre-Owned', 18.2],
      ['Hermes Baby, Swiss keyboard', 210, 'Refurbished', 24],
      ['Royal Quiet De Luxe 1949', 89.95, 'For parts', 31.75],
    ].map(([title = '', price = '', condition = '', ship = '']) => ({
      'listing_title|title': title,
      price,
      condition,
      'shipping_cost|shipping': ship,
    })),
  },
  {
    name: 'search results with prices for screen readers',
    goal: 'title, price, star rating & number of reviews',
    pages: {
      '/s?k=mouse': page(
        'mouse',
        `<div id="search"><div class="s-main-slot s-result-list">${each(
          [
            ['Glide wireless mouse', '24', '99', '4.5', '12,301'],
            ['Pebble silent mouse', '17', '49', '4.2', '880'],
            ['Trackball Pro', '54', '00', '4.7', '3,115'],
          ],
          ([title, whole, cents, stars, reviews], index) =>
            `<div data-asin="B0${index}ABCD" data-index="${index}" data-component-type="s-search-result" class="s-result-item s-asin"><div class="sg-col-inner"><div class="a-section"><h2 class="a-size-mini"><a class="a-link-normal s-underline-text" href="/dp/B0${index}ABCD"><span class="a-size-base-plus a-text-normal">${title}</span></a></h2><div class="a-row a-size-small"><span aria-label="${stars} out of 5 stars"><i class="a-icon a-icon-star-small"><span class="a-icon-alt">${stars} out of 5 stars</span></i></span><span aria-label="${reviews}"><a href="/dp/B0${index}ABCD#reviews"><span class="a-size-base s-underline-text">${reviews}</span></a></span></div><div class="a-row"><a class="a-link-normal" href="/dp/B0${index}ABCD"><span class="a-price" data-a-color="base"><span class="a-offscreen">$${whole}.${cents}</span><span aria-hidden="true"><span class="a-price-symbol">$</span><span class="a-price-whole">${whole}<span class="a-price-decimal">.</span></span><span class="a-price-fraction">${cents}</span></span></span></a></div></div></div></div>`,
        )}</div></div>`,
      ),
    },
    truth: [
      ['Glide wireless mouse', 24.99, 4.5, 12301],
      ['Pebble silent mouse', 17.49, 4.2, 880],
      ['Trackball Pro', 54, 4.7, 3115],
    ].map(([title = '', price = '', rating = '', reviews = '']) => ({
      title,
      price,
      'star_rating|rating|stars': rating,
      'number_of_reviews|reviews': reviews,
    })),
  },
  {
    name: 'trending repositories',
    goal: 'trending repos: name, description, language and total stars',
    pages: {
      '/trending': page(
        'Trending repositories',
        `<main><div class="Box"><div class="Box-header d-md-flex"><h1>Trending</h1></div><div>${each(
          repos,
          ([owner, name, text, language, stars, today]) =>
            `<article class="Box-row"><div class="float-right d-flex"><a href="/login" class="btn btn-sm">Star</a></div><h2 class="h3 lh-condensed"><a href="/${owner}/${name}" class="Link"><svg></svg><span class="text-normal">${owner} /</span> ${name}</a></h2><p class="col-9 color-fg-muted my-1 pr-4">${text}</p><div class="f6 color-fg-muted mt-2"><span class="d-inline-block ml-0 mr-3"><span class="repo-language-color"></span> <span itemprop="programmingLanguage">${language}</span></span><a href="/${owner}/${name}/stargazers" class="Link Link--muted d-inline-block mr-3"><svg aria-label="star"></svg> ${stars}</a><a href="/${owner}/${name}/forks" class="Link Link--muted d-inline-block mr-3">${today}</a><span class="d-inline-block float-sm-right">${today} stars today</span></div></article>`,
        )}</div></div></main>`,
      ),
    },
    truth: repos.map(([owner, name, text, language, stars]) => ({
      name: `${owner} / ${name}`,
      description: text,
      language,
      'total_stars|stars': Number(stars.replace(',', '')),
    })),
  },
  {
    name: 'link aggregator in rows of a table',
    goal: 'front page stories: rank, title, url, points, user and comment count',
    pages: {
      '/news': page(
        'Tinker News',
        `<center><table id="hnmain" border="0"><tr><td bgcolor="#ff6600"><table><tr><td><a href="/"><img src="y.svg"></a></td><td><span class="pagetop"><b class="hnname"><a href="news">Tinker News</a></b> <a href="newest">new</a> | <a href="ask">ask</a></span></td></tr></table></td></tr><tr id="pagespace"></tr><tr><td><table border="0" cellpadding="0">${each(
          news,
          ([title, url, points, user, comments], index) =>
            `<tr class="athing" id="${index + 4000}"><td align="right" valign="top" class="title"><span class="rank">${index + 1}.</span></td><td valign="top" class="votelinks"><center><a id="up_${index}" href="vote?id=${index}"><div class="votearrow" title="upvote"></div></a></center></td><td class="title"><span class="titleline"><a href="${url}">${title}</a><span class="sitebit comhead"> (<a href="from?site=x"><span class="sitestr">x.example</span></a>)</span></span></td></tr><tr><td colspan="2"></td><td class="subtext"><span class="subline"><span class="score" id="score_${index}">${points} points</span> by <a href="user?id=${user}" class="hnuser">${user}</a> <span class="age" title="2024-05-01T0${index}:00:00"><a href="item?id=${index}">${index + 2} hours ago</a></span> | <a href="hide?id=1">hide</a> | <a href="item?id=${index}">${comments}&nbsp;comments</a></span></td></tr><tr class="spacer" style="height:5px"></tr>`,
        )}<tr class="morespace"></tr><tr><td colspan="2"></td><td class="title"><a href="?p=2" class="morelink" rel="next">More</a></td></tr></table></td></tr></table></center>`,
      ),
    },
    truth: news.map(([title, url, points, user, comments], index) => ({
      rank: index + 1,
      title,
      url,
      points,
      user,
      'comment_count|comments': comments,
    })),
  },
  {
    name: 'posts that hold their values in data attributes',
    goal: 'posts with title, subreddit, author and upvotes',
    pages: {
      '/r/all': page(
        'all',
        `<div id="siteTable" class="sitetable linklisting">${each(
          [
            ['My first sourdough', 'Breadit', 'crumbs', 1204],
            ['A map of every lighthouse', 'MapPorn', 'coastal', 8830],
            ['Help with a squeaky hinge', 'DIY', 'doorman', 41],
          ],
          ([title, sub, author, score], index) =>
            `<div class=" thing id-t3_${index} linkflair link" id="thing_t3_${index}" data-fullname="t3_${index}" data-author="${author}" data-subreddit="${sub}" data-score="${score}"><p class="parent"></p><span class="rank">${index + 1}</span><div class="midcol unvoted"><div class="arrow up"></div><div class="score unvoted" title="${score}">${score}</div></div><div class="entry unvoted"><div class="top-matter"><p class="title"><a class="title may-blank" href="/r/${sub}/${index}">${title}</a> <span class="domain">(<a href="/d">self.${sub}</a>)</span></p><p class="tagline">submitted 5 hours ago by <a href="/user/${author}" class="author may-blank">${author}</a> to <a href="/r/${sub}/" class="subreddit hover">r/${sub}</a></p></div></div></div>`,
        )}</div>`,
      ),
    },
    truth: [
      ['My first sourdough', 'Breadit', 'crumbs', 1204],
      ['A map of every lighthouse', 'MapPorn', 'coastal', 8830],
      ['Help with a squeaky hinge', 'DIY', 'doorman', 41],
    ].map(([title = '', subreddit = '', author = '', upvotes = '']) => ({
      title,
      // As the page shows it.
      subreddit: `r/${subreddit}`,
      author,
      upvotes,
    })),
  },
  {
    name: 'a chart of films with unlabelled facts',
    goal: 'Top movies: title, year, runtime and rating',
    pages: {
      '/chart/top': page(
        'Top 250 movies',
        `<div id="__next"><main><h1 class="ipc-title__text">Top movies</h1><ul class="ipc-metadata-list ipc-metadata-list--dividers-between sc-a1e81754-0 eBRbsI">${each(
          films,
          ([title, year, time, rating]) =>
            `<li class="ipc-metadata-list-summary-item sc-10233bc-0"><div class="ipc-metadata-list-summary-item__c"><div class="ipc-poster"><img class="ipc-image" src="/p.jpg" alt="${title}"></div><div class="sc-b189961a-0 hBZnfJ"><div class="ipc-title"><a href="/title/tt1" class="ipc-title-link-wrapper"><h3 class="ipc-title__text">${title}</h3></a></div><div class="sc-b189961a-7 feoqjK"><span class="sc-b189961a-8 kLaxqf cli-title-metadata-item">${year}</span><span class="sc-b189961a-8 kLaxqf cli-title-metadata-item">${time}</span><span class="sc-b189961a-8 kLaxqf cli-title-metadata-item">PG</span></div><span class="sc-b189961a-1 kcRAsW"><div><span aria-label="Rating: ${rating}" class="ipc-rating-star ipc-rating-star--imdb"><svg></svg>${rating}<span class="ipc-rating-star--voteCount"> (2.9M)</span></span></div></span></div></div></li>`,
        )}</ul></main></div>`,
      ),
    },
    truth: films.map(([title, year, runtime, rating]) => ({
      title,
      year: Number(year),
      runtime,
      rating: Number(rating),
    })),
  },
  {
    name: 'a table with spans, notes and units in the headers',
    goal: 'Largest lakes with their area, maximum depth and the countries',
    pages: {
      '/wiki/Lakes': page(
        'List of lakes by area',
        `<div class="mw-parser-output"><h1>List of lakes by area</h1><p>Lakes are sorted by area.</p><table class="wikitable"><thead><tr><th>Lake</th><th>Type</th><th>Countries with shoreline</th><th>Area</th><th>Length</th><th>Maximum depth</th></tr></thead><tbody>${each(
          [
            ['Caspian Sea', 'Endorheic', 'Kazakhstan, Russia', '389,000 km²', '1,199 km', '1,025 m'],
            ['Superior', 'Fresh', 'Canada, United States', '82,100 km²', '616 km', '406.3 m'],
            ['Victoria', 'Fresh', 'Kenya, Tanzania, Uganda', '59,940 km²', '322 km', '81 m'],
          ],
          ([lake, type, countries, area, length, depth]) =>
            `<tr><td><b><a href="/wiki/x">${lake}</a></b><sup class="reference">[1]</sup></td><td>${type}</td><td>${countries}</td><td>${area}</td><td>${length}</td><td>${depth}</td></tr>`,
        )}</tbody></table></div>`,
      ),
    },
    truth: [
      ['Caspian Sea', 389000, 1025, 'Kazakhstan, Russia'],
      ['Superior', 82100, 406.3, 'Canada, United States'],
      ['Victoria', 59940, 81, 'Kenya, Tanzania, Uganda'],
    ].map(([lake = '', area = '', depth = '', countries = '']) => ({
      'lake|title|name': lake,
      area,
      maximum_depth: depth,
      countries,
    })),
  },
  {
    name: 'a table whose rows begin with a header cell',
    goal: 'planets with diameter and number of moons',
    pages: {
      '/planets': page(
        'Planets',
        chrome(
          `<h1>The planets</h1><div class="table-responsive"><table class="table table-striped"><thead><tr><th scope="col">Planet</th><th scope="col">Diameter (km)</th><th scope="col">Moons</th><th scope="col">Day</th></tr></thead><tbody>${each(
            [
              ['Mercury', '4,879', '0', '176 d'],
              ['Mars', '6,779', '2', '24.6 h'],
              ['Jupiter', '139,820', '95', '9.9 h'],
            ],
            ([planet, size, moons, day]) =>
              `<tr><th scope="row">${planet}</th><td>${size}</td><td>${moons}</td><td>${day}</td></tr>`,
          )}</tbody></table></div>`,
        ),
      ),
    },
    truth: [
      ['Mercury', 4879, 0],
      ['Mars', 6779, 2],
      ['Jupiter', 139820, 95],
    ].map(([planet = '', diameter = '', moons = '']) => ({
      'planet|name|title': planet,
      diameter,
      'number_of_moons|moons': moons,
    })),
  },
  {
    name: 'an infobox of one company',
    goal: 'company info: founded, headquarters, CEO, number of employees',
    pages: {
      '/wiki/Harrow': page(
        'Harrow Instruments',
        `<div id="content"><h1>Harrow Instruments</h1><table class="infobox vcard"><tbody><tr><th colspan="2" class="infobox-above">Harrow Instruments plc</th></tr><tr><td colspan="2" class="infobox-image"><img src="/logo.png"></td></tr><tr><th scope="row" class="infobox-label">Founded</th><td class="infobox-data">1921</td></tr><tr><th scope="row" class="infobox-label">Headquarters</th><td class="infobox-data">Sheffield, England</td></tr><tr><th scope="row" class="infobox-label">CEO</th><td class="infobox-data">Mabel Orton</td></tr><tr><th scope="row" class="infobox-label">Number of employees</th><td class="infobox-data">4,150</td></tr></tbody></table><p>Harrow Instruments plc is a maker of measuring instruments. It was founded in Sheffield by two clockmakers, and for most of its life it made barometers.</p><p>Since 1998 it has been listed, and since 2010 it has made sensors for ships, which are now most of its business and nearly all of its profit.</p></div>`,
      ),
    },
    truth: [
      { founded: 1921, headquarters: 'Sheffield, England', ceo: 'Mabel Orton', number_of_employees: 4150 },
    ],
  },
  {
    name: 'a job posting in JSON-LD',
    goal: 'What is the job title, hiring company, location and base salary of this posting?',
    pages: {
      '/jobs/88': page(
        'Boat builder - Skerry Yard',
        chrome(
          '<h1>Boat builder</h1><div class="job-body"><p>We build boats of larch on oak.</p><p>Come and see us.</p></div>',
        ),
        `<script type="application/ld+json">\n${JSON.stringify(
          {
            '@context': 'http://schema.org',
            '@type': 'JobPosting',
            title: 'Boat builder',
            datePosted: '2024-04-02',
            hiringOrganization: {
              '@type': 'Organization',
              name: 'Skerry Yard',
              sameAs: 'https://skerry.example',
            },
            jobLocation: {
              '@type': 'Place',
              address: { '@type': 'PostalAddress', addressLocality: 'Stromness', addressCountry: 'GB' },
            },
            baseSalary: {
              '@type': 'MonetaryAmount',
              currency: 'GBP',
              value: { '@type': 'QuantitativeValue', value: 36500, unitText: 'YEAR' },
            },
          },
          null,
          2,
        )}\n</script>`,
      ),
    },
    truth: [
      {
        job_title: 'Boat builder',
        'hiring_company|company': 'Skerry Yard',
        location: 'Stromness',
        base_salary: 36500,
      },
    ],
  },
  {
    name: 'a recipe card of a plugin',
    goal: 'I want the ingredients, steps, prep time and servings for this recipe',
    pages: {
      '/plum-cake/': page(
        'Plum cake',
        chrome(
          `<article class="post hentry"><h1 class="entry-title">Plum cake</h1><div class="entry-content"><p>My grandmother made this cake on the first Sunday of September, and she never wrote it down anywhere.</p><p>It keeps for three days, though I have never seen it last for more than one, not even in a house with only two people.</p><div class="wprm-recipe-container"><h2 class="wprm-recipe-name">Plum cake</h2><div class="wprm-recipe-times"><div class="wprm-recipe-prep-time-container"><span class="wprm-recipe-prep-time-label">Prep Time</span><span class="wprm-recipe-time">25 minutes</span></div></div><div class="wprm-recipe-servings-container"><span class="wprm-recipe-servings-label">Servings</span><span class="wprm-recipe-servings">8</span></div><ul class="wprm-recipe-ingredients">${each(['500 g plums', '200 g flour', '3 eggs'], (one) => `<li class="wprm-recipe-ingredient">${one}</li>`)}</ul><ul class="wprm-recipe-instructions">${each(['Stone the plums.', 'Beat eggs and flour.', 'Bake for an hour.'], (one) => `<li class="wprm-recipe-instruction"><div class="wprm-recipe-instruction-text">${one}</div></li>`)}</ul></div></div></article>`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: [
      {
        ingredients: ['500 g plums', '200 g flour', '3 eggs'],
        steps: ['Stone the plums.', 'Beat eggs and flour.', 'Bake for an hour.'],
        prep_time: 25,
        servings: 8,
      },
    ],
  },
  {
    name: 'topics of a forum as JSON',
    goal: 'latest topics with title, number of posts, views and last posted date',
    pages: {
      '/latest.json': JSON.stringify({
        users: [
          { id: 1, username: 'sam', avatar_template: '/a/1.png' },
          { id: 2, username: 'kim', avatar_template: '/a/2.png' },
        ],
        topic_list: {
          can_create_topic: false,
          per_page: 30,
          topics: [
            {
              id: 11,
              title: 'Restoring a brass lamp',
              slug: 'lamp',
              posts_count: 9,
              views: 310,
              last_posted_at: '2024-04-11T10:20:00.000Z',
              pinned: false,
            },
            {
              id: 12,
              title: 'Which glue for veneer',
              slug: 'glue',
              posts_count: 4,
              views: 77,
              last_posted_at: '2024-04-10T18:00:00.000Z',
              pinned: false,
            },
          ],
        },
      }),
    },
    truth: [
      ['Restoring a brass lamp', 9, 310, '2024-04-11T10:20:00Z'],
      ['Which glue for veneer', 4, 77, '2024-04-10T18:00:00Z'],
    ].map(([title = '', posts = '', views = '', date = '']) => ({
      title,
      'number_of_posts|posts': posts,
      views,
      'last_posted_date|date': date,
    })),
  },
  {
    name: 'posts of a content system as JSON',
    goal: 'post titles, dates and links',
    pages: {
      '/wp-json/wp/v2/posts': JSON.stringify(
        [
          ['First light', '2024-01-02T08:00:00'],
          ['Long shadows', '2024-01-09T08:00:00'],
        ].map(([title, date], index) => ({
          id: index + 1,
          date,
          slug: `p${index}`,
          link: `https://blog.example/p${index}/`,
          title: { rendered: title },
          content: { rendered: '<p>…</p>', protected: false },
          author: 3,
          categories: [1, 4],
        })),
      ),
    },
    truth: [
      ['First light', '2024-01-02T08:00:00Z'],
      ['Long shadows', '2024-01-09T08:00:00Z'],
    ].map(([title = '', date = ''], index) => ({
      'post_title|title': title,
      date,
      link: `https://blog.example/p${index}/`,
    })),
  },
  {
    name: 'products of a shop as JSON',
    goal: 'List every product with its title, vendor and price',
    pages: {
      '/products.json': JSON.stringify({
        products: [
          ['Oak stool', 'Nordform', '89.00'],
          ['Ash bench', 'Nordform', '240.00'],
          ['Pine shelf', 'Kiefer', '64.50'],
        ].map(([title, vendor, price], index) => ({
          id: 9000 + index,
          title,
          handle: `p-${index}`,
          vendor,
          tags: ['wood'],
          variants: [{ id: 1, title: 'Default', price, compare_at_price: null, available: true }],
          images: [{ src: 'https://cdn.example/1.jpg' }],
        })),
      }),
    },
    truth: [
      ['Oak stool', 'Nordform', 89],
      ['Ash bench', 'Nordform', 240],
      ['Pine shelf', 'Kiefer', 64.5],
    ].map(([title = '', vendor = '', price = '']) => ({ title, vendor, price })),
  },
  {
    name: 'a JSON feed',
    goal: 'feed entries (title, url, published date)',
    pages: {
      '/feed.json': JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'Moss notes',
        home_page_url: 'https://moss.example/',
        items: [
          {
            id: '1',
            url: 'https://moss.example/1',
            title: 'Sphagnum',
            content_text: 'Wet.',
            date_published: '2024-02-01T09:00:00Z',
          },
          {
            id: '2',
            url: 'https://moss.example/2',
            title: 'Haircap',
            content_text: 'Dry.',
            date_published: '2024-02-08T09:00:00Z',
          },
        ],
      }),
    },
    truth: [
      ['Sphagnum', 'https://moss.example/1', '2024-02-01T09:00:00Z'],
      ['Haircap', 'https://moss.example/2', '2024-02-08T09:00:00Z'],
    ].map(([title = '', url = '', date = '']) => ({ title, url, 'published_date|date': date })),
  },
  {
    name: 'a product page with JSON-LD, description in the page',
    goal: 'name, sku, price, currency and average rating of the product',
    pages: {
      '/p/walnut-desk': page(
        'Walnut desk – Nordform',
        chrome(
          '<h1>Walnut desk</h1><p class="teaser">A desk for people who write by hand.</p><div id="price-app"></div>',
        ),
        `<script type="application/ld+json">${JSON.stringify([
          {
            '@context': 'https://schema.org',
            '@type': 'BreadcrumbList',
            itemListElement: [{ '@type': 'ListItem', position: 1, item: { '@id': '/', name: 'Home' } }],
          },
          {
            '@context': 'https://schema.org',
            '@type': 'Product',
            name: 'Walnut desk',
            sku: 'ND-4410',
            image: ['/d1.jpg'],
            brand: { '@type': 'Brand', name: 'Nordform' },
            aggregateRating: { '@type': 'AggregateRating', ratingValue: '4.6', reviewCount: '38' },
            offers: {
              '@type': 'AggregateOffer',
              lowPrice: '780.00',
              highPrice: '920.00',
              priceCurrency: 'EUR',
            },
          },
        ])}</script>`,
      ),
    },
    truth: [
      { name: 'Walnut desk', sku: 'ND-4410', price: 780, currency: 'EUR', 'average_rating|rating': 4.6 },
    ],
  },
  {
    name: 'store locator in the state of a router',
    goal: 'Get all store locations with address, city, zip code and phone',
    pages: {
      '/stores': page(
        'Find a store',
        `<div class="app"><h1>Find a store</h1><div class="map"></div></div><script>window.__remixContext = ${JSON.stringify(
          {
            basename: '/',
            future: { v2: true },
            state: {
              loaderData: {
                root: { locale: 'en' },
                'routes/stores': {
                  stores: [
                    ['Harbour', '1 Quay St', 'Bristol', 'BS1 4RN', '0117 496 0011'],
                    ['Old Town', '40 High St', 'Poole', 'BH15 1BT', '01202 496 022'],
                    ['Mill', '9 Weir Rd', 'Durham', 'DH1 3NJ', '0191 496 0033'],
                  ].map(([name, street, city, zip, phone], index) => ({
                    id: index,
                    name,
                    address: { line1: street, city, postalCode: zip },
                    phone,
                  })),
                },
              },
            },
          },
        )};</script><script src="/build/entry.js"></script>`,
      ),
    },
    truth: [
      ['1 Quay St', 'Bristol', 'BS1 4RN', '0117 496 0011'],
      ['40 High St', 'Poole', 'BH15 1BT', '01202 496 022'],
      ['9 Weir Rd', 'Durham', 'DH1 3NJ', '0191 496 0033'],
    ].map(([address = '', city = '', zip = '', phone = ''], index) => ({
      'title|name': ['Harbour', 'Old Town', 'Mill'][index] ?? '',
      address,
      city,
      'zip_code|zip': zip,
      phone,
    })),
  },
  {
    name: 'homes with facts in one line',
    goal: 'price, address, beds, baths and square feet of each listing',
    pages: {
      '/homes': page(
        'Homes for sale',
        `<div class="flex flex-col">${each(
          houses,
          ([price, address, beds, baths, area]) =>
            `<div class="rounded-xl border p-4"><img class="w-full" src="/h.jpg"><div class="mt-2 text-xl font-bold">${price}</div><div class="text-sm">${beds} beds · ${baths} baths · ${area} sqft</div><div class="text-gray-600">${address}</div></div>`,
        )}</div>`,
      ),
    },
    truth: houses.map(([price, address, beds, baths, area]) => ({
      price: Number(price.replace(/\D/g, '')),
      address,
      beds,
      baths,
      'square_feet|sqft': Number(area.replace(',', '')),
    })),
  },
  {
    name: 'match results in divs',
    goal: 'match results: home team, away team, home score, away score, date',
    pages: {
      '/results': page(
        'Results',
        chrome(
          `<h1>Results</h1><div class="fixtures">${each(
            matches,
            ([home, away, h, a, date]) =>
              `<div class="fixture"><time class="fixture-date" datetime="${date}">Sat</time><span class="team team--home">${home}</span><span class="score score--home">${h}</span><span class="sep">–</span><span class="score score--away">${a}</span><span class="team team--away">${away}</span></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: matches.map(([home, away, h, a, date]) => ({
      home_team: home,
      away_team: away,
      home_score: Number(h),
      away_score: Number(a),
      date,
    })),
  },
  {
    name: 'departures in a grid of roles',
    goal: 'bus departures: line, destination, departure time',
    pages: {
      '/stop/12': page(
        'Stop Market Square',
        chrome(
          `<h1>Departures from Market Square</h1><div role="table" class="board"><div role="rowgroup"><div role="row" class="r head"><span role="columnheader">Line</span><span role="columnheader">Destination</span><span role="columnheader">Departure</span></div></div><div role="rowgroup">${each(
            [
              ['12', 'Harbour', '10:42'],
              ['7A', 'University', '10:47'],
              ['N3', 'Airport', '10:55'],
            ],
            ([line, to, time]) =>
              `<div role="row" class="r"><span role="cell">${line}</span><span role="cell">${to}</span><span role="cell">${time}</span></div>`,
          )}</div></div>`,
        ),
      ),
    },
    truth: [
      ['12', 'Harbour', '10:42'],
      ['7A', 'University', '10:47'],
      ['N3', 'Airport', '10:55'],
    ].map(([line = '', destination = '', time = '']) => ({ line, destination, departure_time: time })),
  },
  {
    name: 'questions that open and close',
    goal: 'list of frequently asked questions with answers',
    pages: {
      '/faq': page(
        'FAQ',
        chrome(
          `<h1>Frequently asked questions</h1><div class="faq">${each(
            [
              ['Do you ship abroad?', 'We ship to all of Europe and to Japan.'],
              ['Can I return a lamp?', 'Within thirty days, in its box.'],
              ['Are bulbs included?', 'Only with lamps that say so.'],
            ],
            ([question, answer]) =>
              `<details class="faq-item"><summary>${question}</summary><div class="faq-body"><p>${answer}</p></div></details>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['Do you ship abroad?', 'We ship to all of Europe and to Japan.'],
      ['Can I return a lamp?', 'Within thirty days, in its box.'],
      ['Are bulbs included?', 'Only with lamps that say so.'],
    ].map(([question = '', answer = '']) => ({
      'question|title|questions': question,
      'answer|answers': answer,
    })),
  },
  {
    name: 'people whose mail is only in the link',
    goal: 'Names, positions, e-mail addresses and phone numbers of the lawyers',
    pages: {
      '/people': page(
        'Our people',
        chrome(
          `<h1>Our lawyers</h1><div class="row people-grid">${each(
            crew,
            ([name, role, mail, phone]) =>
              `<div class="col-sm-4"><div class="people-card"><img src="/x.jpg" alt="${name}"><h4 class="people-card-name">${name}</h4><p class="people-card-role">${role}</p><div class="people-card-links"><a href="mailto:${mail}" title="Email"><i class="fa fa-envelope"></i> Email</a> <a href="tel:${phone.replace(/ /g, '')}"><i class="fa fa-phone"></i> ${phone}</a></div></div></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: crew.map(([name, position, mail, phone]) => ({
      name,
      position,
      'e_mail_address|email_address|email|e_mail_addresse': mail,
      'phone_number|phone': phone,
    })),
  },
  {
    name: 'a shop in Japanese, a Japanese goal',
    goal: 'すべての商品の商品名、価格、画像',
    pages: {
      '/items': page(
        '商品一覧',
        `<div id="contents"><h1>商品一覧</h1><ul class="itemList">${each(
          [
            ['竹の箸', '1,200円', 'hashi'],
            ['木のお椀', '3,850円', 'owan'],
            ['和紙ノート', '980円', 'note'],
          ],
          ([name, price, slug]) =>
            `<li class="itemBox"><a href="/item/${slug}"><img src="/img/${slug}.jpg" alt=""><p class="itemName">${name}</p></a><p class="itemPrice">${price}</p></li>`,
        )}</ul></div>`,
        '',
        'ja',
      ),
    },
    truth: [
      ['竹の箸', 1200, 'hashi'],
      ['木のお椀', 3850, 'owan'],
      ['和紙ノート', 980, 'note'],
    ].map(([name = '', price = '', slug = '']) => ({
      '商品名|name|title': name,
      '価格|price': price,
      '画像|image': `{origin}/img/${slug}.jpg`,
    })),
  },
  {
    name: 'articles in Portuguese, a Portuguese goal',
    goal: 'Quero todas as notícias com título, autor, data e resumo',
    pages: {
      '/noticias': page(
        'Notícias',
        chrome(
          `<h1>Últimas notícias</h1>${each(
            [
              [
                'Ponte reabre ao trânsito',
                'Rita Sousa',
                '12/03/2024',
                'A ponte esteve fechada durante dois anos.',
              ],
              [
                'Feira do livro bate recorde',
                'João Dias',
                '25/02/2024',
                'Mais de dez mil visitantes em três dias.',
              ],
              ['Novo parque na zona norte', 'Rita Sousa', '13/02/2024', 'As obras começam no verão.'],
            ],
            ([title, author, date, text]) =>
              `<article class="noticia"><h3 class="noticia-titulo"><a href="/n/1">${title}</a></h3><p class="noticia-meta"><span class="noticia-autor">${author}</span> | <span class="noticia-data">${date}</span></p><p class="noticia-resumo">${text}</p></article>`,
          )}`,
        ),
        '',
        'pt',
      ),
    },
    truth: [
      ['Ponte reabre ao trânsito', 'Rita Sousa', '2024-03-12', 'A ponte esteve fechada durante dois anos.'],
      ['Feira do livro bate recorde', 'João Dias', '2024-02-25', 'Mais de dez mil visitantes em três dias.'],
      ['Novo parque na zona norte', 'Rita Sousa', '2024-02-13', 'As obras começam no verão.'],
    ].map(([titulo = '', autor = '', data = '', resumo = '']) => ({ titulo, autor, data, resumo })),
  },
  {
    name: 'photos with captions',
    goal: 'all photos with image url, caption and photographer',
    pages: {
      '/gallery': page(
        'Gallery',
        chrome(
          `<h1>Gallery</h1><div class="gallery columns-3">${each(
            [
              ['dawn', 'Dawn over the marsh', 'Ines Roth'],
              ['pier', 'The pier after the storm', 'Leo Brandt'],
              ['gulls', 'Gulls at the fish market', 'Ines Roth'],
            ],
            ([slug, caption, who]) =>
              `<figure class="gallery-item"><a href="/photo/${slug}"><img src="/full/${slug}.jpg" alt=""></a><figcaption class="gallery-caption">${caption} <span class="credit">Photo: ${who}</span></figcaption></figure>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['dawn', 'Dawn over the marsh', 'Ines Roth'],
      ['pier', 'The pier after the storm', 'Leo Brandt'],
      ['gulls', 'Gulls at the fish market', 'Ines Roth'],
    ].map(([slug = '', caption = '', who = '']) => ({
      'image_url|image': `{origin}/full/${slug}.jpg`,
      caption,
      photographer: who,
    })),
  },
  {
    name: 'a glossary of paragraphs that begin in bold',
    goal: 'glossary terms with definitions',
    pages: {
      '/glossary': page(
        'Sailing glossary',
        chrome(
          `<h1>Sailing glossary</h1>${each(
            [
              ['Abeam', 'At right angles to the keel.'],
              ['Gybe', 'To turn the stern through the wind.'],
              ['Luff', 'The forward edge of a sail.'],
            ],
            ([term, text]) => `<p><strong>${term}</strong> – ${text}</p>`,
          )}`,
        ),
      ),
    },
    truth: [
      ['Abeam', 'At right angles to the keel.'],
      ['Gybe', 'To turn the stern through the wind.'],
      ['Luff', 'The forward edge of a sail.'],
    ].map(([term = '', text = '']) => ({
      'term|title|terms|glossary_term': term,
      'definition|definitions': text,
    })),
  },
  {
    name: 'a market table with signs and suffixes',
    goal: 'coin name, symbol, price, 24h change, market cap',
    pages: {
      '/coins': page(
        'Coins',
        chrome(
          `<table class="coin-table"><thead><tr><th>#</th><th>Name</th><th>Symbol</th><th>Price</th><th>24h %</th><th>Market Cap</th><th></th></tr></thead><tbody>${each(
            coins,
            ([name, symbol, price, change, cap], index) =>
              `<tr><td>${index + 1}</td><td><img src="/c.png"> ${name}</td><td>${symbol}</td><td>${price}</td><td class="${change.startsWith('+') ? 'up' : 'down'}">${change}</td><td>${cap}</td><td><svg></svg></td></tr>`,
          )}</tbody></table>`,
        ),
      ),
    },
    truth: coins.map(([name, symbol, price, change, cap]) => ({
      'coin_name|name': name,
      symbol,
      price: Number(price.replace(/[$,]/g, '')),
      '24h_change|_24h_change|change': Number.parseFloat(change),
      market_cap: cap,
    })),
  },
  {
    name: 'an open goal on vacancies',
    goal: 'Extract all job listings',
    pages: {
      '/careers': page(
        'Careers at Fathom',
        chrome(
          `<h1>Open roles</h1><div class="openings">${each(
            [
              ['Sonar engineer', 'Engineering', 'Bergen', 'Full-time'],
              ['Deck hand', 'Operations', 'Aberdeen', 'Seasonal'],
              ['Chart editor', 'Content', 'Remote', 'Part-time'],
            ],
            ([title, team, place, kind], index) =>
              `<div class="opening"><a class="opening-title" href="/careers/${index}">${title}</a><span class="opening-department">${team}</span><span class="opening-location">${place}</span><span class="opening-commitment">${kind}</span></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['Sonar engineer', 'Engineering', 'Bergen', 'Full-time'],
      ['Deck hand', 'Operations', 'Aberdeen', 'Seasonal'],
      ['Chart editor', 'Content', 'Remote', 'Part-time'],
    ].map(([title = '', department = '', location = '', commitment = ''], index) => ({
      title,
      'url|link': `{origin}/careers/${index}`,
      department,
      location,
      commitment,
    })),
  },
  {
    name: 'one monument, asked in questions',
    goal: 'When was the bridge opened, who designed it and how long is it?',
    pages: {
      '/bridges/ness': page(
        'Ness Bridge',
        chrome(
          `<h1>Ness Bridge</h1><dl class="facts"><div><dt>Opened</dt><dd>12 June 1931</dd></div><div><dt>Designer</dt><dd>Elsa Broch</dd></div><div><dt>Total length</dt><dd>412 m</dd></div><div><dt>Material</dt><dd>Steel</dd></div></dl><p>The Ness Bridge carries the road to the north.</p>`,
        ),
      ),
    },
    truth: [
      {
        'date|opened|date_opened|bridge_opened': '1931-06-12',
        'who_designed|designer|designed|author|who_designed_it': 'Elsa Broch',
        'length|duration|how_long|total_length': 412,
      },
    ],
  },
  {
    name: 'plans of a service as cards',
    goal: 'pricing plans: plan name, monthly price, included storage',
    pages: {
      '/pricing': page(
        'Pricing',
        chrome(
          `<h1>Plans and pricing</h1><div class="pricing-table">${each(
            [
              ['Starter', '$5', '10 GB'],
              ['Team', '$15', '100 GB'],
              ['Studio', '$49', '1000 GB'],
            ],
            ([plan, price, size]) =>
              `<div class="plan"><h3 class="plan__name">${plan}</h3><div class="plan__price">${price}<small>/month</small></div><ul class="plan__features"><li>${size} storage</li><li>Email support</li></ul><a class="btn" href="/signup">Choose</a></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: [
      ['Starter', 5, 10],
      ['Team', 15, 100],
      ['Studio', 49, 1000],
    ].map(([plan = '', price = '', size = '']) => ({
      'plan_name|name': plan,
      monthly_price: price,
      'included_storage|storage': size,
    })),
  },
  {
    name: 'nothing: a blog about hotels',
    goal: 'hotel prices per night in Lisbon with hotel name and stars',
    pages: {
      '/lisbon': page(
        'A weekend in Lisbon',
        chrome(
          `<article><h1>A weekend in Lisbon</h1>${'<p>We stayed in a small hotel above the river, where the trams begin to climb, and woke to the sound of somebody frying fish in the courtyard below our window.</p>'.repeat(5)}</article>`,
          { sidebar: recentPosts + tagCloud },
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: a check for robots',
    goal: 'product list with price',
    pages: {
      '/': page(
        'Just a moment...',
        '<div class="main-wrapper"><h1>shop.example</h1><p>Checking if the site connection is secure. Enable JavaScript and cookies to continue.</p><noscript>Enable JavaScript and cookies to continue</noscript></div><script>window._cf_chl_opt={cvId:"2"};</script>',
      ),
    },
    failure: ['NEEDS_JAVASCRIPT', 'NO_DATA_FOUND', 'GOAL_NOT_COVERED'],
  },
  {
    name: 'nothing: only categories',
    goal: 'Give me product name, price and rating for everything in the shop',
    pages: {
      '/shop': page(
        'Shop by category',
        chrome(
          `<h1>Shop by category</h1><div class="category-grid">${each(['Chairs', 'Tables', 'Lamps', 'Rugs'], (name) => `<a class="category-tile" href="/gone/${name}"><img src="/c.jpg"><h3>${name}</h3></a>`)}</div>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: recipes where films are asked for',
    goal: 'list movies with title, rating and runtime',
    pages: {
      '/recipes': page(
        'Recipes',
        chrome(
          `<h1>Recipes</h1><div class="grid">${each(['Leek tart', 'Bean stew', 'Rye bread'], (name, index) => `<div class="recipe"><h3 class="recipe-title">${name}</h3><span class="recipe-rating">4.${index}</span><span class="recipe-time">${index + 3}0 min</span></div>`)}</div>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: customers without numbers',
    goal: 'list of customers with industry, country and contract value',
    pages: {
      '/customers': page(
        'Our customers',
        chrome(
          `<h1>Our customers</h1><div class="logos">${each(['Halden', 'Orrin', 'Peltz', 'Quarn'], (name) => `<div class="customer"><img src="/l.svg" alt="${name}"><h4>${name}</h4><p>"They simply work."</p></div>`)}</div>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: a portal behind a sign-in',
    goal: 'download my electricity meter readings with date and kWh',
    pages: {
      '/portal': page(
        'Customer portal',
        chrome(
          '<h1>Customer portal</h1><p>Please sign in to see your meter readings.</p><form action="/session" method="post"><input type="text" name="customer"><input type="password" name="pin"><button type="submit">Sign in</button></form>',
        ),
      ),
    },
    failure: ['LOGIN_REQUIRED'],
  },
];
