/** Page sets whose rows are texts of several parts, and prices that stand in pieces or several in a row. */
import { chrome, recentPosts } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const huts = [
  ['Kestrel Hut', 'Braemar', 12],
  ['Corrie Bothy', 'Aviemore', 7],
  ['The Old Shieling', 'Kingussie', 21],
  ['Loch End', 'Tomintoul', 4],
] as const;

const farms = [
  ['Mill Farmhouse', 3, 2, 120, '295,000'],
  ['The Granary', 4, 3, 186, '412,500'],
  ['Pond Cottage', 2, 1, 74, '188,000'],
  ['Ash Barn', 5, 3, 240, '560,000'],
] as const;

const essays = [
  ['On slow trains', 'Jane Doe', 'Travel', 5],
  ['A jar of nails', 'Tomas Reyes', 'Making', 9],
  ['What the heron saw', 'Ewa Lind', 'Nature', 12],
] as const;

const soups = [
  ['Leek and potato', '4.50'],
  ['Beetroot', '5.25'],
  ['Fish chowder', '7.00'],
  ['Onion, gratinated', '6.10'],
] as const;

const jobs = [
  ['Senior Gardener', 'Berlin', 'remote'],
  ['Soil Analyst', 'Potsdam', 'on site'],
  ['Tree Surgeon', 'Leipzig', 'on site'],
] as const;

const gadgets = [
  ['Solar lantern', '12', '99', '4.6', '1,234'],
  ['Hand pump', '24', '50', '4.1', '87'],
  ['Folding stove', '39', '00', '3.9', '410'],
] as const;

const cheeses = [
  ['Blue, wedge', '3.20', '2.40', '16.00'],
  ['Goat log', '2.75', '', '18.33'],
  ['Smoked, sliced', '4.10', '3.60', '12.90'],
  ['Farmhouse, mature', '5.00', '', '10.00'],
] as const;

const trips = [
  ['Puffin island', '£18', '£26'],
  ['Seal bay', '£12', '£15'],
  ['Lighthouse at dusk', '£30', '£42'],
] as const;

const coats = [
  ['Wax jacket', '120', '89'],
  ['Rain cape', '45', '30'],
  ['Oilskin', '150', '99'],
] as const;

const staff = [
  ['Mina Okoro', 'Head ranger', '01632 960112', 'mina@park.example'],
  ['Jon Falk', 'Warden', '01632 960145', 'jon@park.example'],
  ['Rhea Pym', 'Bird ringer', '01632 960178', 'rhea@park.example'],
] as const;

export const pieces: readonly PageSet[] = [
  {
    name: 'lines of a name, a town and a distance',
    goal: 'Mountain huts with name, town and distance',
    pages: {
      '/huts': page(
        'Mountain huts',
        frame(
          `<h1>Mountain huts</h1><p>Distances are from the road.</p><ul>${each(huts, ([name, town, km]) => `<li>${name} – ${town} – ${km} km</li>`)}</ul>`,
        ),
      ),
    },
    truth: huts.map(([name, town, distance]) => ({ name, town, distance })),
  },
  {
    name: 'facts of houses in one line',
    goal: 'houses for sale: name, price, bedrooms, bathrooms and floor area',
    pages: {
      '/houses': page(
        'Houses for sale',
        chrome(
          `<h1>Houses for sale</h1><div class="r">${each(farms, ([name, beds, baths, area, price], index) => `<a class="h-card" href="/h/${index}"><h2>${name}</h2><div class="k">£${price}</div><div class="z">${beds} bed${beds > 1 ? 's' : ''} · ${baths} bath${baths > 1 ? 's' : ''} · ${area} m²</div></a>`)}</div>`,
        ),
      ),
    },
    truth: farms.map(([name, bedrooms, bathrooms, area, price]) => ({
      name,
      price: Number(price.replace(',', '')),
      bedrooms,
      bathrooms,
      'floor_area|area': area,
    })),
  },
  {
    name: 'essays with a byline of author, section and length',
    goal: 'Give me each essay: title, author, section, reading time',
    pages: {
      '/essays': page(
        'Essays',
        chrome(
          `<h1>Essays</h1>${each(essays, ([title, author, topic, minutes], index) => `<div class="e"><h3><a href="/e/${index}">${title}</a></h3><p>By ${author} in ${topic} · ${minutes} min read</p></div>`)}`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: essays.map(([title, author, section, minutes]) => ({
      title,
      author,
      section,
      reading_time: minutes,
    })),
  },
  {
    name: 'a menu with dotted leaders',
    goal: 'soups with name and price',
    pages: {
      '/menu': page(
        'Soups',
        frame(
          `<h1>Soups of the week</h1><div class="m">${each(soups, ([name, price]) => `<p>${name} ........ ${price}</p>`)}</div>`,
        ),
      ),
    },
    truth: soups.map(([name, price]) => ({ name, price: Number(price) })),
  },
  {
    name: 'vacancies as lines with a comma and a bracket',
    goal: 'vacancies: position, city, workplace',
    pages: {
      '/jobs': page(
        'Vacancies',
        frame(
          `<h1>Vacancies</h1><ul class="v">${each(jobs, ([title, city, place], index) => `<li><a href="/j/${index}">${title}, ${city} (${place})</a></li>`)}</ul>`,
        ),
      ),
    },
    truth: jobs.map(([position, city, workplace]) => ({ position, city, workplace })),
  },
  {
    name: 'prices set in pieces, ratings with their number in brackets',
    goal: 'product, price, rating and number of reviews',
    pages: {
      '/camp': page(
        'Camping',
        chrome(
          `<h1>Camping</h1><div class="plist">${each(gadgets, ([name, pounds, pence, stars, reviews], index) => `<div class="pcard"><a href="/c/${index}"><h3>${name}</h3></a><div class="r8">★ ${stars} (${reviews})</div><div class="pr"><span>£</span><span>${pounds}</span><sup>${pence}</sup></div></div>`)}</div>`,
        ),
      ),
    },
    truth: gadgets.map(([product, pounds, pence, stars, reviews]) => ({
      'product|title|name': product,
      price: Number(`${pounds}.${pence}`),
      rating: Number(stars),
      'number_of_reviews|reviews': Number(reviews.replace(',', '')),
    })),
  },
  {
    name: 'cheeses with a price, an old price and a price by weight',
    goal: 'cheese name, price, old price where reduced, and price per kg',
    pages: {
      '/cheese': page(
        'Cheeses',
        chrome(
          `<h1>Cheeses</h1><ul class="grid">${each(cheeses, ([name, price, sale, kilo], index) => `<li class="cell"><a href="/k/${index}">${name}</a><div>${sale === '' ? `<span>£${price}</span>` : `<span class="visually-hidden">Was</span><s>£${price}</s> <span>£${sale}</span>`}</div><small>£${kilo}/kg</small></li>`)}</ul>`,
        ),
      ),
    },
    truth: cheeses.map(([name, price, sale, kilo]) => ({
      'cheese_name|name|title': name,
      price: Number(sale === '' ? price : sale),
      old_price: sale === '' ? null : Number(price),
      'price_per_kg|price_kg': Number(kilo),
    })),
  },
  {
    name: 'trips with a range of prices',
    goal: 'boat trips: name and price',
    pages: {
      '/trips': page(
        'Boat trips',
        frame(
          `<h1>Boat trips</h1><div>${each(trips, ([name, low, high]) => `<article><h3>${name}</h3><p class="t-price">${low} – ${high}</p></article>`)}</div>`,
        ),
      ),
    },
    truth: trips.map(([name, low]) => ({ name, price: Number(low.slice(1)) })),
  },
  {
    name: 'coats with what they were and are now in one text',
    goal: 'coats: name, price and old price',
    pages: {
      '/coats': page(
        'Coats',
        chrome(
          `<h1>Coats</h1><div>${each(coats, ([name, was, now], index) => `<article><h3><a href="/coats/${index}">${name}</a></h3><p>Was €${was} Now €${now}</p></article>`)}</div>`,
        ),
      ),
    },
    truth: coats.map(([name, was, now]) => ({ name, price: Number(now), old_price: Number(was) })),
  },
  {
    name: 'people whose facts stand in lines of one paragraph',
    goal: 'team members with name, role, phone and email',
    pages: {
      '/team': page(
        'Team members',
        frame(
          `<h1>Team members</h1><div>${each(staff, ([name, role, phone, mail]) => `<p><b>${name}</b>, ${role}<br>tel. ${phone}<br>${mail}</p>`)}</div>`,
        ),
      ),
    },
    truth: staff.map(([name, role, phone, email]) => ({ name, role, phone, email })),
  },
];
