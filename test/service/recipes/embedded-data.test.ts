/** What is read out of scripts and attributes, and that a hostile script ends cleanly. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFlattened, unflatten, unflattenStream } from '../../../src/service/recipes/flattened.ts';
import { flightRows } from '../../../src/service/recipes/flight.ts';
import { evaluateExpression, readAssignedValues } from '../../../src/service/recipes/javascript-data.ts';
import { resolveReferences } from '../../../src/service/recipes/references.ts';
import { Extract } from '../../../src/service/recipes/schema.ts';
import { extracted as extractedFrom } from '../../support/extract.ts';

const extracted = (body: string, extract: unknown) =>
  extractedFrom(body, { kind: 'json', ...Object(extract) });

/** A function in a function, sixty times, each given what the one around it makes of its own parameter. */
const nested = (given: string, first: string) =>
  Array.from({ length: 60 }).reduce<string>(
    (inner, _, step) => `(function(a){return ${inner}})(${step === 59 ? first : given})`,
    'a',
  );

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

describe('JavaScript', () => {
  it.each([
    [
      '{a: 1, "b": -2.5, [\'c\']: !0, d: void 0, e: undefined, f: null,}',
      { a: 1, b: -2.5, c: true, d: null, e: null, f: null },
    ],
    ["['it\\'s', `x`, \"a\" + 'b', 12n]", ["it's", 'x', 'ab', 12]],
    ['{run() { return 1 }, get x() { return 2 }, f: () => 3, other: name, kept: 4}', { kept: 4 }],
    ['JSON.parse("{\\"a\\":[1]}")', { a: [1] }],
    ["JSON.parse(decodeURIComponent('%7B%22a%22%3A1%7D'))", { a: 1 }],
    ['JSON.parse(atob("eyJhIjoxfQ=="))', { a: 1 }],
    ['(function(a,b){return {x:a,y:[b,a]}}("p",2))', { x: 'p', y: [2, 'p'] }],
    ['((a)=>({x:a}))({y:1})', { x: { y: 1 } }],
    ['(function(a){a.self=a;a["k"]="v";return a}({}))', { self: null, k: 'v' }],
    [
      '{at: new Date(0), set: new Set([1]), map: new Map([["k", 1]]), at2: new Date("x")}',
      { at: '1970-01-01T00:00:00.000Z', set: [1], map: { k: 1 } },
    ],
    ['Object.assign({a:1},{b:2})', { a: 1, b: 2 }],
    ['{"__proto__": {"polluted": 1}, constructor: 2}', { ['__proto__']: { polluted: 1 }, constructor: 2 }],
  ])('%s', async (text, value) => {
    expect(JSON.stringify(resolveReferences(await evaluateExpression(text)))).toBe(
      JSON.stringify(resolveReferences(value)),
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('any JSON is what it is, also as a literal and as an argument', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
        async (value) => {
          const json = JSON.stringify(value);
          const same = JSON.stringify(JSON.parse(json));
          expect(JSON.stringify(await evaluateExpression(`(${json})`))).toBe(same);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('what is assigned and what functions are given, by their names', async () => {
    const script =
      '(window.queue=window.queue||[]).push([1]);var a={n:1};window["b"]=window.b||{n:2};boot("#app",{n:3});' +
      '!function(d){window.c={n:d}}(4);ready(() => { start({n:5}) });';
    expect(await readAssignedValues(script)).toEqual([
      { name: 'window.queue.push', value: [1] },
      { name: 'a', value: { n: 1 } },
      { name: 'window.b', value: { n: 2 } },
      { name: 'boot', value: { n: 3 } },
      { name: 'window.c', value: { n: 4 } },
      { name: 'start', value: { n: 5 } },
    ]);
  });

  it('the length that a script gives to a list changes nothing', async () => {
    const script = 'x=decodeURIComponent((function(a){a.length=-1;return "y"})([1]));z={n:1}';
    expect(await readAssignedValues(script)).toContainEqual({ name: 'z', value: { n: 1 } });
  });

  it.each([
    ['no JavaScript', '<<<{{{'],
    ['deeply nested', `x=${'['.repeat(100_000)}1${']'.repeat(100_000)}`],
    ['a text that doubles at each step', `x=${nested('a+a', '"some text"')}`],
    ['lists that double at each step', `x=${nested('[a,a]', '[1]')}`],
    ['calls in calls', `${'f('.repeat(500)}{a:1}${')'.repeat(500)}`],
    ['functions in functions', `x=${'(function(a){return '.repeat(150)}y${'}({a:1}))'.repeat(150)}`],
    ['megabytes of code', 'function f(a){return a.b.c(1,2,"x")+a[3]*4;}\n'.repeat(100_000)],
  ])('%s ends', async (_, script) => {
    const found = await readAssignedValues(script);
    expect(Array.isArray(found)).toBe(true);
  });

  it('shared parts do not grow without end', () => {
    let value: unknown = ['x'];
    for (let step = 0; step < 60; step++) value = [value, value];
    expect(JSON.stringify(resolveReferences(value)).length).toBeLessThan(50_000_000);
  });
});

describe('flat lists', () => {
  it('of devalue', () => {
    const list = [
      ['ShallowReactive', 1],
      { list: 2, at: 5, none: -1, loop: 1 },
      [3, 3],
      { name: 4 },
      'x',
      ['Date', '2024-01-01T00:00:00.000Z'],
    ];
    expect(isFlattened(list)).toBe(true);
    expect(unflatten(list)).toEqual({
      list: [{ name: 'x' }, { name: 'x' }],
      at: '2024-01-01T00:00:00.000Z',
      none: null,
      loop: null,
    });
  });

  it('of a stream with what was awaited', () => {
    expect(unflattenStream('[{"_1":2},"rows",["P",2]]\nP2:[[4,5],"a","b"]\n')).toEqual({
      rows: ['a', 'b'],
    });
  });

  it.each([[[{ a: 1 }, { a: 2 }]], [[1, 2, 3]], [['a', 'b']], [[{ name: 'x' }, 'y']], [{}]])(
    'not %j',
    (value) => {
      expect(isFlattened(value)).toBe(false);
    },
  );

  it('that double at each step end', () => {
    const list: unknown[] = Array.from({ length: 50 }, (_, index) => [index + 1, index + 1]);
    expect(JSON.stringify(unflatten([...list, 'x'])).length).toBeLessThan(50_000_000);
  });
});

it('rows of React: texts by their bytes, references by id and by path, dates', () => {
  const rows =
    '1:I[55,["a.js"],"default"]\n2:T5,é…3:{"items":[{"text":"$2","at":"$D2024-01-01","cost":"$$5","no":"$undefined"}]}\n' +
    '4:["$","$L1",null,{"all":"$3:items","first":"$3:items:0:text","lazy":"$L9","self":"$4:props"}]\n';
  expect(flightRows(rows)).toEqual({
    2: 'é…',
    3: { items: [{ text: 'é…', at: '2024-01-01', cost: '$5', no: null }] },
    4: [
      '$',
      '$L1',
      null,
      {
        all: [{ text: 'é…', at: '2024-01-01', cost: '$5', no: null }],
        first: 'é…',
        lazy: '$L9',
        self: expect.anything(),
      },
    ],
  });
});

it('references are followed to others, but not in circles', () => {
  const cache = {
    ROOT: { list: [{ __ref: 'B:1' }] },
    'B:1': { __typename: 'B', name: 'one', owner: { __ref: 'P:1' } },
    'P:1': { __typename: 'P', name: 'ann', books: [{ __ref: 'B:1' }] },
  };
  expect(resolveReferences(cache)).toMatchObject({
    ROOT: { list: [{ name: 'one', owner: { name: 'ann' } }] },
  });
});

it('an attribute of each matching element', async () => {
  const body =
    '<ul><li data-item=\'{"n":1}\'></li><li data-item="none"></li><li data-item="{n: 2}"></li></ul>';
  const how = { select: 'li', attribute: 'data-item', list: '[]', fields: { n: 'n' } };
  expect(await extracted(body, how)).toEqual([{ n: 1 }, { n: 2 }]);
  await expect(extracted('<p>', how)).rejects.toThrow('no matching element with JSON');
  expect(Extract.safeParse({ kind: 'json', select: 'li' }).success).toBe(false);
  expect(Extract.safeParse({ kind: 'json', script: 'script', select: 'li', attribute: 'a' }).success).toBe(
    false,
  );
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
