/** What pages state about themselves: prices, availability, authors. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { readPageFacts, toData } from '../../../src/service/page/stated.ts';

function read(html: string) {
  const page = {
    url: 'https://site.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(html),
  };
  const document = new Document(page);
  const facts = readPageFacts(document);
  return toData(document, facts, true);
}
const linked = (text: string) => `<script type="application/ld+json">${text}</script>`;
const product = (price: unknown) =>
  linked(
    JSON.stringify({
      '@type': 'Product',
      name: 'Lamp',
      offers: { '@type': 'Offer', price, priceCurrency: 'EUR' },
    }),
  );

it.each([
  ['49.90', { price: 49.9 }],
  [49.9, { price: 49.9 }],
  ['10.00 - 20.00', { price: 10, high_price: 20 }],
  ['1.299,00', { price: 1299 }],
  ['1,299.00', { price: 1299 }],
  ['1.299', { price: 1.299 }],
  ['1,299', { price: 1299 }],
  ['€ 1.299,-', { price: 1299 }],
  ['call us', {}],
])('the stated price %j', (price, expected) => {
  const { price: low, high_price } = read(product(price));
  expect({
    ...(low !== undefined && { price: low }),
    ...(high_price !== undefined && { high_price }),
  }).toEqual(expected);
});

it.each([
  ['12<sup>99</sup> €', 12.99, 'EUR'],
  ['12<small>99</small> €', 12.99, 'EUR'],
  ['1.234 kr', '1.234 kr', 'kr'],
  ['1.234,50 zł', 1234.5, 'PLN'],
  ['-20 €', undefined, undefined],
  ['US$ 5', 5, 'USD'],
  ['<s>20 €</s> 15 €', 15, 'EUR'],
  ['12€99', 12.99, 'EUR'],
  ['$<span class="dollars">12</span><span class="cents">99</span>', 12.99, 'USD'],
])('the shown price %s', (text, price, currency) => {
  const data = read(`<h1>Lamp</h1><div class="price">${text}</div>`);
  expect([data.price, data.currency]).toEqual([price, currency]);
});

const offers = (some: unknown) => linked(JSON.stringify({ '@type': 'Product', name: 'Lamp', offers: some }));
const specified = (...priceSpecification: unknown[]) => offers({ '@type': 'Offer', priceSpecification });
const unit = { '@type': 'UnitPriceSpecification', price: '15.00', priceCurrency: 'EUR' };

it.each([
  ['another price', offers([{ price: '20' }, { price: '10' }]), { price: 10, high_price: 20 }],
  [
    'a currency without a price',
    offers([{ priceCurrency: 'USD' }, { price: '22', priceCurrency: 'EUR' }]),
    { price: 22, currency: 'EUR' },
  ],
  [
    'offers of a span',
    offers({ lowPrice: '10', highPrice: '20', offers: [{ price: 15 }] }),
    { price: 10, high_price: 20 },
  ],
  [
    'the price of the list',
    specified({ ...unit, price: '25.00', priceType: 'https://schema.org/ListPrice' }, unit),
    { price: 15 },
  ],
  [
    'the price of a unit',
    specified({ ...unit, price: 2.5, referenceQuantity: { value: 1 } }, unit),
    { price: 15 },
  ],
  ['the delivery', specified({ '@type': 'DeliveryChargeSpecification', price: '4.95' }, unit), { price: 15 }],
  ['a negative price', offers({ price: -1 }), {}],
  ['a currency in its text', offers({ price: '$49.90' }), { price: 49.9, currency: 'USD' }],
  ['a currency in small letters', offers({ price: 5, priceCurrency: 'eur' }), { price: 5, currency: 'EUR' }],
  [
    'a shown price in another currency',
    `${offers({ price: null, priceCurrency: 'EUR' })}<p class="price">$12.00</p>`,
    { price: 12, currency: 'USD' },
  ],
])('an offer with %s', (_, html, expected) => {
  const { price, high_price, currency } = read(html);
  expect({ price, high_price, currency }).toMatchObject(expected);
  if (Object.keys(expected).length === 0) expect(price).toBeUndefined();
});

it('of several products the one that the title names is told, else none', () => {
  const graph = linked(
    JSON.stringify({
      '@graph': [
        { '@type': 'Product', name: 'Bulb', offers: { price: 1 } },
        { '@type': 'Product', name: 'Desk lamp', offers: { price: 49 } },
      ],
    }),
  );
  expect(read(`<title>Desk lamp | Shop</title>${graph}`)).toMatchObject({ name: 'Desk lamp', price: 49 });
  expect(read(`<title>Our products</title>${graph}`).price).toBeUndefined();
});

it.each([
  ['was and now in one text', '<div class="price">was €20.00 now €15.00</div>', undefined],
  [
    'an old one by its class',
    '<b class="price price--strike">€20.00</b><b class="price price--sale">€15.00</b>',
    15,
  ],
  ['two without a word', '<b class="price one">€20.00</b><b class="price two">€15.00</b>', undefined],
  ['only a regular one', '<b class="price-regular">€20.00</b>', 20],
  ['a unit', '<b class="price-unit">€2.50/kg</b><b class="price">€15.00</b>', 15],
  ['a rate', '<p class="price-rate">or 4 x €12.50</p><p class="price">€50.00</p>', 50],
  ['the delivery', '<p class="price-info">€4.95 shipping</p><p class="price">€50.00</p>', 50],
  ['the tax', '<div class="price">incl. 19% VAT €50.00</div>', undefined],
  ['what is saved', '<p class="price-note">Save €10</p><p class="price">€50.00</p>', 50],
  ['cents in an attribute', '<div class="price" data-price="4999">€49.99</div>', 49.99],
  ['bold type', '<div class="price font-bold">€49.99</div>', 49.99],
  ['a list', [1, 2, 3].map((price) => `<div><b class="price">€${price}.00</b></div>`).join(''), undefined],
])('a shown price beside %s', (_, html, price) => expect(read(`<h1>Lamp</h1>${html}`).price).toBe(price));

it('another price before the heading is not that of the product', () =>
  expect(read('<div><b class="price">€1.00</b></div><h1>Lamp</h1><p class="price">€5.00</p>').price).toBe(5));

it.each([
  ['Not in stock', 'OutOfStock'],
  ['Currently unavailable', 'OutOfStock'],
  ['Ausverkauft', 'OutOfStock'],
  ['Only 3 left in stock!', 'InStock'],
  ['Sold out', 'SoldOut'],
])('%s beside a button is %s', (text, state) => {
  const html = `<h1>Lamp</h1><p class="stock">${text}</p><form action="/cart"><button>Buy</button></form>`;
  expect(read(html).availability).toBe(state);
});

it('a script may name the encoding beside its type', () => {
  const script = product('49.90').replace('ld+json', 'ld+json; charset=utf-8');
  expect(read(script)).toMatchObject({ price: 49.9 });
});

it('references inside of a graph are followed, each thing counts once', () => {
  const graph = [
    { '@type': 'Product', '@id': '#p', name: 'Lamp', sku: 'L-1', offers: { '@id': '#o' } },
    { '@type': 'Offer', '@id': '#o', price: '49.90', availability: 'https://schema.org/InStock' },
    { '@type': 'WebPage', mainEntity: { '@id': '#p' } },
    { '@type': 'Article', headline: 'On lamps', author: { '@id': '#a' }, datePublished: '2024-05-03' },
    { '@type': 'Person', '@id': '#a', name: 'Ann Doe' },
  ];
  const html = linked(JSON.stringify({ '@graph': graph }));
  expect(read(html)).toMatchObject({ price: 49.9, availability: 'InStock', sku: 'L-1', author: 'Ann Doe' });
});

it.each([
  ['a comment', (text: string) => `<!-- product --> ${text}`],
  ['a semicolon', (text: string) => `${text};`],
  ['CDATA in a comment', (text: string) => `//<![CDATA[\n${text}\n//]]>`],
  ['an escaped apostrophe', (text: string) => text.replace('Lamp', "Ann\\'s lamp")],
  ['two objects', (text: string) => `{"@type":"WebSite"}\n${text}`],
])('JSON-LD with %s is read', (_, write) => {
  const text = write('{"@type":"Product","name":"Lamp","offers":{"price":"49.90"}}');
  expect(read(linked(text)).price).toBe(49.9);
});

it('the name of a type may have a prefix', () => {
  expect(read(linked('{"@type":"schema:Product","name":"Lamp","offers":{"price":5}}'))).toMatchObject({
    types: ['Product'],
    price: 5,
  });
});

it.each([
  [
    'a prefix',
    '{"@context":{"schema":"http://schema.org/"},"@type":"schema:Product","schema:name":"Lamp","schema:offers":{"schema:price":"5","schema:availability":"schema:InStock"}}',
  ],
  [
    'a prefix of the page',
    '{"@context":["https://schema.org",{"s":"https://schema.org/","type":"@type","title":"s:name"}],"type":"s:Product","title":"Lamp","s:offers":{"s:price":5,"s:availability":"InStock"}}',
  ],
  [
    'a vocabulary',
    '{"@context":{"@vocab":"http://schema.org/"},"@type":"Product","name":"Lamp","offers":{"price":5,"availability":"http://schema.org/InStock"}}',
  ],
  [
    'no short form',
    '[{"@type":["http://schema.org/Product"],"http://schema.org/name":[{"@value":"Lamp"}],"https://schema.org/offers":[{"http://schema.org/price":[{"@value":"5","@type":"xsd:decimal"}],"http://schema.org/availability":[{"@id":"http://schema.org/InStock"}]}]}]',
  ],
  [
    'both forms',
    '{"@type":"Product","schema:name":"Other","name":"Lamp","offers":{"price":5,"availability":"InStock"}}',
  ],
])('names with %s are read as others', (_, text) =>
  expect(read(linked(text))).toMatchObject({
    types: ['Product'],
    name: 'Lamp',
    price: 5,
    availability: 'InStock',
  }),
);

it('microdata is read, with values in attributes', () => {
  const html = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp</h1>
    <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="49.90">49,90 €</span>
    <link itemprop="availability" href="https://schema.org/OutOfStock"></div></div>`;
  expect(read(html)).toMatchObject({ name: 'Lamp', price: 49.9, availability: 'OutOfStock' });
});

it.each([
  ['html', 'Lamp'],
  ['body', 'Lamp'],
  ['div', undefined],
])('an item in one at %s is read for itself if that one does not name it as its part', (name, expected) => {
  const part = expected === undefined ? ' itemprop="about"' : '';
  const page = `<${name} itemscope itemtype="https://schema.org/WebPage"><div${part} itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp</h1></div></${name}>`;
  expect(read(page).name).toBe(expected);
});

it('an offer may state a price and the range that it is of', () => {
  const offers = { '@type': 'AggregateOffer', price: '6.49', lowPrice: '4.99', highPrice: '6.49' };
  const stated = read(linked(JSON.stringify({ '@type': 'Product', name: 'Lamp', offers })));
  expect(stated).toMatchObject({ price: 4.99, high_price: 6.49 });
});

it('microdata may name its parts elsewhere', () => {
  const html = `<div itemscope itemtype="https://schema.org/Product" itemref="offer"><h1 itemprop="name">Lamp</h1></div>
    <div id="offer" itemprop="offers" itemscope itemtype="https://schema.org/Offer" itemref="offer">
    <span itemprop="price">49.90</span></div>`;
  expect(read(html)).toMatchObject({ name: 'Lamp', price: 49.9 });
});

it('a price of what is sold out is not told beside what is in stock', () => {
  const offer = (price: number, availability: string) => ({ price, priceCurrency: 'EUR', availability });
  const offers = (...all: unknown[]) =>
    read(linked(JSON.stringify({ '@type': 'Product', name: 'Lamp', offers: all })));
  expect(offers(offer(10, 'OutOfStock'), offer(20, 'InStock'))).toMatchObject({
    price: 20,
    availability: 'InStock',
  });
  expect(offers(offer(10, 'OutOfStock'), offer(20, 'InStock')).high_price).toBeUndefined();
  expect(offers(offer(10, 'InStock'), offer(20, 'InStock'))).toMatchObject({ price: 10, high_price: 20 });
});

it('a page that writes a comma before decimals may state groups of three digits', () =>
  expect(read(`<p>Versand 4,95 €, Pfand 0,25 €</p>${product('1.299')}`)).toMatchObject({ price: 1299 }));

it.each([
  ['a page that shows it rounded', '<p>Prix 12,67 €, port 4,95 €</p>', 12.665],
  ['a page that shows no price', '', 12.665],
  ['a page that shows its thousands', '<p>Prix 12.665 €</p>', 12665],
])('a price with a point before three digits on %s', (_, shown, price) =>
  expect(read(`<html lang="fr">${shown}${product('12.665')}`)).toMatchObject({ price }),
);

it.each([
  ['4,4', '1.312', undefined, { rating: 4.4, reviews: 1312 }],
  ['4.4', '1,312', '5', { rating: 4.4, reviews: 1312, best_rating: 5 }],
  // Three digits behind the mark: as thousands it would be no rating.
  ['4.333', '12', '5,0', { rating: 4.333, reviews: 12, best_rating: 5 }],
  [87, 40, 100, { rating: 87, reviews: 40, best_rating: 100 }],
  ['4.4 / 5', '1.3K', undefined, { rating: '4.4 / 5', reviews: '1.3K' }],
  ['4–5', '3.5', undefined, { rating: '4–5', reviews: '3.5' }],
])('a rating %j of %j reviews, the best %j', (ratingValue, reviewCount, bestRating, expected) => {
  const stated = {
    '@type': 'Product',
    name: 'Lamp',
    aggregateRating: { ratingValue, reviewCount, bestRating },
  };
  const { rating, reviews, best_rating } = read(linked(JSON.stringify(stated)));
  expect({ rating, reviews, best_rating }).toEqual({ best_rating: undefined, ...expected });
});

it('where one end of a range has a comma before decimals, a point in the other is none', () => {
  const offers = { '@type': 'AggregateOffer', lowPrice: '19,9', highPrice: '1.299', priceCurrency: 'EUR' };
  expect(read(linked(JSON.stringify({ '@type': 'Product', name: 'Lamp', offers })))).toMatchObject({
    price: 19.9,
    high_price: 1299,
  });
});

it('texts that are escaped as HTML are read', () =>
  expect(
    read(
      linked(JSON.stringify({ '@type': 'Product', name: 'Tom &amp; Jerry&#39;s &lt;Lamp&gt;', sku: 'a<b' })),
    ),
  ).toMatchObject({ name: "Tom & Jerry's <Lamp>", sku: 'a<b' }));

it('names that a context says to be others are those', () => {
  const context = ['https://schema.org', { title: { '@id': 'http://schema.org/name' } }];
  const lamp = { '@context': context, '@type': 'Product', title: 'Lamp', offers: { price: 10 } };
  expect(read(linked(JSON.stringify(lamp)))).toMatchObject({ name: 'Lamp', price: 10 });
});

it('the picture of an item may stand in an element that is named so', () => {
  const item = '<figure itemprop="image"><a href="/large"><img src="/lamp.jpg"></a></figure>';
  const html = `<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lamp</b>${item}</div>`;
  const page = { url: 'https://site.example/', status: 200, contentType: 'text/html', link: '' };
  expect(readPageFacts(new Document({ ...page, body: Buffer.from(html) })).nodes).toMatchObject([
    { name: 'Lamp', image: '/lamp.jpg' },
  ]);
});
