/** Which currency a sign means that several countries share, by the country of its page. */
import { type Currency, findCurrency } from './money.ts';

/** What tells the country of a page: its host, such as `shop.com.au`, and its language, such as `es-MX`. */
export interface PageCountry {
  readonly host: string;
  readonly language: string;
}

const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(' ').map((pair) => [pair.slice(0, 2), pair.slice(2)]));
const dollars = pairs(
  'USUSD CACAD AUAUD NZNZD MXMXN ARARS CLCLP COCOP UYUYU HKHKD SGSGD TWTWD ECUSD SVUSD PRUSD',
);
const yen = pairs('CNCNY JPJPY');
const crowns = pairs('SESEK DKDKK NONOK ISISK');
const rupees = pairs('ININR PKPKR');
const bySign: readonly (readonly [RegExp, ReadonlyMap<string, string>])[] = [
  [/^\$$/, dollars],
  [/^¥$/, yen],
  [/^kr\.?$/i, crowns],
  [/^Rs\.?$/, rupees],
];

/** Ends of hosts that are used for their country alone. */
const hosts = /\.(us|ca|au|nz|mx|ar|cl|uy|hk|sg|tw|cn|jp|se|dk|no|is|in|pk)$/;
/** Languages of one country, or nearly so. */
const countries = pairs('jaJP zhCN svSE daDK nbNO nnNO noNO isIS');

function countryOf({ host, language }: PageCountry): string | undefined {
  const [own = '', ...parts] = language.trim().split(/[-_]/);
  const region = parts.find((part) => /^[a-z]{2}$/i.test(part));
  return (hosts.exec(host)?.[1] ?? region)?.toUpperCase() ?? countries.get(own.toLowerCase());
}

/**
 * The code of the currency that a text names by a shared sign. The sign itself where the language is that of many countries
 * and the page tells none; undefined where the sign has its usual meaning, as a `$` in English, or is not shared.
 */
export function localCurrency(text: string, page: PageCountry): string | undefined {
  const { sign = '', code: usual, isTold } = findCurrency(text) ?? {};
  const codes = bySign.find(([form]) => form.test(sign))?.[1];
  if (codes === undefined || isTold === true) return undefined;
  const country = countryOf(page);
  const local = country === undefined ? undefined : codes.get(country);
  if (country !== undefined) return local === usual ? undefined : local;
  return sign === '$' && !/^(?:en\b|$)/i.test(page.language.trim()) ? sign : undefined;
}

/** A currency with the code that its sign means on the page, unless the text has a code of its own. */
export function withLocal(currency: Currency | undefined, local: string | undefined): Currency | undefined {
  if (currency === undefined || local === undefined || currency.isTold === true) return currency;
  const { sign } = currency;
  const canMean = bySign.some(
    ([form, codes]) => form.test(sign) && (sign === local || [...codes.values()].includes(local)),
  );
  return canMean ? { sign, code: local } : currency;
}
