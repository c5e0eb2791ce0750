import { describe, expect, it } from 'vitest';
import { resultFields } from '../../../src/service/recipes/result-fields.ts';

const fieldsOf = (extract: object, more: object = {}) =>
  resultFields({ request: { url: 'https://a.example/' }, extract, ...more })?.returns;
const fields = { title: 'h2', price: { select: '.price', type: 'number', unit_field: 'currency' } };

describe('the fields of a result', () => {
  it.each([
    ['a record', { kind: 'html', fields }, ['title', 'price', 'currency']],
    ['rows', { kind: 'html', list: 'li', fields }, { items: ['title', 'price', 'currency'] }],
    ['JSON rows', { kind: 'json', list: 'hits', fields: { id: 'id' } }, { items: ['id'] }],
    ['JSON as it comes', { kind: 'json' }, undefined],
    ['a table', { kind: 'table', columns: { day: { header: 'Day' } } }, { items: ['day'] }],
    ['a table as it comes', { kind: 'table' }, undefined],
    ['a feed', { kind: 'feed', only: ['url'], fields: { score: 'x' } }, { items: ['url', 'score'] }],
    ['an article', { kind: 'article', fields: { text: 'text' } }, ['text']],
  ])('of %s are those that its recipe names', (_, extract, expected) => {
    expect(fieldsOf(extract)).toEqual(expected);
  });

  it('are those of an article or a feed where the recipe names none', () => {
    expect(fieldsOf({ kind: 'article' })).toContain('summary');
    expect(fieldsOf({ kind: 'feed' })).toMatchObject({ items: expect.arrayContaining(['published']) });
  });

  it('include those of the detail pages, once', () => {
    const list = { kind: 'html', list: 'li', fields };
    const record = { url: '{url}', extract: { kind: 'html', fields: { title: 'h1', isbn: '.isbn' } } };
    expect(fieldsOf(list, { details: record })).toEqual({ items: ['title', 'price', 'currency', 'isbn'] });
    const rows = { url: '{url}', extract: list };
    expect(fieldsOf(list, { details: rows })).toEqual({ items: ['title', 'price', 'currency', 'details'] });
  });

  it('say what they hold, where the recipe says it', () => {
    const kinds = (extract: object) => resultFields({ extract })?.field_kinds;
    const typed = {
      ...fields,
      tags: { select: 'i', all: true },
      raw: { map: {} },
    };
    expect(kinds({ kind: 'html', list: 'li', fields: typed })).toEqual({
      title: 'text',
      price: 'number',
      currency: 'unit or currency',
      tags: 'list of text',
    });
    expect(kinds({ kind: 'json', fields: { id: 'id', at: { path: 'at', type: 'date' } } })).toEqual({
      at: 'date, ISO 8601',
    });
    expect(kinds({ kind: 'feed', only: ['url', 'authors'] })).toEqual({ url: 'URL' });
  });

  it.each([undefined, null, {}, { extract: 5 }])('of what is no recipe are unknown: %j', (recipe) => {
    expect(resultFields(recipe)).toBeUndefined();
  });
});
