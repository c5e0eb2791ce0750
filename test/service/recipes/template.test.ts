/** Filling placeholders: whatever a param holds, it stays in its place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunError } from '../../../src/service/foundation/errors.ts';
import { RecipeRequest } from '../../../src/service/recipes/recipe-schema.ts';
import { fillRequest, fillUrl, placeholdersIn } from '../../../src/service/recipes/template.ts';

const fill = (request: unknown, values: Record<string, unknown>) =>
  fillRequest(RecipeRequest.parse(request), values);

describe('a path', () => {
  it('keeps any text as one segment of the same origin', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        let url: string;
        try {
          url = fillUrl('https://site.example/items/{id}/view', { id: text });
        } catch (error) {
          expect(error).toBeInstanceOf(RunError);
          return;
        }
        const { origin, pathname, search, hash } = new URL(url);
        expect({ origin, search, hash }).toEqual({ origin: 'https://site.example', search: '', hash: '' });
        const [, items, id = '', view, ...rest] = pathname.split('/');
        expect([items, view, rest]).toEqual(['items', 'view', []]);
        expect(decodeURIComponent(id)).toBe(text);
      }),
    );
  });

  it.each(['.', '..', ''])('refuses %j, which would leave its place', (id) => {
    expect(() => fillUrl('https://site.example/items/{id}', { id })).toThrow(RunError);
  });

  it('refuses dots that meet in one segment', () => {
    expect(() => fillUrl('https://site.example/{a}{b}/x', { a: '.', b: '.' })).toThrow(RunError);
  });

  it('refuses a missing value and one that is no text, and never finds values of Object', () => {
    for (const values of [{}, { id: null }, { id: {} }])
      expect(() => fillUrl('https://site.example/{id}', values)).toThrow(RunError);
    expect(() => fillUrl('https://site.example/{constructor}', {})).toThrow(RunError);
  });

  it('is refused in a recipe where a placeholder stands in the host', () => {
    for (const url of ['https://{host}/', 'https://a.{host}/x', '{url}', 'ftp://a/x', 'https://a.example'])
      expect(RecipeRequest.safeParse({ url }).success, url).toBe(false);
  });
});

describe('a query and a form', () => {
  it('carry any text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (q) => {
        const { url, body } = fill(
          { url: 'https://site.example/s', method: 'POST', query: { q: '{q}' }, form: { q: '{q}' } },
          { q },
        );
        const read = new URL(url).searchParams;
        expect([...read]).toEqual([['q', q]]);
        expect([...new URLSearchParams(body)]).toEqual([['q', q]]);
      }),
    );
  });

  it('leave out what was not given, and keep constants', () => {
    const { url } = fill(
      { url: 'https://site.example/s?a=1', query: { q: '{q}', limit: 8, sort: 'by-{sort}' } },
      { sort: 'date' },
    );
    expect(url).toBe('https://site.example/s?a=1&limit=8&sort=by-date');
  });
});

describe('a JSON body', () => {
  it('keeps the type of a value that stands alone', () => {
    const { body, headers } = fill(
      {
        url: 'https://site.example/',
        method: 'POST',
        json: { n: '{n}', list: ['{n}', 'x{n}'], absent: '{m}' },
      },
      { n: 3 },
    );
    expect(JSON.parse(body ?? '')).toEqual({ n: 3, list: [3, 'x3'] });
    expect(headers['content-type']).toBe('application/json');
  });
});

describe('a header', () => {
  it.each(['a\r\nx: y', 'a\nb', 'a\0b', '€'])('refuses %j', (token) => {
    expect(() =>
      fill({ url: 'https://site.example/', headers: { 'x-token': '{token}' } }, { token }),
    ).toThrow(RunError);
  });

  it.each(['Cookie', 'host', 'User-Agent', 'bad name'])('%s is not a recipe’s to set', (name) => {
    expect(RecipeRequest.safeParse({ url: 'https://site.example/', headers: { [name]: 'x' } }).success).toBe(
      false,
    );
  });
});

it('placeholders are found wherever they stand', () => {
  expect([...placeholdersIn({ url: '/{a}/{b}', json: [{ x: 'y{c}' }], n: 1 })].sort()).toEqual([
    'a',
    'b',
    'c',
  ]);
});
