/**
 * What some rows say of themselves and others do not: "Sold out", "Remote", a class such as `is-sticky`. Each is a
 * column of true and false; a row that does not say so is false.
 */
import type { Element } from 'domhandler';
import type { Column, Source } from './candidate.ts';
import { isGenerated } from './class-names.ts';
import { classesOf, elementsOf, quoted, shownText, tagOf } from './elements.ts';
import { wordsOf } from './words.ts';

const sampled = 40;
const maxFlags = 40;
/** Elements looked at in one row. */
const maxElements = 500;
const flagText = /^\p{L}[\p{L}' -]{2,22}$/u;

/** What the elements of a row say, by the source that finds it. */
function flagsOf(
  roots: readonly Element[],
): Map<string, { source: Source; words: string[]; contains?: string }> {
  const found = new Map<string, { source: Source; words: string[]; contains?: string }>();
  let visited = 0;
  const walk = (element: Element, isRow: boolean) => {
    visited += 1;
    if (visited > maxElements || element.name === 'script' || element.name === 'style') return;
    for (const name of classesOf(element)) {
      if (!/^[a-zA-Z][\w-]{2,40}$/.test(name) || isGenerated(name)) continue;
      // Of `card--sold-out` and `product_is-new` what the thing is comes first.
      const words = wordsOf(name.replace(/^.+(?:--|__|_is-|_has-)/, '').replace(/^(?:is|has)-/, ''));
      const source: Source = isRow ? { in: 'html', attribute: 'class' } : { in: 'html', select: `.${name}` };
      found.set(`${isRow} ${name}`, { source, words, ...(isRow ? { contains: name } : {}) });
    }
    const children = elementsOf(element);
    if (children.length === 0) {
      const text = shownText(element);
      if (flagText.test(text)) {
        const source: Source = { in: 'html', select: `${tagOf(element)}:contains(${quoted(text)})` };
        found.set(`${element.name} ${text}`, { source, words: wordsOf(text) });
      }
    }
    for (const child of children) walk(child, false);
  };
  for (const root of roots) walk(root, roots.length === 1);
  return found;
}

export function flagColumns(allRows: readonly (readonly Element[])[]): Column[] {
  const rows = allRows.slice(0, sampled).map(flagsOf);
  const counts = new Map<string, number>();
  for (const row of rows) for (const key of row.keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const known = new Map(rows.flatMap((row) => [...row]));
  return [...known]
    .filter(([key]) => (counts.get(key) ?? 0) < rows.length)
    .flatMap(([, { source, words, contains }]): Column[] =>
      words.length === 0 || words.length > 4
        ? []
        : [
            {
              source,
              names: words,
              nearNames: [],
              isTitle: false,
              isFlag: true,
              type: { rules: { type: 'boolean', ...(contains === undefined ? {} : { contains }) } },
              fill: 1,
              constant: false,
              length: 4,
              samples: [],
              order: 1_000,
            },
          ],
    )
    .filter(({ names }) => isState(names))
    .slice(0, maxFlags);
}

/** Words for the states that goals ask for, in one form; those of a line mean the same. */
const states = [
  /^(?:sold ?out|out of stock|unavailable|not available|no stock|ausverkauft|vergriffen|agotad[oa]|epuise|esaurito|rupture(?: de stock)?)$/,
  /^(?:in stock|instock|available|auf lager|lieferbar|verfugbar|en stock|disponible)$/,
  /^(?:(?:on )?sale|reduced|discounted|reduziert|im angebot|angebot|solde|promo|rebajad[oa])$/,
  /^(?:sticky|pinned|pin|angepinnt|angeheftet|epingle)$/,
  /^(?:locked|closed|geschlossen|ferme|cerrad[oa])$/,
  /^(?:open|open now|opened|geoffnet|ouvert|abiert[oa])$/,
  /^(?:(?:fully )?remote|remote ok|home ?office|work from home|teletravail|teletrabajo)$/,
  /^(?:verified(?: \w+)?|verifiziert|verifie|verificad[oa])$/,
  /^(?:answered|solved|resolved|accepted(?: answer)?|gelost|resolu)$/,
  /^(?:new|neu|nouveau|nouveaute|nuevo|novedad)$/,
  /^(?:featured|highlighted|recommended|empfohlen|destacado)$/,
  /^(?:sponsored|promoted)$/,
  /^(?:cancelled|canceled|abgesagt|annule|cancelad[oa])$/,
  /^(?:free|gratis|kostenlos|gratuit)$/,
  /^(?:vegan)$/,
  /^(?:vegetarian|vegetarisch|veggie)$/,
  /^(?:urgent|dringend)$/,
  /^(?:full ?time|vollzeit|temps plein)$/,
  /^(?:part ?time|teilzeit|temps partiel)$/,
  /^(?:furnished|mobliert|meuble)$/,
];
const stateOf = (words: readonly string[]) => {
  const said = words
    .filter((word) => !/^(?:is|are|currently|status|flag|badge|whether)$/.test(word))
    .join(' ');
  return states.findIndex((state) => state.test(said));
};
/** Whether the words are a state that a row may be in. */
export const isState = (words: readonly string[]) => stateOf(words) >= 0;

/** Whether the words of a goal ask for this state. */
export const meansState = (words: readonly string[], names: readonly string[]) => {
  const asked = stateOf(words);
  return asked >= 0 && asked === stateOf(names);
};
