/** JSON-LD whose parts refer to each other, lists that only name what the page shows, and texts with markup. */
import { chrome } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

const concerts = [
  {
    name: 'Winter songs',
    date: '2024-12-01T19:30:00Z',
    hall: 'Salt Hall',
    city: 'Droitwich',
    low: 12,
    high: 30,
  },
  {
    name: 'Brass &amp; Rain',
    date: '2024-12-08T20:00:00Z',
    hall: 'The Drill',
    city: 'Worcester',
    low: 9.5,
    high: 18,
  },
  {
    name: 'Late Bach',
    date: '2024-12-15T18:00:00Z',
    hall: 'Salt Hall',
    city: 'Droitwich',
    low: 15,
    high: 40,
  },
];
const lanterns = [
  { name: 'Storm lantern', price: '€ 34,00', rating: 4.6, slug: 'storm' },
  { name: 'Deck light', price: '€ 58,50', rating: 4.1, slug: 'deck' },
  { name: 'Miner', price: '€ 72,90', rating: 4.8, slug: 'miner' },
  { name: 'Pocket lamp', price: '€ 19,90', rating: 3.9, slug: 'pocket' },
];

export const linkedData: readonly PageSet[] = [
  {
    name: 'events of a graph that refer to places and offers',
    goal: 'Concerts with name, date, venue, city and lowest price',
    pages: {
      '/concerts': page(
        'Concerts',
        frame('<h1>Concerts</h1><p>Our season.</p>'),
        ld({
          '@context': 'https://schema.org',
          '@graph': [
            { '@type': 'Organization', '@id': '#us', name: 'Severn Music' },
            {
              '@type': 'Place',
              '@id': '#salt',
              name: 'Salt Hall',
              address: { '@type': 'PostalAddress', addressLocality: 'Droitwich' },
            },
            { '@type': 'Place', '@id': '#drill', name: 'The Drill', address: { '@id': '#drill-address' } },
            { '@type': 'PostalAddress', '@id': '#drill-address', addressLocality: 'Worcester' },
            ...concerts.map(({ name, date, hall, low, high }) => ({
              '@type': 'MusicEvent',
              name,
              startDate: date,
              organizer: { '@id': '#us' },
              location: { '@id': hall === 'Salt Hall' ? '#salt' : '#drill' },
              offers: { '@type': 'AggregateOffer', lowPrice: low, highPrice: high, priceCurrency: 'GBP' },
            })),
          ],
        }),
      ),
    },
    truth: concerts.map(({ name, date, hall, city, low }) => ({
      name: name.replace('&amp;', '&'),
      date: date,
      venue: hall,
      city,
      'lowest_price|price': low,
    })),
  },
  {
    name: 'a list of items with names alone beside cards',
    goal: 'Lanterns: name, price, rating and link',
    pages: {
      '/lanterns': page(
        'Lanterns',
        chrome(
          `<h1>Lanterns</h1><ul class="product-grid">${each(
            lanterns,
            ({ name, price, rating, slug }) =>
              `<li class="tile"><a href="/lanterns/${slug}" class="tile-link"><h2 class="tile-name">${name}</h2></a><div class="stars" aria-label="Rated ${rating} out of 5"></div><span class="tile-rating">${rating}</span><span class="tile-price">${price}</span></li>`,
          )}</ul>`,
        ),
        ld({
          '@context': 'https://schema.org',
          '@type': 'ItemList',
          itemListElement: lanterns.map(({ name, slug }, index) => ({
            '@type': 'ListItem',
            position: index + 1,
            name,
            url: `{origin}/lanterns/${slug}`,
          })),
        }),
        'de',
      ),
    },
    truth: lanterns.map(({ name, price, rating, slug }) => ({
      name,
      price: Number(price.replace('€ ', '').replace(',', '.')),
      rating,
      link: `{origin}/lanterns/${slug}`,
    })),
  },
  {
    name: 'a product with several offers and a description in markup',
    goal: 'Get the product name, brand, price, description',
    pages: {
      '/p/rope': page(
        'Rope | Chandlery',
        frame('<h1>Three-strand rope</h1><p>See below.</p>'),
        ld([
          {
            '@context': 'https://schema.org',
            '@type': 'Brand',
            '@id': 'https://x.example/#liros',
            name: 'Liros',
          },
          {
            '@context': 'https://schema.org',
            '@type': 'Product',
            name: 'Three-strand rope &ndash; 12&nbsp;mm',
            brand: { '@id': 'https://x.example/#liros' },
            description: '&lt;p&gt;Soft &amp;amp; strong.&lt;/p&gt;&lt;p&gt;For mooring.&lt;/p&gt;',
            offers: [
              { '@type': 'Offer', sku: '10m', price: '24.00', priceCurrency: 'EUR' },
              { '@type': 'Offer', sku: '20m', price: '44.00', priceCurrency: 'EUR' },
            ],
          },
        ]),
      ),
    },
    truth: [
      {
        'product_name|name': 'Three-strand rope – 12 mm',
        brand: 'Liros',
        price: 24,
        description: 'Soft & strong. For mooring.',
      },
    ],
  },
  {
    name: 'JSON-LD with line breaks in its texts',
    goal: 'Get the recipe name, yield and cook time',
    pages: {
      '/stew': page(
        'Stew',
        frame('<h1>Stew</h1><p>Slow.</p>'),
        `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Beef stew","description":"Slow,
and for many.","recipeYield":"8","cookTime":"PT3H",}</script>`,
      ),
    },
    truth: [{ recipe_name: 'Beef stew', yield: 8, cook_time: 'PT3H' }],
  },
];
