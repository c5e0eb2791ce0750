/** What texts say as numbers: signs, marks, digits, powers, and texts with two readings. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localCurrency, withLocal } from '../../src/compare/local-currency.ts';
import { findCurrency } from '../../src/compare/money.ts';
import { readNumber } from '../../src/compare/number.ts';
import { decimalMarkOf, disagree } from '../../src/compare/number-set.ts';

const read = (text: string) => {
  const reading = readNumber(text);
  return reading?.kind === 'one' ? reading.value : reading?.kind;
};

describe('a number', () => {
  it.each([
    // Groups and decimals.
    ['1,234.50', 1234.5],
    ['1.234,50', 1234.5],
    ['1.234.567', 1234567],
    ['1,234,567', 1234567],
    ['1234,567', 1234.567],
    ['10 200 km', 10200],
    ['1\u202f234\u2009567,89', 1234567.89],
    ["1'234.50", 1234.5],
    ['1’234’567', 1234567],
    ['1,00,000 ₹', 100000],
    ['12,34,567.89', 1234567.89],
    ['0,500 kg', 0.5],
    ['0.999', 0.999],
    ['.5', 0.5],
    ['1,2345', 1.2345],
    // Amounts.
    ['12.–', 12],
    ['85,- €', 85],
    ['1,68⁹ €', 1.689],
    ['1.65⁸ $', 1.658],
    ['$3.59¹', 3.59],
    ['1.299,- €', 1299],
    ['1 299:-', 1299],
    ['₹5,00,000/-', 500000],
    ['$1,234', 1234],
    ['£1,234', 1234],
    ['R$ 1.234', 1234],
    ['¥1,234', 1234],
    ['Rs.500', 500],
    ['CHF 12.50', 12.5],
    // A dash in place of the francs.
    ['CHF –.50', 0.5],
    ['CHF -.05', 0.05],
    ['–,50 €', 0.5],
    ['-,99 €', 0.99],
    ['-$.50', -0.5],
    ['-.50', -0.5],
    ['–0.50', -0.5],
    ['5USD', 5],
    ['12.50 EUR', 12.5],
    // Signs.
    ['–5 °C', -5],
    ['−0,75 %', -0.75],
    ['—7', -7],
    ['- 20 €', -20],
    ['-$5', -5],
    ['€-3', -3],
    ['(1,234)', -1234],
    ['(900)', -900],
    ['($1,234.50)', -1234.5],
    ['(1.234,50 €)', -1234.5],
    ['1,234-', -1234],
    ['12.50- EUR', -12.5],
    ['+5', 5],
    ['Width - 5 cm', 5],
    ['minus 5 °C', -5],
    // Amounts that are said twice, or beside the price of a unit.
    ['€12.99 €12.99', 12.99],
    ['€15.00 €2.50/kg', 15],
    ['12,99 € (10,92 € netto)', 12.99],
    // More digits than a JavaScript number has.
    ['9,007,199,254,740,993.50', '9007199254740993.50'],
    ['90.071.992.547.409,93 €', '90071992547409.93'],
    ['(900719925474099.37)', '-900719925474099.37'],
    ['9007199254740.50', 9007199254740.5],
    ['52.520006599999995', 52.520006599999995],
    // Powers and factors.
    ['1.5E+3', 1500],
    ['1,5e-3', 0.0015],
    ['6.022 × 10²³', 6.022e23],
    ['6,022 · 10^23', 6.022e23],
    ['10²³', 1e23],
    ['10^6', 1e6],
    ['1.2 million', 1_200_000],
    ['5 Mio. €', 5_000_000],
    ['3 lakh', 300_000],
    ['$5M', 5_000_000],
    ['1.2B', 1_200_000_000],
    ['12k', 12_000],
    ['$5m', 5_000_000],
    ['€5 mn', 5_000_000],
    ['5 hundred', 500],
    ['2.4m views', 2_400_000],
    ['2.4 m', 2.4],
    ['₹1.5 Cr', 15_000_000],
    ['1.2万', 12_000],
    ['3억 원', 300_000_000],
    ['12€99', 12.99],
    ['12 zł 99 gr', 12.99],
    ['1 299 руб. 50 коп.', 1299.5],
    ['4.5/5', 4.5],
    ['...10', 10],
    ['100m2', 100],
    // Fractions.
    ['½', 0.5],
    ['1½', 1.5],
    ['1 ¾ cups', 1.75],
    ['2 1/2', 2.5],
    ['1 ¹/₂', 1.5],
    ['³⁄₄', 0.75],
    // Other digits.
    ['１，２３４．５', 1234.5],
    ['١٢٣٤', 1234],
    ['١٬٢٣٤٫٥', 1234.5],
    ['۱۲۳٫۵', 123.5],
    ['१२,३४,५६७', 1234567],
    ['๑๒', 12],
    // Footnotes.
    ['45.2*', 45.2],
    ['45.2[1]', 45.2],
    ['45.2¹', 45.2],
    ['5†', 5],
    // What only looks like something else.
    ['12 ft', 12],
    ['5 m²', 5],
    ['007', 7],
    ['-0', 0],
  ])('%s is %d', (text, value) => expect(read(text)).toBe(value));

  it.each(['12345678901234567890', '-9007199254740993'])('%s is kept as its digits', (text) =>
    expect(read(text)).toBe(text),
  );

  it.each([
    ...['1.2.3', '192.168.0.1', '3,4,5', '14:05', '16:9', '2024-05-03', '10.12.2024', '5/9/2024', '24/7'],
    ...['19.30 Uhr', '20 Uhr', 'ab 8.15 Uhr', 'kl. 7.15', 'klo 18'],
    ...['USB-3', '571527/24', '+49 30 1234567', '1E400', '12,345,67', 'none', ''],
  ])('%s is none', (text) => expect(readNumber(text)).toBeUndefined());

  it.each([
    '30²',
    '12⁹⁹',
    ...['$3.59⁹', '1,68⁹'],
    '5M',
    '12B',
    '4K',
    '45° 30′',
    '1만 2천원',
    '(2003, with Ann)',
    '(7,201',
    '$ (0.08',
    '($7,201',
  ])('%s could be a power, a factor or a name', (text) => expect(read(text)).toBe('unclear'));

  it.each([
    ...['12 99 €', '12 € 99', '1 00', '12 345 6789', '1_000', '5, 50', '1h 30m', '5 ft 10 in', '5\'10"'],
    ...['2x4', '1億2000万', '3/4 cup', '1/2', '5 mil', '150.20 CR', '-(5)', '30 - 20', '1e3e3'],
  ])('%s is more than its first number, or open', (text) => expect(read(text)).toBe('unclear'));

  it.each([
    ...['was $10 now $5', '€20.00 €15.00', '3 for $10', '100 g = 5 €', 'incl. 19% VAT €50.00'],
    ...[
      '3 × €5.00',
      '24 Monate x 10 €',
      '4 x $12.50',
      '10 x 20 cm',
      '1×10−3',
      '5 & 6',
      '5 or 6',
      'v1.2',
      '▼ 5',
    ],
  ])('%s holds several numbers, or another one', (text) => expect(read(text)).toBe('unclear'));

  it('too small for a JavaScript number is none', () => expect(readNumber('1e-400')).toBeUndefined());

  it('that is a range has two ends', () => {
    expect(readNumber('10.00 - 20.00')).toMatchObject({ kind: 'range', low: 10, high: 20 });
    expect(readNumber('€5 – €8,50')).toMatchObject({ kind: 'range', low: 5, high: 8.5 });
    expect(readNumber('3 to 5 days')).toMatchObject({ kind: 'range', low: 3, high: 5 });
    expect(readNumber('-10 to -5')).toMatchObject({ kind: 'range', low: -10, high: -5 });
    expect(readNumber('−5 … 3 °C')).toMatchObject({ kind: 'range', low: -5, high: 3 });
    expect(readNumber('5‒10')).toMatchObject({ kind: 'range', low: 5, high: 10 });
    expect(readNumber('5 ― 10')).toMatchObject({ kind: 'range', low: 5, high: 10 });
    expect(readNumber('5〜10')).toMatchObject({ kind: 'range', low: 5, high: 10 });
    expect(readNumber('between 10 and 20')).toMatchObject({ kind: 'range', low: 10, high: 20 });
    expect(readNumber('10 до 20')).toMatchObject({ kind: 'range', low: 10, high: 20 });
    expect(readNumber('1 day - 3 days')).toMatchObject({ kind: 'range', low: 1, high: 3 });
  });

  it.each(['4a', '12b', '7f', '6am', '12 pm', '2 p.m.', '11 AM', '7.30 pm', '6.05am', '–.50'])(
    '%s is no amount',
    (text) => {
      expect(readNumber(text)).toEqual({ kind: 'unclear' });
    },
  );

  it('is unclear beside one of another unit', () => {
    expect(readNumber('1 h – 30 min')).toEqual({ kind: 'unclear' });
    expect(readNumber('10 points - 20 comments')).toEqual({ kind: 'unclear' });
  });

  it.each([
    ['1.234', 1.234, 1234],
    ['1,234', 1234, 1.234],
    ['1.234 €', 1.234, 1234],
    ['kr 12,345', 12345, 12.345],
  ])('%s has two readings', (text, point, comma) => {
    expect(readNumber(text)).toMatchObject({ kind: 'open', values: { '.': point, ',': comma } });
    expect(readNumber(text, '.')).toMatchObject({ kind: 'one', value: point });
    expect(readNumber(text, ',')).toMatchObject({ kind: 'one', value: comma });
  });
});

it.each([
  [['0,999 €', '1,299 €'], ','],
  [['1.234', '12.50'], '.'],
  [['1.234', '1.234.567'], ','],
  [['1.299,-', '1.234'], ','],
  [['(1,234)', '1,700', '(900)'], '.'],
  [['1,234', '87'], '.'],
  [['1.234', '900'], ','],
  [['1,234', '1500'], ','],
  [['1,234', '5,678'], undefined],
  [['1.234', '5'], undefined],
  [['1,234', '1.5', '2,5'], undefined],
  [[], undefined],
])('the decimal mark of %j is %s', (texts, mark) =>
  expect(decimalMarkOf(texts.map((text) => readNumber(text)))).toBe(mark),
);

it.each([
  [['€ 189', '€ 1,120', '€ 1.500'], true],
  [['€ 1,120', '€ 1.500', '€ 12.50'], false],
  [['€ 1,120', '€ 2,000'], false],
])('whether the marks of %j disagree is %j', (texts, expected) =>
  expect(disagree(texts.map((text) => readNumber(text)))).toBe(expected),
);

it('what a program writes is read back, in every form of it', () => {
  const amount = fc.integer({ min: -99_999_999, max: 99_999_999 }).map((cents) => cents / 100);
  fc.assert(
    fc.property(
      amount,
      fc.constantFrom('en', 'de', 'de-CH', 'en-IN', 'ar-EG', 'hi', 'fa', 'sv'),
      (value, locale) => {
        const text = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(value);
        expect(read(text)).toBe(value === 0 ? 0 : value);
      },
    ),
  );
});

it.each([
  ['$12.99 CAD', 'CAD'],
  ['$ 1,234.50 (AUD)', 'USD'],
  ['1 234 kr SEK', 'SEK'],
  ['kr 1 234 NOK', 'NOK'],
  ['¥12.00 CNY', 'CNY'],
  ['￥12.00', '¥'],
  ['12 元', 'CNY'],
  ['CAD $5', 'CAD'],
  ['US$5', 'USD'],
])('the currency of %s is %s', (text, code) => expect(findCurrency(text)?.code).toBe(code));

it.each([
  ['shop.com.au', 'en-US', '$5', 'AUD'],
  ['shop.example', 'zh-Hant-TW', '$5', 'TWD'],
  ['shop.co', 'en', '$5', 'USD'],
  ['shop.mx', 'es', '5 €', 'EUR'],
])('on %s in %s, %s is in %s', (host, language, text, code) =>
  expect(withLocal(findCurrency(text), localCurrency(text, { host, language }))?.code).toBe(code),
);
