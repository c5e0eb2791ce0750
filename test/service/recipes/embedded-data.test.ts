/** What is read out of scripts, microdata and RDFa. */
import { describe, expect, it } from 'vitest';
import { followIds } from '../../../src/service/page/scripts.ts';
import { extracted as extractedFrom } from '../../support/extract.ts';

const extracted = (body: string, extract: unknown) =>
  extractedFrom(body, { kind: 'json', ...Object(extract) });

it.each([
  ['<!--', '-->'],
  ['/*<![CDATA[*/', '/*]]>*/'],
  ['// <![CDATA[\r\n', '\r\n// ]]>'],
  ['//<![CDATA[\n', '\n//]]>'],
  ['<![CDATA[', ']]>'],
])('JSON between %s and %s is read', async (start, end) => {
  const body = `<script type="application/ld+json">${start}{"@type": "Recipe", "name": "Pie"}${end}</script>`;
  const extract = { script: 'script', fields: { name: { path: '[0].name', type: 'text' } } };
  expect(await extracted(body, extract)).toEqual({ name: 'Pie' });
});

it.each([
  ['a line break in a text', '{"n": "a\nb"}', 'a b'],
  ['a comma after the last entry', '{"n": ["a,]",], }', ['a,]']],
  ['an escaped apostrophe', '{"n": "don\\\'t \\"go\\" \\\\ \\u0041"}', 'don\'t "go" \\ A'],
])('JSON with %s is read', async (_, script, n) => {
  expect(await extracted(`<script>${script}</script>`, { script: 'script', fields: { n: '[0].n' } })).toEqual(
    {
      n,
    },
  );
});

it('JavaScript is not read: a script is JSON or assigns it, and nothing else', async () => {
  const how = { script: 'script', list: '[]', fields: { n: 'n' } };
  const read = [
    '{"n":1}',
    'window.__STATE__ = {"n":2,"s":"};"};',
    'var kept=[{"n":3}]',
    '/*<![CDATA[*/ const ab = {"n":4} /*]]>*/',
    'x = JSON.parse("{\\"n\\":8}")',
  ];
  const unread = [
    'start({"n":5})',
    'var n = 1;',
    'x = {n: 6}',
    'x = {"n":7}; start();',
    'x = JSON.parse(text)',
    'x = JSON.parse("{\\"n\\":[{\\"n\\":9}]}").n',
  ];
  const body = [...read, ...unread].map((script) => `<script>${script}</script>`).join('');
  expect(await extracted(body, { ...how, list: '[][]' })).toEqual([1, 2, 3, 4, 8].map((n) => ({ n })));
  for (const script of unread)
    await expect(extracted(`<script>${script}</script>`, how)).rejects.toThrow(
      'is not JSON and does not assign',
    );
  await expect(extracted('<p>', how)).rejects.toThrow('no matching script with JSON');
});

it('references of JSON-LD are followed to others, but not in circles', () => {
  const graph = [
    { '@id': 'b1', name: 'one', owner: { '@id': 'p1' } },
    { '@id': 'p1', name: 'ann', books: [{ '@id': 'b1' }] },
  ];
  expect(followIds(graph)).toMatchObject([{ name: 'one', owner: { name: 'ann' } }, { name: 'ann' }]);
  let value: unknown = ['x'];
  for (let step = 0; step < 60; step++) value = [value, value];
  expect(JSON.stringify(followIds([value])).length).toBeLessThan(50_000_000);
});

it('the text of a value that is HTML', async () => {
  const body = `<script type="application/json">{"t":"<p>Salt &amp; <b>rope</b></p>","l":["&lt;i&gt;a&lt;/i&gt;"]}</script>`;
  const fields = { t: { path: 't', type: 'text', markup: true }, l: { path: 'l', markup: true } };
  expect(await extracted(body, { script: 'script', list: '[]', fields })).toEqual([
    { t: 'Salt & rope', l: ['a'] },
  ]);
});

describe('what markup states is read as JSON-LD would write it', () => {
  it('microdata: properties, lists, nested items, values in attributes', async () => {
    const body = `<base href="/shop/"><meta property="og:name" content="no microdata">
      <div itemscope itemtype="https://schema.org/Product">
        <nav itemprop="name">Menu</nav><h1 itemprop="name">Oil
          lamp</h1><meta itemprop="sku" content="L-1"><img itemprop="image" data-src="lamp.jpg">
        <a itemprop="url" href="lamp.html">More</a><a itemprop="category" href="/lamps">Lamps</a>
        <p itemprop="description">Burns long.<br>Smells good.</p>
        <ul><li itemprop="feature">brass</li><li itemprop="feature">glass</li></ul>
        <div itemprop="offers" itemscope><b itemprop="price">12.50</b></div>
        <div itemprop="brand" itemscope itemtype="https://schema.org/Brand">Acme</div>
        <div itemprop="isSimilarTo" itemscope itemtype="https://schema.org/Product"><i itemprop="name">Torch</i></div>
        <div itemscope itemtype="https://schema.org/Review"><i itemprop="name">another item</i></div>
      </div>`;
    const how = { script: '[itemtype$="/Product"]' };
    expect(await extracted(body, how)).toEqual({
      value: [
        {
          '@type': 'Product',
          name: 'Oil lamp',
          sku: 'L-1',
          image: 'lamp.jpg',
          url: 'lamp.html',
          category: 'Lamps',
          description: 'Burns long.\nSmells good.',
          feature: ['brass', 'glass'],
          offers: { '@type': '', price: '12.50' },
          brand: 'Acme',
          isSimilarTo: { '@type': 'Product', name: 'Torch' },
        },
      ],
    });
    const fields = { url: { path: '[0].url', type: 'url' }, name: '[0].name' };
    expect(await extracted(body, { ...how, fields })).toEqual({
      url: 'https://site.example/shop/lamp.html',
      name: 'Oil lamp',
    });
  });

  it('RDFa: the rows of a type', async () => {
    const body =
      '<li typeof="schema:Event"><b property="schema:name">Fair</b><time property="startDate" datetime="2026-05-01">soon</time></li>' +
      '<li typeof="schema:Event"><b property="schema:name">Walk</b><time property="startDate" datetime="2026-05-02">later</time></li>';
    const fields = { name: 'name', date: { path: 'startDate', type: 'date' } };
    expect(await extracted(body, { script: '[typeof$=":Event"]', list: '[]', fields })).toEqual([
      { name: 'Fair', date: '2026-05-01' },
      { name: 'Walk', date: '2026-05-02' },
    ]);
  });
});
