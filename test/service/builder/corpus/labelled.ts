/** Page sets in which a value is named by what stands beside it, or stands in an attribute alone. */
import { chrome, recentPosts } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const flats = [
  ['Attic on Rope Lane', 2, 1, '68', 'Harwich', '1,150'],
  ['Corner flat, Dyers Row', 3, 2, '94', 'Colchester', '1,480'],
  ['Studio by the lock', 1, 1, '31', 'Ipswich', '725'],
  ['Old bakery loft', 4, 2, '131', 'Harwich', '1,990'],
] as const;

const boats = [
  ['Merganser', 'Lowestoft', '9.2', '1987', ''],
  ['Wigeon', 'Bosham', '7.4', '1971', 'Sold'],
  ['Pochard', 'Falmouth', '11.8', '2003', ''],
  ['Smew', 'Pin Mill', '6.1', '1965', ''],
] as const;

const tides = [
  ['2025-05-01', 'Sunny intervals', 21, 12, 'SW'],
  ['2025-05-02', 'Light rain', 18, 9, 'NE'],
  ['2025-05-03', 'Mist', 19, 11, 'W'],
  ['2025-05-04', 'Partly cloudy', 24, 13, 'S'],
] as const;

const walks = [
  ['Saltmarsh circuit', 'Maud Ekin', '3 May 2024', 'Coast', 14],
  ['Chalk pits and back', 'Ravi Sood', '28 April 2024', 'Hills', 3],
  ['Three bridges', 'Lena Frost', '19 April 2024', 'Rivers', 27],
] as const;

const potters = [
  ['Iris Vane', 'Stoneware', '020 7946 0112', 'Deptford'],
  ['Cato Bright', 'Porcelain', '020 7946 0188', 'Hackney'],
  ['Nell Ashby', 'Slipware', '020 7946 0145', 'Peckham'],
] as const;

const swimmers = [
  ['Ada Holm', 'Norway', 'NOR', '52.31'],
  ['Bea Costa', 'Portugal', 'POR', '52.77'],
  ['Ines Baum', 'Austria', 'AUT', '53.02'],
  ['Ciara Flynn', 'Ireland', 'IRL', '53.40'],
] as const;

const files = [
  ['Harbour survey', '2024-02-11T08:30:00Z', '11 Feb', 1204],
  ['Tide gauge log', '2023-12-03T17:05:00Z', '3 Dec', 87],
  ['Dredging plan', '2023-10-21T10:45:00Z', '21 Oct', 415],
] as const;
const unix = (iso: string) => Date.parse(iso) / 1000;

export const labelled: readonly PageSet[] = [
  {
    name: 'flats with drawn signs for beds and baths',
    goal: 'All flats with title, number of bedrooms, number of bathrooms, area, town and rent',
    pages: {
      '/lettings': page(
        'Flats to let',
        chrome(
          `<h1>Flats to let</h1><div class="grid">${each(
            flats,
            ([title, beds, baths, area, town, rent], index) =>
              `<article class="tile"><a href="/let/${index}"><img src="/p/${index}.jpg" alt="${title}"></a><h3><a href="/let/${index}">${title}</a></h3><p class="x-loc"><i class="fa fa-map-marker" aria-hidden="true"></i> ${town}</p><ul class="x-facts"><li><svg class="ic" aria-label="Bedrooms"><use href="/sprite.svg#i-bed"></use></svg><span>${beds}</span></li><li><svg class="ic" aria-label="Bathrooms"><use href="/sprite.svg#i-bath"></use></svg><span>${baths}</span></li><li><svg class="ic"><title>Floor area</title><use href="/sprite.svg#i-ruler"></use></svg><span>${area} m²</span></li></ul><p class="x-sum"><strong>£${rent}</strong> <small>a month</small></p></article>`,
          )}</div>`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: flats.map(([title, beds, baths, area, town, rent]) => ({
      title,
      'number_of_bedrooms|bedrooms': beds,
      'number_of_bathrooms|bathrooms': baths,
      area: Number(area),
      town,
      rent: Number(rent.replace(',', '')),
    })),
  },
  {
    name: 'boats with signs written as words of a font',
    goal: 'List the boats for sale: name, harbour, length and year built',
    pages: {
      '/boats': page(
        'Boats for sale',
        frame(
          `<h1>Boats for sale</h1><div class="cards">${each(
            boats,
            ([name, harbour, length, year, sold], index) =>
              `<a class="mdc-card" href="/boats/${index}"><div class="mdc-card__media"></div><div class="mdc-typography--headline6">${name}</div><div class="row"><i class="material-icons">place</i><span class="v">${harbour}</span></div><div class="row"><i class="material-icons">straighten</i><span class="v">${length} m</span></div><div class="row"><span class="sr-only">Year built</span><span class="v">${year}</span></div>${sold === '' ? '' : `<span class="chip">${sold}</span>`}</a>`,
          )}</div>`,
        ),
      ),
    },
    truth: boats.map(([name, harbour, length, year]) => ({
      name,
      harbour,
      length: Number(length),
      'year_built|year': Number(year),
    })),
  },
  {
    name: 'forecast with labels for screen readers and pictures for the sky',
    goal: 'Sea forecast by day: date, conditions, high, low and wind direction',
    pages: {
      '/sea': page(
        'Sea forecast',
        chrome(
          `<h1>Sea forecast</h1><div class="fc">${each(
            tides,
            ([date, state, high, low, wind], index) =>
              `<div class="fc__d"><time datetime="${date}">${index === 0 ? 'Today' : date.slice(8)}</time><span class="fc__i i-${index}" role="img" aria-label="${state}"></span><div><span class="u-hiddenVisually">High</span> ${high}°</div><div><span class="u-hiddenVisually">Low</span> ${low}°</div><div><span class="u-hiddenVisually">Wind direction</span> ${wind}</div></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: tides.map(([date, state, high, low, wind]) => ({
      date,
      conditions: state,
      high,
      low,
      'wind_direction|wind|direction': wind,
    })),
  },
  {
    name: 'posts whose facts have signs before them',
    goal: 'the title, author, date, category and number of comments of every walk report',
    pages: {
      '/reports': page(
        'Walk reports',
        chrome(
          `<h1>Walk reports</h1>${each(
            walks,
            ([title, author, date, topic, comments], index) =>
              `<div class="post"><h2><a href="/reports/${index}">${title}</a></h2><div class="meta"><span><i class="far fa-user"></i> ${author}</span><span><i class="far fa-calendar-alt"></i> ${date}</span><span><i class="far fa-folder-open"></i> ${topic}</span><span><i class="far fa-comments"></i> ${comments}</span></div><p>We set out early and came back wet, and would do so again.</p></div>`,
          )}`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: walks.map(([title, author, , topic, comments], index) => ({
      title,
      author,
      date: ['2024-05-03', '2024-04-28', '2024-04-19'][index] ?? null,
      category: topic,
      'number_of_comments|comments': comments,
    })),
  },
  {
    name: 'members with bold labels and no colons',
    goal: 'members of the guild: name, craft, phone and borough',
    pages: {
      '/members': page(
        'Members of the guild',
        frame(
          `<h1>Members of the guild</h1><ul class="m">${each(
            potters,
            ([name, craft, phone, borough]) =>
              `<li><h3>${name}</h3><p><b>Craft</b> ${craft}</p><p><b>Phone</b> ${phone}</p><p><b>Borough</b> ${borough}</p></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: potters.map(([name, craft, phone, borough]) => ({ name, craft, phone, borough })),
  },
  {
    name: 'labels and values in pairs of boxes, not the same in each row',
    goal: 'each boat with name, home port, length and price',
    pages: {
      '/register': page(
        'Register of boats',
        chrome(
          `<h1>Register of boats</h1><div class="reg">${each(
            boats,
            ([name, port, length, year, sold], index) =>
              `<section class="reg-item"><h2>${name}</h2><div class="pairs">${index === 1 ? '' : `<div><div>Built</div><div>${year}</div></div>`}<div><div>Home port</div><div>${port}</div></div><div><div>Length</div><div>${length} m</div></div><div><div>Price</div><div>${sold === '' ? `£${index + 4},500` : 'Sold'}</div></div></div></section>`,
          )}</div>`,
        ),
      ),
    },
    truth: boats.map(([name, port, length, , sold], index) => ({
      name,
      'home_port|port': port,
      length: Number(length),
      price: sold === '' ? `£${index + 4},500` : 'Sold',
    })),
  },
  {
    name: 'results with flags for the countries',
    goal: '100 m freestyle results: swimmer, country, time',
    pages: {
      '/results': page(
        'Results, 100 m freestyle',
        frame(
          `<h1>Results, 100 m freestyle</h1><ol class="res">${each(
            swimmers,
            ([name, country, code, time]) =>
              `<li class="res-row"><img class="flag" src="/flags/${code.toLowerCase()}.png" alt="${country}" width="24"><span class="res-name">${name}</span><span class="res-time">${time}</span></li>`,
          )}</ol>`,
        ),
      ),
    },
    truth: swimmers.map(([name, country, , time]) => ({
      'swimmer|name|title': name,
      country,
      time: Number(time),
    })),
  },
  {
    name: 'papers whose dates stand in attributes',
    goal: 'papers with title, publication date and downloads',
    pages: {
      '/papers': page(
        'Papers of the port',
        chrome(
          `<h1>Papers of the port</h1><div class="list">${each(
            files,
            ([title, date, shown, downloads], index) =>
              `<div class="paper"><a class="paper-t" href="/papers/${index}.pdf">${title}</a><span class="when" data-timestamp="${unix(date)}">${shown}</span><div class="stat"><div>${downloads}</div><div>downloads</div></div></div>`,
          )}</div>`,
        ),
      ),
    },
    truth: files.map(([title, date, , downloads]) => ({
      title,
      'publication_date|date': date.replace('Z', '.000Z'),
      downloads,
    })),
  },
];
