/** Turning what was found into typed values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ValueRules, valueTypes } from '../../../src/service/recipes/recipe-schema.ts';
import { toTyped } from '../../../src/service/recipes/values.ts';

const base = 'https://site.example/list/page';
const value = (found: unknown, rules: ValueRules) => toTyped(found, rules, base).value;

describe('text', () => {
  it.each([
    ['  a\n\t b  ', 'a b'],
    ['', null],
    [' \n ', null],
    [undefined, null],
    // Marks of the direction and soft hyphens; the joiner inside is part of the spelling.
    ['\u200fتمر \u200e', 'تمر'],
    ['\u2067می\u200cخواهم\u200c\u2069', 'می\u200cخواهم'],
    ['Apfel\u00adsaft\u200b', 'Apfelsaft'],
    ['\u200d', null],
    [12, '12'],
    [{ a: 1 }, null],
  ])('%j is %j', (found, expected) => expect(value(found, { type: 'text' })).toBe(expected));

  it('can be cut out by a pattern and mapped', () => {
    expect(value('by Jane Austen', { type: 'text', match: '^by (.+)$' })).toBe('Jane Austen');
    expect(value('Jane Austen', { type: 'text', match: '^by (.+)$' })).toBeNull();
    expect(value('star-rating Two', { type: 'text', match: 'rating (\\w+)', map: { Two: 2 } })).toBe(2);
    expect(value('constructor', { type: 'text', map: { Two: 2 } })).toBeNull();
  });
});

describe('number', () => {
  const read = (found: unknown, rules: Partial<ValueRules> = {}) => {
    const typed = toTyped(found, { type: 'number', ...rules }, base);
    return { value: typed.value, unit: typed.unit };
  };
  it.each([
    ['£51.77', 51.77, 'GBP'],
    ['1,234.50 USD', 1234.5, 'USD'],
    ['-12.5 °C', -12.5, '°C'],
    ["1'000 CHF", 1000, 'CHF'],
    ['42', 42, null],
    ['571527/24', null, null],
    ['4/5', 4, '/5'],
    ['5 EUR/kg', 5, 'EUR/kg'],
    ['100 g = 5 €', '100 g = 5 €', null],
    ['19,99 € incl. 19% tax', 19.99, '€ incl. 19% tax'],
    ['4 5', 4, '5'],
    ['12 of 2024', 12, 'of 2024'],
    ['Eintritt 5 €', 5, 'Eintritt €'],
    ['85,- €', 85, 'EUR'],
    ['USB-3', null, null],
    ['1.234 €', '1.234 €', 'EUR'],
    ['10 – 20 €', '10 – 20 €', null],
    ['5M', '5M', null],
    ['12345678901234567890', '12345678901234567890', null],
    [7.5, 7.5, null],
    ['none', null, null],
    [null, null, null],
  ])('%j is %j in %j', (found, value, unit) => expect(read(found)).toEqual({ value, unit }));

  it.each([
    ['Eintritt 5 €', 'EUR'],
    ['5 EUR/kg', 'EUR'],
    ['Ann Smith 5 EUR', 'EUR'],
    ['5 points', null],
    ['5', null],
  ])('of %j the field of the currency is %j', (found, currency) => {
    for (const unit_field of ['currency', 'price_currency'])
      expect(read(found, { unit_field })).toEqual({ value: 5, unit: currency });
  });

  it('has the declared decimal mark', () => {
    expect(read('1.234 €', { decimal: ',' })).toEqual({ value: 1234, unit: 'EUR' });
    expect(read('1,234 €', { decimal: ',' })).toEqual({ value: 1.234, unit: 'EUR' });
    // Which holds only where the text is possible under it.
    expect(read('1,99', { decimal: '.' })).toEqual({ value: 1.99, unit: null });
    expect(read('1.234,50 €', { decimal: '.' })).toEqual({ value: 1234.5, unit: 'EUR' });
    expect(read('$1,234', { decimal: ',' })).toEqual({ value: 1.234, unit: 'USD' });
  });

  it('has the declared unit where the page shows none', () => {
    expect(read('12', { unit: 'EUR' })).toEqual({ value: 12, unit: 'EUR' });
  });
});

describe('date', () => {
  it.each([
    ['2024-03-09', '2024-03-09'],
    ['2024-03-09T10:11:12Z', '2024-03-09T10:11:12Z'],
    ['2024-03-09 10:11', '2024-03-09T10:11:00Z'],
    ['2024-03-09T23:30:00-05:00', '2024-03-10T04:30:00Z'],
    ['Tue, 10 Jun 2003 04:00:00 GMT', '2003-06-10T04:00:00Z'],
    ['Tue, 10 Jun 2003 04:00:00 +0200', '2003-06-10T02:00:00Z'],
    ['9 March 2024', '2024-03-09'],
    ['March 9, 2024', '2024-03-09'],
    [1709978400, '2024-03-09T10:00:00.000Z'],
    [1709978400000, '2024-03-09T10:00:00.000Z'],
    ['1709978400', '2024-03-09T10:00:00.000Z'],
    ['Fri, 3 May 2024', '2024-05-03'],
    ['Friday 3 May 2024', '2024-05-03'],
    ['May 3rd, 2024', '2024-05-03'],
    ['3 May 2024 at 5pm', '2024-05-03T17:00:00Z'],
    ['3 May 2024, 17:05', '2024-05-03T17:05:00Z'],
    ['Fri, May 3rd, 2024 at 5:30 p.m.', '2024-05-03T17:30:00Z'],
    ['docket 14-1629', null],
    ['Room 12', null],
    ['Sat 3', null],
    ['3 May 2024 is the day', null],
    ['yesterday', null],
    ['2024-13-45', null],
  ])('%j is %j', (found, expected) => expect(value(found, { type: 'date' })).toBe(expected));

  it('can have a form and a language of its own', () => {
    expect(value('9.3.2024', { type: 'date', format: 'd.M.yyyy' })).toBe('2024-03-09');
    expect(value('März 2024', { type: 'date', format: 'MMMM yyyy', locale: 'de' })).toBe('2024-03');
    expect(value('Jahr 2024', { type: 'date', format: "'Jahr' yyyy" })).toBe('2024');
    expect(value('9. März 2024', { type: 'date', format: 'd. MMMM yyyy', locale: 'de' })).toBe('2024-03-09');
    expect(value('09/03/2024 17:05', { type: 'date', format: 'dd/MM/yyyy HH:mm' })).toBe(
      '2024-03-09T17:05:00Z',
    );
    expect(value('9 March', { type: 'date', format: 'd.M.yyyy' })).toBeNull();
  });
});

describe('url and image', () => {
  it.each([
    ['../x?y=1#z', 'https://site.example/x?y=1#z'],
    ['//cdn.example/a.png', 'https://cdn.example/a.png'],
    ['http://other.example/', 'http://other.example/'],
    ['javascript:alert(1)', null],
    ['data:image/png;base64,AA', null],
    ['http://', null],
    [undefined, null],
  ])('%j is %j', (found, expected) => {
    expect(value(found, { type: 'url' })).toBe(expected);
    expect(value(found, { type: 'image' })).toBe(expected);
  });
});

describe('boolean', () => {
  it.each([
    [true, true],
    ['yes', true],
    ['No', false],
    ['0', false],
    ['N', false],
    ['Y', true],
    ['', null],
    [' ', null],
    [0, false],
    [undefined, null],
    [null, null],
    [{ any: 1 }, true],
  ])('%j is %j', (found, expected) => expect(value(found, { type: 'boolean' })).toBe(expected));

  it('can depend on a text', () => {
    expect(value('In STOCK (3)', { type: 'boolean', contains: 'in stock' })).toBe(true);
    expect(value(undefined, { type: 'boolean', contains: 'in stock' })).toBe(false);
  });
});

it('whatever is found, every type has a value that is JSON, and a number is finite', () => {
  const rules = fc.record({
    type: fc.constantFrom(...valueTypes),
    decimal: fc.constantFrom('.' as const, ',' as const, undefined),
    format: fc.option(fc.string(), { nil: undefined }),
    locale: fc.constantFrom('en', 'de', undefined),
    match: fc.constantFrom('(.+)', '\\d', undefined),
  });
  const found = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.jsonValue(),
    fc.stringMatching(/^[\d.,'\s£€-]{1,12}$/),
  );
  fc.assert(
    fc.property(found, rules, (text, rule) => {
      const result = value(text, rule);
      expect(JSON.stringify(result)).toBeTypeOf('string');
      if (typeof result === 'number') expect(Number.isFinite(result)).toBe(true);
    }),
  );
});

it('json stays as it is', () => {
  expect(value({ a: [1, null] }, { type: 'json' })).toEqual({ a: [1, null] });
  expect(value(undefined, { type: 'json' })).toBeNull();
});

describe('dates as sites write them', () => {
  it.each([
    ['Mon, 09 Mar 2024 10:00:00 GMT', {}, '2024-03-09T10:00:00Z'],
    ['Saturday, 09 Mar 2024 10:00:00 +0000', {}, '2024-03-09T10:00:00Z'],
    ['3/9/24', { format: 'M/d/yyyy' }, '2024-03-09'],
    ['3/9/2024', { format: 'M/d/yy' }, '2024-03-09'],
    ['12/25/2024', { locale: 'en-US' }, '2024-12-25'],
    ['3/9/24', { locale: 'en-US' }, '2024-03-09'],
    ['3/9/24', { locale: 'en-GB' }, '2024-09-03'],
    ['25/12/2024', { locale: 'en-US' }, '2024-12-25'],
    ['25/12/2024', { format: 'M/d/yyyy' }, '2024-12-25'],
    ['2024-12-25', { format: 'd/M/yyyy' }, '2024-12-25'],
    ['25 December 2024', { format: 'd/M/yyyy' }, '2024-12-25'],
    ['3-9-2024', { format: 'd/M/yyyy' }, '2024-09-03'],
    ['25.12.2024', { format: 'M/d/yyyy' }, '2024-12-25'],
    ['25122024', { format: 'MMddyyyy' }, '2024-12-25'],
    // Nothing here tells the order.
    ['3/9/24', {}, '3/9/24'],
    ['3/9/2024', {}, '3/9/2024'],
    ['9/9/2024', {}, '2024-09-09'],
    ['25/9/2024', {}, '2024-09-25'],
    ['25/9/24', {}, '25/9/24'],
    ['3-9-2024', { locale: 'en-GB' }, '2024-09-03'],
  ])('%s with %j is %s', (found, rules, expected) =>
    expect(value(found, { type: 'date', ...rules })).toBe(expected),
  );
});
