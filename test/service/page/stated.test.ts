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

it('microdata is read, with values in attributes', () => {
  const html = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp</h1>
    <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="49.90">49,90 €</span>
    <link itemprop="availability" href="https://schema.org/OutOfStock"></div></div>`;
  expect(read(html)).toMatchObject({ name: 'Lamp', price: 49.9, availability: 'OutOfStock' });
});
