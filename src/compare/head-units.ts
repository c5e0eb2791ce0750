/** Units and scales that the head of a column says of all its numbers: "Revenue (€ m)", "Umsatz in Tsd. €", "Staff (000)". */
import { findCurrency } from './money.ts';

const scale =
  /^(?:['’]?000s?|thousands?|tsd|tausend|mio|mill|mln|mn|millions?|millionen|milioni|millones|bn|billions?|mrd|mia|milliarden|milliards?|mld|bln|crores?|lakhs?|k|m|b|tn)\.?$/i;
const measure =
  /^(?:[kcmµμ]?g|t|tonnes?|tons?|lbs?|oz|[kcmµμn]?m|m[i²³23]|km[²2]|ft|yd|ha|acres?|[mch]?l|gal|h|hrs?|hours?|std|stunden|mins|minutes?|minuten|secs?|seconds?|sekunden|ms|days?|tage|jours|weeks?|months?|years?|[%‰]|percent|°[CF]?|[kMGT]?Wh?|k?V|m?Ah?|[kMG]?Hz|[KMGT]i?B|px|kcal|k?J|bar|psi|hPa|k?Pa|N?m|rpm|mph|km\/h|m\/s|kn|kt|ccm?|pp[mbt]|dBA?|NTU)\.?$/u;
/** What one letter, or a word that is one in other texts, means is told only where it stands apart. */
const isApart = (word: string) => word.length > 1 || /[%‰°]/.test(word);

/** The currency of a word and the rest of it: `US$m`, `TEUR`. */
function divide(word: string): { readonly isMoney: boolean; readonly rest: string } {
  const [, thousands = ''] = /^([TMk])(?:EUR|USD|CHF|GBP)$/.exec(word) ?? [];
  const sign = findCurrency(word)?.sign ?? (thousands === '' ? '' : word.slice(1));
  return { isMoney: sign !== '', rest: sign === '' ? word : word.replace(sign, '') };
}

const isScale = (word: string): boolean => {
  const { isMoney, rest } = divide(word);
  return scale.test(rest) || (isMoney && rest === 'T');
};

function isUnitWord(word: string, isBare: boolean): boolean {
  const { isMoney, rest } = divide(word);
  if (isMoney) return rest === '' || isScale(word);
  return (isScale(word) || measure.test(word)) && (!isBare || isApart(word));
}

/** `€ m`, `kg`, `k€`, `€/kg`, `Tsd. €`, `per month`. */
function isUnit(text: string, isBare: boolean): boolean {
  const words = text.split(/\s+/).filter((word) => word !== '' && word !== 'per');
  const isOne = (word: string) =>
    isUnitWord(word, isBare) ||
    (word.includes('/') && word.split('/').every((part) => isUnitWord(part, false)));
  return words.length > 0 && words.length < 4 && words.every(isOne);
}

/** Whether a text is a unit, or several: `km`, `g/cm`. */
export const isMeasure = (text: string): boolean => text.split(/[\s/]+/).every((word) => measure.test(word));

/** The unit that the head says: in brackets, behind "in" or a comma, at its end, or alone. */
export function headUnit(head: string): string | undefined {
  const [, inside] = /[([]([^()[\]]{1,24})[)\]]\s*$/.exec(head) ?? [];
  const [, behind] = /(?:^|\s)in ([^()[\],]{1,24})$/i.exec(inside ?? head) ?? [];
  const apart = behind ?? inside ?? /,\s*([^,()[\]]{1,24})$/.exec(head)?.[1];
  if (apart !== undefined) return isUnit(apart, false) ? apart.trim() : undefined;
  const words = head.trim().split(/\s+/);
  // Letters alone may name anything: "PEN" are penalties, "Rp" a rating.
  const [only = ''] = words;
  if (words.length === 1 && /^\p{L}+\.?$/u.test(only) && divide(only).isMoney) return undefined;
  // "5 km" is a distance that is run, not the unit of its times.
  const isBareUnit = (count: number) =>
    isUnit(words.slice(-count).join(' '), true) && !/^\d/.test(words.at(-count - 1) ?? '');
  const count = [2, 1].find((some) => some <= words.length && isBareUnit(some));
  return count === undefined ? undefined : words.slice(-count).join(' ');
}

/** Whether a unit says how many each of its numbers counts. */
export const hasScale = (unit: string): boolean => unit.split(/[\s/]+/).some(isScale);
