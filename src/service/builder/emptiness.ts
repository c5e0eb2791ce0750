/** What a page says of itself where it has nothing of what it is for: "No results", "We have no open roles", "Error 500". */
import { type Element, isTag } from 'domhandler';
import { classesOf, elementsOf, shownText } from './elements.ts';
import type { Goal } from './goal.ts';
import { meansSame, wordsOf } from './words.ts';

export interface Emptiness {
  /** As the page says it. */
  readonly statement: string;
  /** Whether what stands at this element is not what was asked for, either. */
  readonly excludes: (element: Element | undefined) => boolean;
}

/** Characters of a statement; what is longer says more than that. */
const maxStatement = 200;
/** What is said more often is said of single rows. */
const maxStatements = 2;

const unseen = /^(?:nav|footer|script|style|template|noscript|select|form|button|head|svg)$/;
const hiding =
  /^(?:hidden|hide|d-none|is-hidden|invisible|visually-?hidden|sr-only|screen-reader-text|u-hidden|js-hidden)$/i;
const isHidden = (element: Element) => {
  const { attribs, name, parent } = element;
  return (
    attribs.hidden !== undefined ||
    /display\s*:\s*none/i.test(attribs.style ?? '') ||
    classesOf(element).some((one) => hiding.test(one)) ||
    unseen.test(name) ||
    (name === 'header' && parent !== null && isTag(parent) && parent.name === 'body')
  );
};

/** How "no … found" begins, or is said within the first words, in the languages of many sites. */
const nothing: readonly RegExp[] = [
  /^(?:(?:we're |we are )?sorry[,.!]? |oops[,.!]? |unfortunately,? )*(?:but )?(?:there (?:are|is|were|was) |(?:we|it|your search) (?:have|has|found|returned) )?(?:currently |at present |unfortunately )*no (?!longer|later|less|more|need|matter|one|\d)/i,
  /^.{0,60}\b(?:could not|couldn't|cannot|can't|can not|did not|didn't|unable to) (?:find|match|locate|return|load) (?!out)/i,
  /^.{0,60}\b(?:don't|do not|doesn't|does not|are not|aren't|is not|isn't) (?:currently |presently )?(?:have |showing |hiring |recruiting )?any\b/i,
  /^.{0,20}\b(?:not|aren't) (?:currently )?(?:hiring|recruiting)\b/i,
  /^(?:sorry[,.!]? )?nothing (?:was |were )?(?:found|matched|matches|here|to (?:show|see|display))/i,
  /^0 (?:results?|matche?s?|hits|products?|treffer|ergebnisse|r[ée]sultats?|resultados|risultati|resultaten|wynik[óo]w)\b/i,
  /^(?:leider |es |gibt |wurden |sind |konnten |derzeit |zurzeit |momentan |aktuell |gerade |im moment |zu ihrer suche )*kein(?:e[nrs]?)?\b/i,
  /\bnichts gefunden\b/i,
  /^(?:d[ée]sol[ée],? )?(?:aucune?s?|(?:il|elle|nous|votre recherche) n'.{0,40}\b(?:aucune?|pas de)|pas de)\b/i,
  /^(?:lo sentimos,? )?(?:no (?:hay|se (?:han?|encontr)|hemos encontrado|existen|tenemos)|ning[uú]n[ao]?|sin) /i,
  /^(?:spiacenti,? )?(?:nessun[ao']?|non (?:ci sono|sono stati|è stato|abbiamo|esistono))(?: |')/i,
  /^(?:lamentamos,? )?(?:nenhuma?|n[ãa]o (?:h[áa]|foram|encontr[áa]mos|existem|temos|foi poss[íi]vel|encontramos)|sem) /i,
  /^(?:helaas[,.]? )?(?:er (?:zijn|is|werden) (?:momenteel |op dit moment |helaas )?)?geen /i,
  /^(?:niestety,? )?(?:brak|nie (?:znaleziono|ma|mamy)) /i,
  /^(?:tyv[äæ]rr,? |desværre,? |dessverre,? )?(?:det finns |der er |det er |vi har )?(?:inga|ingen|inget) /i,
  /^(?:bohužel,? )?(?:žádn\S*|nenalezen\S*|nebyl\S* nalezen\S*) /i,
];
/** What is said of things beside the data. */
const elsewhere =
  /\b(?:cart|basket|bag|wish ?list|favou?rites|compare|notifications?|messages?|cookies?|warenkorb|merkzettel|panier|favoris|carrito|cesta|carrello|carrinho|winkelwagen|winkelmand|koszyk\w*|varukorg\w*|kurv\w*|ko[šs][íi]k\w*)\b/i;
/** What a page is said to have none of, whatever it is for. */
const results =
  /\b(?:results?|match(?:es)?|hits|items?|products?|listings?|data|entries|records?|anything|found|ergebnisse?|treffer|produkte|artikel|eintr[äa]ge|r[ée]sultats?|produits?|annonces?|resultados?|productos|anuncios|risultat[oi]|prodotti|annunci|produtos|an[úu]ncios|resultaten|producten|wynik[óo]w|resultat|tr[äa]ffar|v[ýy]sledk[ůuy])\b/i;
const failed =
  /^(?:(?:error|erro|fehler|erreur|errore|fout|błąd|fel|chyba)\b[ :–-]*(?:4|5)\d\d|(?:4|5)\d\d\b(?:[ :–-]*(?:error|erro|not found|page not found|forbidden|service unavailable|internal server error|bad gateway).*)?|(?:oops|ups|whoops|uh-oh)\b.{0,60}|(?:page|seite|p[áa]gina|pagina) (?:was )?(?:not found|nicht gefunden|no encontrada|n[ãa]o encontrada|non trovata|niet gevonden)|(?:something|algo|qualcosa|etwas|er is iets|quelque chose) (?:went|has gone|correu|sali[óo]|è andato|ist schief|mis|s'est mal).{0,40}|(?:an )?(?:unexpected |internal )?error (?:has )?occurred.{0,40}|(?:this |the )?(?:service|site|page) (?:is )?(?:temporarily |currently )?unavailable.{0,40}|not found|access denied|maintenance|under maintenance)[.!]?$/i;

/** Words that ask for what is over: then it does not matter that nothing is coming. */
const former =
  /^(?:past|previous|former|archive|archived|earlier|old|closed|finished|expired|ended|vergangen\w*|passe\w*|pasad\w*|passat\w*)$/;

const isStatement = (text: string) => !elsewhere.test(text) && nothing.some((pattern) => pattern.test(text));

/** Whether a statement is about what the goal asks for. */
const isAbout = (text: string, { subject }: Goal) =>
  wordsOf(text).some((word) => word.length > 2 && subject.some((other) => meansSame(word, other)));

/** What the page says that it has not; undefined where it says nothing of that. */
export function emptinessOf(root: Element, goal: Goal): Emptiness | undefined {
  const before = new Set<Element>();
  const found: { statement: string; before: Set<Element> | undefined }[] = [];
  const walk = (element: Element) => {
    if (isHidden(element) || found.length > maxStatements) return;
    before.add(element);
    const children = elementsOf(element);
    if (children.some(isBlock)) {
      for (const child of children) walk(child);
      return;
    }
    const text = shownText(element).replaceAll('’', "'");
    if (text === '' || text.length > maxStatement) return;
    if (/^h[1-3]$/.test(element.name) && failed.test(text))
      found.push({ statement: text, before: new Set() });
    else if (isStatement(text)) {
      if (isAbout(text, goal)) found.push({ statement: text, before: undefined });
      else if (results.test(text)) found.push({ statement: text, before: new Set(before) });
    }
  };
  walk(root);
  if (found.length > maxStatements) return undefined;
  const first = found.find((one) => one.before === undefined) ?? found[0];
  const asksFormer = goal.subject.some((word) => former.test(word));
  if (first === undefined || (asksFormer && first.before === undefined)) return undefined;
  return {
    statement: first.statement,
    excludes: (element) => element === undefined || first.before === undefined || !first.before.has(element),
  };
}

const inline = /^(?:a|abbr|b|bdi|br|cite|code|em|i|img|mark|q|s|small|span|strong|sub|sup|time|u|wbr)$/;
const isBlock = (element: Element): boolean =>
  !inline.test(element.name) || element.children.some((child) => isTag(child) && isBlock(child));
