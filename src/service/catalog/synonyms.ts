/**
 * Words that people and pages use for the same kind of value: in English, and the commonest in German, French and Spanish.
 * What else a page says in another language its own labels tell.
 */
import { stemmer } from '@orama/stemmers/english';
import { toWords } from '../page/words.ts';

/** One line for each kind of value; the first word stands for all. At most 150 synonyms in all. */
const groups = [
  'name title headline heading caption subject',
  'author by writer creator chef byline user username',
  'image picture photo photograph thumbnail img',
  'url link href download pdf',
  'date day posted published publication issued issuance filed released decided',
  'price cost amount fee',
  'summary description desc abstract synopsis overview excerpt syllabus headnote',
  'ingredient',
  'instruction step direction method procedure',
  'yield serving serves portion makes',
  'rating score stars points',
  'cook cooking bake',
  'prep preparation preparing',
  'total overall',
  'time duration minutes',
  'case docket',
  'number no id code reference nr num',
  'judge justice',
  'court tribunal',
  'disposition outcome ruling decision',
  'citation cite citeid',
  'category type section topic',
  'tag keyword',
  'location place venue where city',
  'company employer organization',
  'job position role',
  'size length',
  'count quantity',
  'phone telephone tel',
  'email mail',
  'review comment',
  'start begin starts',
  'end finish ends until',
  'status state',
  'text content body',
  'website homepage site',
  'person speaker',
  'brand manufacturer maker',
  'availability stock',
] as const;

/**
 * Further words for the first one of each line, without accents, also in the forms behind "mit". Words that are as well English
 * ones of another meaning are none: "note", "tag", "data", "poste".
 */
const otherLanguages = [
  'name namen titel titeln uberschrift titre titulo bezeichnung nom nombre nome naam',
  'author autor autoren autorin auteur autrice autore verfasser',
  'image bild bilder bildern imagen',
  'url lien enlace',
  'date datum fecha',
  'price preis preise preisen prix precio prezzo prijs preco',
  'description beschreibung descripcion descrizione beschrijving',
  'rating bewertung bewertungen valoracion',
  'category kategorie kategorien categorie categoria',
  'location ort orte orten lieu lugar luogo stadt ville ciudad',
  'company firma firmen unternehmen entreprise empresa arbeitgeber',
  'availability verfugbarkeit disponibilite disponibilidad',
  'count anzahl menge quantite cantidad',
  'time dauer duree duracion',
  'size grosse taille tamano',
  'brand hersteller marke marque',
] as const;

const byWord = new Map<string, string>();
for (const group of [...groups, ...otherLanguages]) {
  const [first = '', ...others] = group.split(' ').map((word) => stemmer(word.replaceAll('-', '')));
  const head = byWord.get(first) ?? first;
  for (const word of [first, ...others]) if (!byWord.has(word)) byWord.set(word, head);
}

const isThings = /^(?:posts|publications|issues|releases|downloads|users)$/;

/** The word that stands for all its synonyms, without English endings. */
export function toConcept(word: string): string {
  // "Photographer" has the stem of "photograph".
  if (/^photographers?$/.test(word)) return toConcept('author');
  const stem = stemmer(word);
  // How many were posted, downloaded or use it; "posted" alone says when, "download" where, "user" who.
  return isThings.test(word) ? stem : (byWord.get(stem) ?? stem);
}

/** Whether the word names a kind of value. */
export const isSynonym = (word: string): boolean => byWord.has(stemmer(word));

/** Words that name nothing by themselves. */
const fillers = new Set(
  'a all an and any are as at be by can content contents data entries entry each every everything extract fetch field find for from full get give here i in info information is item items it its list lists me my need of on one only or page please record row rows save result results scrape search show something table that the their them these thing things this those to value values want what with you'.split(
    ' ',
  ),
);
/** The same in German, French and Spanish. */
for (const word of 'alle aller alles jede jeder jedes jeden liste und diese dieser zeige gib mir seite tous toutes chaque avec cette donne montre todos todas cada lista muestra dame esta este pagina'.split(
  ' ',
))
  fillers.add(word);

/** "List" asks for rows, but a list price is another price than the one that is paid. */
const isFiller = (word: string, next: string | undefined) =>
  fillers.has(word) && !(word === 'list' && next !== undefined && toConcept(next) === toConcept('price'));

/** The concepts in a text, each once, without filler words. */
export const toConcepts = (text: string): string[] => [
  ...new Set(
    toWords(text)
      .filter((word, at, words) => !isFiller(word, words[at + 1]))
      .map(toConcept),
  ),
];

/** Concepts that need special treatment when columns are matched. */
export const concepts = {
  url: toConcept('url'),
  name: toConcept('name'),
  date: toConcept('date'),
  image: toConcept('image'),
  number: toConcept('number'),
  time: toConcept('time'),
  ingredient: toConcept('ingredient'),
  instruction: toConcept('instruction'),
} as const;

const numberOf = /^(?:number of |nombre d(?:e |['’])|n[uú]mero de |anzahl der )/i;

/** The concepts of a phrase; "number of servings" asks for a count, not for a code. */
export const wordsFor = (phrase: string) => toConcepts(phrase.replace(numberOf, ''));

/** "Number of posts" asks for a count, never for the time of the last one. */
export const asksForCount = (phrase: string) => numberOf.test(phrase);

/** "Link to the PDF". */
export const asksForDocument = (phrase: string) => /\bpdf\b|document|download(?!s\b)/i.test(phrase);
