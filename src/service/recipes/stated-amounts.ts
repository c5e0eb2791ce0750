/** Amounts of a page's scripts that are not those that the page shows: nobody knows which ones hold. */
import type { Document, Extracted } from '../page/document.ts';
import { findUnshown } from '../page/shown-amounts.ts';
import type { Extract } from './recipe-schema.ts';

const isPrice = (path: string) => /(?:^|[._"])(?:low|high|min|max|sale|current)?_?price"?$/i.test(path);

/** The fields that read prices in scripts of a page. */
function statedPrices(extraction: Extract): string[] {
  const isStated =
    extraction.kind === 'html' || (extraction.kind === 'json' && extraction.script !== undefined);
  if (!isStated) return [];
  return Object.entries(extraction.fields ?? {}).flatMap(([name, field]) =>
    'path' in field && field.type === 'number' && isPrice(field.path) ? name : [],
  );
}

/** A sentence for each field of amounts that the page does not show. */
export function explainAmounts(document: Document, extraction: Extract, extracted: Extracted): string[] {
  const rows = extracted.kind === 'rows' ? extracted.rows : [extracted.record];
  return statedPrices(extraction).flatMap((name) => {
    const prices = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
    const unshown = findUnshown(document, prices);
    if (unshown.length === 0) return [];
    const which =
      prices.length === 1
        ? `${unshown[0]} is`
        : `${unshown.length} of ${prices.length} amounts, such as ${unshown[0]}, are`;
    return `${name}: ${which} stated for programs; the page shows no such amount.`;
  });
}
