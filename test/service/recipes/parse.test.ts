/** Any page gives data or a `ParseError`, whatever its content. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ParseError } from '../../../src/service/foundation/errors.ts';
import { parse } from '../../../src/service/recipes/parse.ts';
import { Extract } from '../../../src/service/recipes/recipe-schema.ts';

const piece = fc.oneof(
  fc.constantFrom(
    '<table>',
    '<tr>',
    '<td>',
    '<th>',
    '<thead>',
    '</table>',
    '</tr>',
    '<td colspan="3">',
    '<p>',
    '</p>',
  ),
  fc.constantFrom(
    '<td rowspan="0">',
    '<th rowspan="-2" colspan="x">',
    '<a href="//">',
    '<base href="http://">',
    '<li>',
  ),
  fc.constantFrom(
    '<rss version="2.0">',
    '<channel>',
    '<item>',
    '<title>',
    '</rss>',
    '<![CDATA[',
    ']]>',
    '<!--',
    '<?xml?>',
  ),
  fc.constantFrom(
    '<form id="f">',
    '<input name="a" value="b">',
    '<input type=password>',
    '<select name=s><option>x',
  ),
  fc.constantFrom('{', '}', '[', ']', '"items"', ':', ',', '1e999', 'null'),
  fc.string({ unit: 'binary' }),
);
const body = fc.oneof(
  fc.array(piece).map((pieces) => pieces.join('')),
  fc.json(),
);
const extracts = [
  {
    kind: 'html',
    list: 'p, td, li',
    fields: { text: { all: true }, url: { select: 'a', type: 'url' }, n: { type: 'number' } },
  },
  { kind: 'html', fields: { day: { select: 'p', type: 'date', required: true } } },
  { kind: 'html', list: 'td, li', fields: { above: { above: 'p, tr', own: true }, n: { type: 'number' } } },
  { kind: 'table' },
  { kind: 'table', table: 'table, tr', columns: { a: { above: 'tr:has(> :only-child)' } } },
  { kind: 'table', columns: { a: { header: 'a', type: 'number', unit_field: 'unit' } } },
  { kind: 'feed' },
  { kind: 'json', list: 'items || @', fields: { a: { path: 'a', type: 'date' }, b: 'keys(@)' } },
  { kind: 'json' },
].map((extract) => Extract.parse(extract));

it('parsing any body gives data or a ParseError', async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...extracts), fc.string(), async (text, extract, contentType) => {
      const page = {
        url: 'https://site.example/x',
        status: 200,
        contentType,
        link: text,
        body: Buffer.from(text),
      };
      const next = { select: 'a', path: 'next', link_header: text.length % 2 === 0 };
      try {
        const { extracted } = await parse({
          page,
          extract,
          next: extract.kind === 'json' ? next : { select: 'a' },
          form: 'form',
        });
        expect(structuredClone(extracted)).toEqual(extracted);
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    }),
    { numRuns: 500 },
  );
});

it.each(['.md:w-1/2', 'p:unheard(of)', 'p::before'])(
  'parsing reports that the selector %s is not valid',
  async (select) => {
    const page = {
      url: 'https://site.example/',
      status: 200,
      contentType: 'text/html',
      link: '',
      body: Buffer.from('<p>x</p>'),
    };
    const extract = Extract.parse({ kind: 'html', fields: { text: { select } } });
    await expect(parse({ page, extract })).rejects.toThrow(
      new ParseError('A selector of the recipe is not valid'),
    );
  },
);
