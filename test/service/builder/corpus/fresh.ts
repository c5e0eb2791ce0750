/** Page sets of a second check, written after the held-out ones were mended. First measured F1: 0.65. */
import { frame, type PageSet, page } from './page-set.ts';

const wines = [
  ['Gorse Hill White', '2022', '$18.00'],
  ['Tern Rosé', '2023', '$15.50'],
  ['Black Rock Red', '2019', '$32.00'],
] as const;

export const fresh: readonly PageSet[] = [
  {
    name: 'definition lists, one a record',
    goal: 'used cars with model, mileage, year and price',
    pages: {
      '/': page(
        'Used cars',
        frame(
          `<h1>Used cars</h1>${[
            ['Fiat Panda', '81,000 km', '2016', '€4,900'],
            ['Volvo V70', '210,500 km', '2009', '€3,250'],
            ['Seat Ibiza', '46,200 km', '2019', '€9,800'],
          ]
            .map(
              ([model, km, year, price]) =>
                `<section class="vehicle"><h3>${model}</h3><dl><dt>Mileage</dt><dd>${km}</dd><dt>Year</dt><dd>${year}</dd><dt>Price</dt><dd>${price}</dd></dl></section>`,
            )
            .join('')}`,
        ),
      ),
    },
    truth: [
      ['Fiat Panda', 81000, 2016, 4900],
      ['Volvo V70', 210500, 2009, 3250],
      ['Seat Ibiza', 46200, 2019, 9800],
    ].map(([model = '', mileage = '', year = '', price = '']) => ({ model, mileage, year, price })),
  },
  {
    name: 'a shop in Spanish',
    goal: 'List the products with name and price',
    pages: {
      '/': page(
        'Tienda',
        `<div class="productos">${[
          ['Silla', '45,90 €'],
          ['Mesa', '1.129,00 €'],
          ['Lámpara', '32,50 €'],
        ]
          .map(
            ([name, price]) =>
              `<div class="producto"><h3 class="nombre">${name}</h3><span class="precio">${price}</span></div>`,
          )
          .join('')}</div>`,
        '',
        'es',
      ),
    },
    truth: [
      ['Silla', 45.9],
      ['Mesa', 1129],
      ['Lámpara', 32.5],
    ].map(([name = '', price = '']) => ({ name, price })),
  },
  {
    name: 'wines in list items, price last',
    goal: 'Show every wine: name, vintage, price',
    pages: {
      '/wine': page(
        'Wine list',
        frame(
          `<h1>Wine list</h1><ul>${wines.map(([name, year, price]) => `<li><strong>${name}</strong> <em>${year}</em> <span class="amount">${price}</span></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: wines.map(([name, vintage, price]) => ({
      name,
      vintage: Number(vintage),
      price: Number(price.slice(1)),
    })),
  },
  {
    name: 'two tables, one is meant',
    goal: 'currency exchange rates with currency code, buy and sell',
    pages: {
      '/': page(
        'Bank',
        frame(
          '<h2>Branch hours</h2><table><tr><th>Day</th><th>Open</th></tr><tr><td>Mon</td><td>9–17</td></tr><tr><td>Tue</td><td>9–17</td></tr></table><h2>Exchange rates</h2><table><tr><th>Currency</th><th>Code</th><th>Buy</th><th>Sell</th></tr><tr><td>Euro</td><td>EUR</td><td>1.07</td><td>1.11</td></tr><tr><td>Pound</td><td>GBP</td><td>1.25</td><td>1.30</td></tr><tr><td>Yen</td><td>JPY</td><td>0.0063</td><td>0.0068</td></tr></table>',
        ),
      ),
    },
    truth: [
      ['EUR', 1.07, 1.11],
      ['GBP', 1.25, 1.3],
      ['JPY', 0.0063, 0.0068],
    ].map(([currency_code = '', buy = '', sell = '']) => ({ currency_code, buy, sell })),
  },
  {
    name: 'trails, advertisement of the same form',
    goal: 'hiking trails with name, length and difficulty',
    pages: {
      '/': page(
        'Trails',
        frame(
          `<div class="trails">${[
            ['Ridge walk', '12.4 km', 'hard'],
            ['Lake loop', '5.1 km', 'easy'],
            ['Old mine', '8 km', 'medium'],
          ]
            .map(
              ([name, length, level]) =>
                `<div class="trail"><h4>${name}</h4><span class="length">${length}</span><span class="difficulty">${level}</span></div>`,
            )
            .join(
              '<div class="trail sponsored"><h4>Best boots</h4><span class="length">0 km</span><span class="difficulty">buy</span></div>',
            )}</div>`,
        ),
      ),
    },
    truth: [
      ['Ridge walk', 12.4, 'hard'],
      ['Lake loop', 5.1, 'easy'],
      ['Old mine', 8, 'medium'],
    ].map(([name = '', length = '', difficulty = '']) => ({ name, length, difficulty })),
  },
  {
    name: 'article by JSON-LD',
    goal: 'Get the headline, author and date published of the article',
    pages: {
      '/x': page(
        'Storm',
        frame('<h1>Storm takes the pier</h1><p>Short text.</p>'),
        `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'NewsArticle', headline: 'Storm takes the pier', author: [{ '@type': 'Person', name: 'Ola Berg' }], datePublished: '2024-01-09' })}</script>`,
      ),
    },
    truth: [{ headline: 'Storm takes the pier', author: 'Ola Berg', date_published: '2024-01-09' }],
  },
  {
    name: 'repositories of an interface',
    goal: 'repositories: name, language, stars and url',
    pages: {
      '/api/repos': JSON.stringify(
        [
          ['anvil', 'Rust', 120],
          ['loom', 'Go', 33],
          ['kiln', 'C', 8],
        ].map(([name, language, stars]) => ({
          id: 1,
          name,
          owner: { login: 'smith' },
          language,
          stargazers_count: stars,
          html_url: `https://git.example/${name}`,
        })),
      ),
    },
    truth: [
      ['anvil', 'Rust', 120],
      ['loom', 'Go', 33],
      ['kiln', 'C', 8],
    ].map(([name = '', language = '', star = '']) => ({
      name,
      language,
      star,
      url: `https://git.example/${name}`,
    })),
  },
  {
    name: 'nothing: prices of other things',
    goal: 'List rental bikes with daily rate and frame size',
    pages: {
      '/': page(
        'Museum',
        frame(
          '<h1>Visit</h1><table><tr><th>Ticket</th><th>Price</th></tr><tr><td>Adult</td><td>£9</td></tr><tr><td>Child</td><td>£4</td></tr></table>',
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
  {
    name: 'nothing: an essay',
    goal: 'Get a table of stock quotes with symbol and last price',
    pages: {
      '/': page(
        'On patience',
        frame(
          `<h1>On patience</h1>${'<p>Patience is what is left when plans have gone, and it is rarely praised by those who have none of it to spare in the morning.</p>'.repeat(6)}`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
];
