/** Numbers of a page's scripts that are not those that the page shows: nobody knows which ones hold. */
import type { Document, Extracted } from '../page/document.ts';
import { findUnshown, findUnshownPrices } from '../page/shown-offer.ts';
import type { Extract } from './recipe-schema.ts';

const isPrice = (path: string) => /(?:^|[._"])(?:low|high|min|max|sale|current)?_?price"?$/i.test(path);

interface StatedField {
  readonly name: string;
  readonly isPrice: boolean;
}

/** The fields that read numbers in scripts of a page. */
function statedNumbers(extraction: Extract): StatedField[] {
  const isStated =
    extraction.kind === 'html' || (extraction.kind === 'json' && extraction.script !== undefined);
  if (!isStated) return [];
  return Object.entries(extraction.fields ?? {}).flatMap(([name, field]) =>
    'path' in field && field.type === 'number' ? { name, isPrice: isPrice(field.path) } : [],
  );
}

/** A sentence for each field of numbers that the page does not show. */
export function explainAmounts(document: Document, extraction: Extract, extracted: Extracted): string[] {
  const rows = extracted.kind === 'rows' ? extracted.rows : [extracted.record];
  return statedNumbers(extraction).flatMap(({ name, isPrice: isOfMoney }) => {
    const numbers = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
    const unshown = isOfMoney ? findUnshownPrices(document, numbers) : findUnshown(document, numbers);
    if (unshown.length === 0) return [];
    const noun = isOfMoney ? 'amount' : 'number';
    const which =
      numbers.length === 1
        ? `${unshown[0]} is`
        : `${unshown.length} of ${numbers.length} ${noun}s, such as ${unshown[0]}, are`;
    return `${name}: ${which} stated for programs; the page shows no such ${noun}.`;
  });
}
