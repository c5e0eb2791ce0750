/** Page sets in further languages, with goals in them, and ratings that are drawn. */
import { chrome } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const lamps = [
  ['Lampa stojąca Brzoza', '349,00', 'Dąbrowa', 'dostępny'],
  ['Kinkiet Sowa', '129,50', 'Lumika', 'niedostępny'],
  ['Lampka Rosa', '89,90', 'Lumika', 'dostępny'],
] as const;

const posts = [
  ['Trädgårdsmästare', 'Umeå kommun', 'Umeå', '2025-06-01'],
  ['Snickare', 'Norrbygg', 'Luleå', '2025-05-20'],
  ['Lärare i slöjd', 'Skellefteå kommun', 'Skellefteå', '2025-06-15'],
] as const;

const concerts = [
  ['Večer houslí', '12. 5. 2025', 'Kaple sv. Anny', '250 Kč'],
  ['Jarní sbory', '18. 5. 2025', 'Obecní dům', '180 Kč'],
  ['Noc varhan', '2. 6. 2025', 'Chrám sv. Víta', '320 Kč'],
] as const;

const cars = [
  ['Volvo V60 D4', '18.950', '2019', '87.000'],
  ['Skoda Octavia Combi', '14.250', '2017', '132.500'],
  ['Toyota Auris Hybrid', '12.900', '2016', '98.200'],
] as const;

const homes = [
  ['Rækkehus ved fjorden', '2.450.000 kr', '128', '5'],
  ['Villa med have', '3.195.000 kr', '164', '6'],
  ['Lejlighed i midtbyen', '1.780.000 kr', '74', '3'],
] as const;

const inns = [
  ['Albergo del Lago', 'Como', 4.5, '90'],
  ['Locanda Vecchia', 'Lecco', 3, '60'],
  ['Rifugio Alto', 'Sondrio', 4, '80'],
  ['Casa Fiorita', 'Varenna', 2.5, '50'],
] as const;

const drawn = (name: string, stars: (value: number, percent: string) => string): PageSet => ({
  name,
  goal: 'hotels with name, town and star rating',
  pages: {
    '/hotels': page(
      'Hotels by the lake',
      chrome(
        `<h1>Hotels by the lake</h1><div class="hotels">${each(inns, ([title, town, value, percent], index) => `<div class="hotel"><h3><a href="/hotels/${index}">${title}</a></h3><p class="town">${town}</p>${stars(value, percent)}</div>`)}</div>`,
      ),
    ),
  },
  truth: inns.map(([title, town, value]) => ({
    'name|title': title,
    town,
    'star_rating|rating|stars': value,
  })),
});
const times = (count: number, text: string) => text.repeat(Math.max(count, 0));

export const everywhere: readonly PageSet[] = [
  {
    name: 'a shop in Polish, a Polish goal',
    goal: 'Pobierz wszystkie produkty: nazwa, cena, marka i dostępność',
    pages: {
      '/lampy': page(
        'Lampy',
        frame(
          `<h1>Produkty: lampy</h1><ul class="lista">${each(lamps, ([name, price, brand, stock], index) => `<li class="produkt"><a class="produkt-nazwa" href="/lampy/${index}">${name}</a><span class="produkt-cena">${price} zł</span><dl><dt>Marka</dt><dd>${brand}</dd><dt>Dostępność</dt><dd>${stock}</dd></dl></li>`)}</ul>`,
        ),
        '',
        'pl',
      ),
    },
    truth: lamps.map(([nazwa, price, marka, stock]) => ({
      nazwa,
      cena: Number(price.replace(',', '.')),
      marka,
      dostepnosc: stock,
    })),
  },
  {
    name: 'vacancies in Swedish, a Swedish goal',
    goal: 'Lista alla lediga jobb med titel, arbetsgivare, ort och sista ansökningsdag',
    pages: {
      '/jobb': page(
        'Lediga jobb',
        chrome(
          `<h1>Lediga jobb</h1>${each(posts, ([title, employer, town, until], index) => `<article><h2><a href="/jobb/${index}">${title}</a></h2><div><span>Arbetsgivare</span><span>${employer}</span></div><div><span>Ort</span><span>${town}</span></div><div><span>Ansök senast</span><time datetime="${until}">${until.slice(8)}/${until.slice(5, 7)}</time></div></article>`)}`,
        ),
        '',
        'sv',
      ),
    },
    truth: posts.map(([titel, arbetsgivare, ort, until]) => ({
      titel,
      arbetsgivare,
      ort,
      'sista_ansokningsdag|ansokningsdag': until,
    })),
  },
  {
    name: 'concerts in Czech, a Czech goal',
    goal: 'Seznam všech koncertů s názvem, datem, místem a cenou',
    pages: {
      '/koncerty': page(
        'Koncerty',
        frame(
          `<h1>Koncerty</h1><table><thead><tr><th>Název</th><th>Datum</th><th>Místo</th><th>Cena</th></tr></thead><tbody>${each(concerts, (row) => `<tr>${each(row, (cell) => `<td>${cell}</td>`)}</tr>`)}</tbody></table>`,
        ),
        '',
        'cs',
      ),
    },
    truth: concerts.map(([title, , place, price], index) => ({
      'datem|datum': ['2025-05-12', '2025-05-18', '2025-06-02'][index] ?? null,
      'nazvem|nazev': title,
      'mistem|misto': place,
      'cenou|cena': Number(price.replace(/\D/g, '')),
    })),
  },
  {
    name: 'cars in Dutch, a Dutch goal',
    goal: 'Geef van elke auto de naam, prijs, bouwjaar en kilometerstand',
    pages: {
      '/autos': page(
        'Tweedehands auto’s',
        chrome(
          `<h1>Auto’s</h1><div class="autos">${each(cars, ([name, price, year, km], index) => `<a class="wagen" href="/autos/${index}"><h3>${name}</h3><b class="bedrag">€ ${price}</b><ul><li>${year}</li><li>${km} km</li></ul></a>`)}</div>`,
        ),
        '',
        'nl',
      ),
    },
    truth: cars.map(([naam, price, year, km]) => ({
      naam,
      prijs: Number(price.replace('.', '')),
      bouwjaar: Number(year),
      kilometerstand: Number(km.replace('.', '')),
    })),
  },
  {
    name: 'homes in Danish, a Danish goal',
    goal: 'Vis alle boliger med titel, pris, areal og antal værelser',
    pages: {
      '/boliger': page(
        'Boliger til salg',
        chrome(
          `<h1>Boliger til salg</h1>${each(homes, ([title, price, area, rooms], index) => `<section class="kort"><h3><a href="/b/${index}">${title}</a></h3><p class="k1">${price}</p><p class="k2">${area} m² · ${rooms} værelser</p></section>`)}`,
        ),
        '',
        'da',
      ),
    },
    truth: homes.map(([titel, price, area, rooms]) => ({
      titel,
      pris: Number(price.replace(/\D/g, '')),
      areal: Number(area),
      'antal_vaerelser|vaerelser': Number(rooms),
    })),
  },
  drawn(
    'stars as a bar of a certain width',
    (_, percent) => `<div class="star-rating" title="out of 5"><span style="width:${percent}%"></span></div>`,
  ),
  drawn(
    'stars as icons, half ones as well',
    (value) =>
      `<div class="stars">${times(Math.floor(value), '<i class="fa fa-star"></i>')}${value % 1 ? '<i class="fa fa-star-half-o"></i>' : ''}${times(5 - Math.ceil(value), '<i class="fa fa-star-o"></i>')}</div>`,
  ),
  drawn(
    'stars in a class with a number',
    (value) => `<span class="rating-stars stars-${value * 10}"></span>`,
  ),
];
