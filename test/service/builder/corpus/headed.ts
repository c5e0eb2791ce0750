/**
 * Page sets of what is named from outside: pages about one person or place with labels in every form, rows under headers
 * that are no table, records that begin above their heading, dates among words, numbers beside their units.
 */
import { chrome } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const reserves = [
  ['Alder Fen', 'Ashmere', '212', '4.25'],
  ['Black Tarn', 'Coldrow', '87', '0.90'],
  ['Crow Wood', 'Ashmere', '140', '2.10'],
  ['Drift Sands', 'Westhythe', '655', '11.75'],
] as const;

const readings = [
  [
    'samedi 4 octobre 2025 à 18h30',
    '2025-10-04T18:30:00Z',
    'Le Sel des jours',
    'Mireille Aubrac',
    '8,50 €',
    8.5,
  ],
  ['dimanche 12 octobre 2025 à 16h00', '2025-10-12T16:00:00Z', 'Trois ponts', 'Yann Kerbrat', '6,00 €', 6],
  [
    'vendredi 7 novembre 2025 à 20h15',
    '2025-11-07T20:15:00Z',
    'La Chambre aux cartes',
    'Odile Marchetti',
    '8,50 €',
    8.5,
  ],
  [
    'samedi 22 novembre 2025 à 18h30',
    '2025-11-22T18:30:00Z',
    'Nuit blanche',
    'Paul Sénéchal',
    '7,25 €',
    7.25,
  ],
] as const;

const boats = [
  ['Jolle Seestern', '2.950,- €', 2950, 2, 4],
  ['Kajütboot Möwe', '12.400,- €', 12400, 4, 6],
  ['Ruderboot Grete', '480,- €', 480, 1, 3],
  ['Katamaran Zwilling', '31.000,- €', 31000, 6, undefined],
] as const;

const amps = [
  ['Corvid', 'Model 12', '$340'],
  ['Tellow', 'Pearl', '$515'],
  ['Corvid', 'Model 40', '$720'],
  ['Ashgrove', 'Little Jay', '$199'],
] as const;

export const headed: readonly PageSet[] = [
  {
    name: 'a curator with fields in boxes of a label and an item',
    goal: 'name, job title, email, phone and office of this curator',
    pages: {
      '/people/vesna': page(
        'Vesna Lindgren | Harbour Museum',
        chrome(
          `<article class="node"><h1>Vesna Lindgren</h1><div class="field field--name-person-title field--label-hidden">Curator of Maps</div><div class="contact"><div class="field field--name-email field--label-inline"><div class="field__label">Email</div><div class="field__item">v.lindgren@museum.example</div></div>
          <div class="field field--name-phone field--label-inline"><div class="field__label">Phone</div><div class="field__item">020 7946 0411</div></div>
          <div class="field field--name-office field--label-inline"><div class="field__label">Office</div><div class="field__item">14 Tower House</div></div></div><h2>Biography</h2><p>She came to the museum in 2011 and has since then drawn up the catalogue of its sea charts, of which there are 4,200.</p></article>`,
        ),
      ),
    },
    truth: [
      {
        name: 'Vesna Lindgren',
        job_title: 'Curator of Maps',
        email: 'v.lindgren@museum.example',
        phone: '020 7946 0411',
        office: '14 Tower House',
      },
    ],
  },
  {
    name: 'a lighthouse in a sheet of two columns without headers',
    goal: 'name, keeper, height, year built and telephone of this lighthouse',
    pages: {
      '/lights/skerry': page(
        'Skerry Point Light',
        frame(
          `<h1>Skerry Point Light</h1><p>A tower of granite at the end of the causeway, which the tide covers twice a day.</p><table><tr><td><b>Keeper</b></td><td>Ailsa Munro</td></tr><tr><td><b>Height</b></td><td>31 m</td></tr><tr><td><b>Year built</b></td><td>1864</td></tr><tr><td><b>Telephone</b></td><td>01632 960 118</td></tr></table>`,
        ),
      ),
    },
    truth: [
      {
        name: 'Skerry Point Light',
        keeper: 'Ailsa Munro',
        height: 31,
        year_built: 1864,
        telephone: '01632 960 118',
      },
    ],
  },
  {
    name: 'an essay of which the head tells section and tags',
    goal: 'headline, author, section and tags of this article',
    pages: {
      '/essays/peat': page(
        'What the peat remembers',
        frame(
          `<article><h1>What the peat remembers</h1><div class="x81ak"><p>By <a href="/by/j-okoro">Jonah Okoro</a></p></div><p>Under the moor lies a record of every summer since the ice went, and it can be read by whoever has patience and a good spade to hand.</p><p>The first core came up in two pieces, black and brown, and smelled of nothing so much as of an old library after rain.</p></article>`,
        ),
        '<meta property="article:section" content="Landscape"><meta property="article:tag" content="Peat"><meta property="article:tag" content="Climate"><meta property="article:tag" content="Moors">',
      ),
    },
    truth: [
      {
        headline: 'What the peat remembers',
        author: 'Jonah Okoro',
        section: 'Landscape',
        tags: ['Peat', 'Climate', 'Moors'],
      },
    ],
  },
  {
    name: 'rows of boxes under headers that are boxes',
    goal: 'reserve, parish, species and fee of every reserve',
    pages: {
      '/reserves': page(
        'Reserves',
        chrome(
          `<h1>Reserves</h1><div class="grid"><div class="top"><div>Reserve</div><div>Parish</div><div>Species</div><div>Fee (£)</div></div><div class="body">${each(reserves, ([name, parish, species, fee]) => `<div class="line"><div><a href="/r/${name.slice(0, 3)}">${name}</a></div><div>${parish}</div><div>${species}</div><div>${fee}</div></div>`)}</div></div>`,
        ),
      ),
    },
    truth: reserves.map(([reserve, parish, species, fee]) => ({
      reserve,
      parish,
      species: Number(species),
      fee: Number(fee),
    })),
  },
  {
    name: 'readings that begin with a day above their heading, in French',
    goal: 'toutes les lectures avec titre, date, auteur et prix',
    pages: {
      '/lectures': page(
        'Lectures',
        frame(
          `<h1>Lectures d’automne</h1>${each(readings, ([when, , title, who, price]) => `<p class="jour">${when}</p><h3>${title}</h3><p class="par"><b>${who}</b></p><p>Lecture suivie d’une rencontre autour d’un verre.</p><p class="prix">Entrée ${price}</p><hr>`)}`,
        ),
        '',
        'fr',
      ),
    },
    truth: readings.map(([, date, titre, auteur, , prix]) => ({ titre, date, auteur, prix })),
  },
  {
    name: 'boats with a dash for the cents, and berths beside their word',
    goal: 'Alle Boote mit Titel, Preis und Kojen',
    pages: {
      '/boote': page(
        'Gebrauchte Boote',
        frame(
          `<h1>Gebrauchte Boote</h1><div>${each(boats, ([title, price, , berths, metres], index) => `<div class="x9k"><h3><a href="/b/${index}">${title}</a></h3><p class="preis">${price}</p><ul><li><b>${berths}</b> <abbr>Kojen</abbr></li>${metres === undefined ? '' : `<li><b>${metres}</b> <abbr>Segel</abbr></li>`}</ul></div>`)}</div>`,
        ),
        '',
        'de',
      ),
    },
    truth: boats.map(([titel, , preis, kojen]) => ({ titel, preis, kojen })),
  },
  {
    name: 'a shop where the model is the heading and the brand a line above it',
    goal: 'I need the brand, model and price of every amplifier',
    pages: {
      '/amps': page(
        'Amplifiers',
        chrome(
          `<h1>Amplifiers</h1><ul>${each(amps, ([brand, model, price], index) => `<li class="q1z"><img src="/i/${index}.jpg" alt=""><p>${brand}</p><h3><a href="/a/${index}">${model}</a></h3><div><p>${price}</p></div></li>`)}</ul>`,
        ),
      ),
    },
    truth: amps.map(([brand, model, price]) => ({ brand, model, price: Number(price.slice(1)) })),
  },
  {
    name: 'a person without a telephone',
    goal: 'name, phone, fax and shoe size of this curator',
    pages: {
      '/people/otto': page(
        'Otto Reims | Harbour Museum',
        chrome(
          `<article><h1>Otto Reims</h1><div class="field"><div class="field__label">Room</div><div class="field__item">7 Tower House</div></div><div class="field"><div class="field__label">Languages</div><div class="field__item">German, Danish</div></div><div class="field"><div class="field__label">Team</div><div class="field__item">Prints</div></div><p>He looks after the prints and the photographs.</p></article>`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED'],
  },
];
