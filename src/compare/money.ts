/** The signs and codes of currencies: the one list of them. */

/** Signs and the code of their currency (ISO 4217). A `$` alone is taken for that of the United States. */
const codes: Readonly<Record<string, string>> = {
  US$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  HK$: 'HKD',
  NZ$: 'NZD',
  S$: 'SGD',
  R$: 'BRL',
  NT$: 'TWD',
  MX$: 'MXN',
  $: 'USD',
  '£': 'GBP',
  '€': 'EUR',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  '₫': 'VND',
  '₪': 'ILS',
  '₱': 'PHP',
  '฿': 'THB',
  '₦': 'NGN',
  '₡': 'CRC',
  '₲': 'PYG',
  '₵': 'GHS',
  '₸': 'KZT',
  '₾': 'GEL',
  '৳': 'BDT',
  '₮': 'MNT',
  '₿': 'BTC',
  円: 'JPY',
  元: 'CNY',
  원: 'KRW',
  zł: 'PLN',
  Zł: 'PLN',
  ZŁ: 'PLN',
  kč: 'CZK',
  Kč: 'CZK',
  KČ: 'CZK',
  Ft: 'HUF',
  lei: 'RON',
  Lei: 'RON',
  лв: 'BGN',
  'лв.': 'BGN',
  руб: 'RUB',
  'руб.': 'RUB',
  'р.': 'RUB',
  грн: 'UAH',
  'грн.': 'UAH',
  Rp: 'IDR',
  'Fr.': 'CHF',
  'SFr.': 'CHF',
  'sFr.': 'CHF',
  euro: 'EUR',
  euros: 'EUR',
  Euro: 'EUR',
  Euros: 'EUR',
};
/** Signs that several currencies share. */
const openSigns = ['kr', 'kr.', 'Kr', 'Kr.', 'KR', 'Rs', 'Rs.', '¥'];
const isoCodes =
  'AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CRC CZK DKK EGP EUR GBP GEL GHS HKD HUF IDR ILS INR ISK JOD JPY KRW KWD KZT LKR MAD MXN MYR NGN NOK NPR NZD OMR PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU VND ZAR'.split(
    ' ',
  );
/** Also written in small letters, in which others would be words. */
const smallCodes = 'usd eur gbp chf pln czk jpy sek nok dkk'.split(' ');

const literally = (text: string) => text.replace(/[.$]/g, '\\$&');
const isWord = (sign: string) => /^\p{L}/u.test(sign);
const isLonger = (one: string, other: string) => other.length - one.length;
const signs = [...Object.keys(codes), ...openSigns].sort(isLonger);
const drawn = signs.filter((sign) => !isWord(sign)).map(literally);
/** Words end where letters end; a sign that ends in one that is drawn, such as `US$`, ends by itself. */
const words = [...signs.filter(isWord), ...isoCodes, ...smallCodes].map(
  (sign) => `${literally(sign)}${/\p{L}$/u.test(sign) ? '(?!\\p{L})' : ''}`,
);
const pattern = `(?:(?<!\\p{L})(?:${words.join('|')})|${drawn.join('|')})`;
const anywhere = new RegExp(pattern, 'u');
const atStart = new RegExp(`^${pattern}`, 'u');
const atEnd = new RegExp(`${pattern}$`, 'u');
const amount = new RegExp(`${pattern} ?-?\\d[\\d.,']*|\\d[\\d.,']* ?${pattern}`, 'u');
/** Blanks may stand between groups of digits before a sign: behind one, another number may follow. */
const amounts = new RegExp(
  `${pattern} ?-?\\d[\\d.,']*(?<![.,])|\\d[\\d.,']*(?:[ \\u00a0\\u202f]\\d{3}(?!\\d)(?:[.,]\\d+)?)* ?${pattern}`,
  'gu',
);
const beside = new RegExp(`${pattern}\\s?\\d|\\d\\s?${pattern}`, 'gu');

/** Fullwidth signs such as `￥` as the usual ones. */
const plain = (text: string) => text.replace(/[\uff00-\uffef]/g, (sign) => sign.normalize('NFKC'));

/** Whether the text names a currency. */
export const saysMoney = (text: string): boolean => anywhere.test(plain(text));

/** The first amount of money in a text, as it is written. */
export const findAmount = (text: string): string | undefined => amount.exec(text)?.[0];

/** All amounts of money in a text, as they are written. */
export const findAmounts = (text: string): string[] => text.match(amounts) ?? [];

/** How many amounts of money a text has. */
export const countAmounts = (text: string): number => text.match(beside)?.length ?? 0;

export interface Currency {
  /** As it is written. */
  readonly sign: string;
  /** ISO 4217; a sign that several currencies share as it is written. */
  readonly code: string;
  /** The text has the code behind a sign that several currencies share. */
  readonly isTold?: true;
}

const toCurrency = (sign: string): Currency => ({
  sign,
  code: codes[sign] ?? (openSigns.includes(sign) ? sign : sign.toUpperCase()),
});

/** Behind a sign that several currencies share, and its amount: `$12.99 CAD`, `1 234 kr SEK`. */
const codeBehind = new RegExp(`^[\\d.,' ]*(${isoCodes.join('|')})(?!\\p{L})`, 'u');

/** The first currency that a text names. */
export function findCurrency(text: string): Currency | undefined {
  const written = plain(text);
  const { 0: sign, index = 0 } = anywhere.exec(written) ?? {};
  if (sign === undefined) return undefined;
  const isShared = openSigns.includes(sign) || /^[$£]$/.test(sign);
  const [, code] = isShared ? (codeBehind.exec(written.slice(index + sign.length)) ?? []) : [];
  return code === undefined ? toCurrency(sign) : { sign, code, isTold: true };
}

/** The currency that a text begins with. */
export function currencyAtStart(text: string): Currency | undefined {
  const [sign] = atStart.exec(plain(text)) ?? [];
  return sign === undefined ? undefined : toCurrency(sign);
}

/** The currency that a text ends with. */
export function currencyAtEnd(text: string): Currency | undefined {
  const [sign] = atEnd.exec(plain(text)) ?? [];
  return sign === undefined ? undefined : toCurrency(sign);
}

/** Countries of these never write a comma before decimals: "£1,234" has one reading. */
const pointCurrencies =
  /^(?:USD|GBP|JPY|INR|KRW|CNY|AUD|NZD|HKD|SGD|ILS|PHP|THB|MYR|TWD|MXN|NGN|PKR|Rs\.?|¥)$/;
/** Nobody writes fractions of these: "₫1.234" has one reading. */
const wholeCurrencies = /^(?:JPY|KRW|VND|IDR|CLP|PYG|ISK|HUF|COP)$/;

/** Whether the mark separates groups of digits in amounts of this currency, whatever the page. */
export const separatesGroups = (code: string, mark: '.' | ','): boolean =>
  wholeCurrencies.test(code) || (mark === ',' ? pointCurrencies.test(code) : code === 'BRL');

/** Hundredths that no sign of a currency stands for: `50 ct`. */
const part =
  /^(?:¢|ct|cts|c|cents?|cent\.|centimes?|c[eé]ntimos?|centavos?|centesimi|p|pence|penny|rappen|rp|öre|øre|ore|gr|grosz\p{L}*|коп\p{L}*|paisa|paise|sen|kuruş)\.?(?!\p{L})/iu;

/** Whether the text behind a number says that it counts parts of a currency. */
export const isPartOfCurrency = (after: string): boolean => part.test(after.trim()) && !saysMoney(after);

/** The cents behind the sign of a currency: `12€99`, `12 zł 99 gr`; `text` is how they are written. */
export function readCents(
  digits: string,
  after: string,
): { readonly digits: string; readonly text: string } | undefined {
  const sign = currencyAtStart(after.trimStart())?.sign;
  if (sign === undefined || !/^\d+(?: \d{3})*$/.test(digits)) return undefined;
  const behind = after.trimStart().slice(sign.length);
  const [text, cents, name = ''] = /^ ?(\d{1,2})( ?\p{L}+\.?)?$/u.exec(behind) ?? [];
  if (text === undefined || cents === undefined) return undefined;
  const isTogether = cents.length === 2 && name === '' && text === cents && !after.startsWith(' ');
  if (!isTogether && !isPartOfCurrency(name)) return undefined;
  return { digits: `${digits.replaceAll(' ', '')}.${cents.padStart(2, '0')}`, text };
}
