/**
 * The fields that a goal names: the longest list of phrases in it, after a colon or words such as "with". Nothing else
 * of the goal is parsed; a goal without such a list needs a choice. Goals may be in English, German, French or Spanish; of
 * some other languages only the words that lead and divide a list are known.
 */

import { toFieldName } from '../page/words.ts';
import { toConcepts } from './synonyms.ts';

export interface GoalField {
  /** `link_to_the_pdf` */
  readonly name: string;
  readonly phrase: string;
}

export interface Goal {
  readonly fields: readonly GoalField[];
  /** The rest of the goal, such as "all court opinions". */
  readonly subject: string;
  /** The goal asks for several rows; undefined if it does not say. */
  readonly many: boolean | undefined;
  /** The goal asks for a search. */
  readonly searches: boolean;
  /** The words that ask for an order of the rows, or for some of them: "cheapest, under 10 euros". An action gives the page's rows. */
  readonly order: string | undefined;
}

const maxGoal = 2_000;
const maxFields = 30;
const maxWords = 6;

/** Where a list of fields begins. */
const lead =
  /[:：]|\b(?:with|including|includes?|give(?: me)?|giving|show(?:ing)?|return(?:ing)?|extract(?:ing)?|collect|fetch|scrape|get|need|want|list)(?!\p{L})|\bincl\.(?=\s)/iu;
/** The same in German, French, Spanish and Chinese; where a word is also English, only as it is written there. */
const otherLead =
  /\b(?:mit|samt|inklusive|avec|con|incluyendo)\b|\b(?:[Zz]eige?(?: mir| uns)?|[Gg]ib(?: mir| uns)?|[Hh]ole?|[Ll]iste|[Dd]onne(?:-moi)?|[Mm]ontre(?:-moi)?|[Ee]xtrais|[Ll]ista|[Mm]uestra|[Dd]ame|[Ee]xtrae|[Ii]ch (?:brauche|will)|[Jj]e (?:veux|voudrais)|[Qq]uiero|[Nn]ecesito)\b|(?<=\s)com(?=\s)|列出|提取|获取|抓取|\b[Ii]ch möchte(?!\p{L})/u;
const isOther = (text: string) => otherLead.test(text) || /\s(?:und|sowie|et|y)\s/.test(text);

/** What divides lists in languages of which no more is read, and what leads them; where nothing else in the goal is known. */
const foreignAnd = /\s(?:en|og|och|e|ed|i|oraz|и|і|та|ve|ja|és|și)\s/iu;
/** Those that are words of no other language here. */
const onlyForeignAnd = /\s(?:og|och|oraz|и|та|és|și)\s/iu;
const foreignLead =
  /(?<!\p{L})(?:met|med|com|z|ze|cu|с|со)(?!\p{L})|^\s*(?:vis|visa|toon|geef|pokaż|wypisz|vypiš|ukaž|listaa|näytä|listázd|mutasd|listele|göster|listează|arată|elenca|mostra|liste)(?!\p{L})/iu;
const isEnglish = (text: string) =>
  /\b(?:and|with|the|of|for|all|each|every|list|show)(?!\p{L})/iu.test(text);

/** How the lists of a goal are written. */
interface Grammar {
  readonly comma: RegExp;
  readonly leads: readonly RegExp[];
  readonly toPhrase: (text: string) => string;
}

function grammarOf(goal: string): Grammar {
  const leads = [lead, otherLead];
  const isForeign = onlyForeignAnd.test(goal) && !isEnglish(goal);
  if (isOther(goal) && !isForeign) return { comma: otherComma, leads, toPhrase: toOtherPhrase };
  if (isEnglish(goal) || !foreignAnd.test(goal)) return { comma, leads, toPhrase };
  return { comma: foreignComma, leads: [...leads, foreignLead], toPhrase: toOtherPhrase };
}

/** Even a single phrase after it is a field. */
const isFieldLead = /^(?:[:：]|with|includ|mit$|samt|inklu|avec|con$|met$|med$|com$|ze?$|cu$|со?$)/iu;
const leading =
  /^(?:and|or|plus|also|as well as|both|the|an?|its|their|his|her|each|every|all|any|me|us|please|of|fields?|i need|i want|for (?:each|every)(?: \p{L}+)?,?)\s+/iu;
/** "the image of this recipe": the part from "of" on does not belong to the name. */
const trailing =
  /\s+(?:of|for|from|in|on|to)\s+(?:this|these|that|those|each|every|all|it|them|the (?:page|site|list|table|product|item))\b.*$|\s+(?:if|where|when)\s+.*$|\s+(?:please|too|as well|respectively|here)$/i;

const otherLeading =
  /^(?:(?:und|sowie|et|y|der|die|das|den|dem|ein|eine|einen|jeweils|le|la|les|un|une|des|de|du|del|leurs?|el|los|las|una|su|sus)\s+|[ld]['’](?=\p{L}))/iu;
const otherTrailing =
  /\s+(?:von|aus|für|pro|auf|de|du|des|pour|dans|sur|del|por|para|en)\s+(?:jed\p{L}+|dies\p{L}+|alle\p{L}*|der|chaque|cette?|ces|tous|toutes|cada|este|esta|estos|todos|todas|la)(?:\s.*)?$|\s+(?:aller|jede[rs])\s.*$|\s+(?:bitte|por favor|auflisten|ausgeben|anzeigen|auslesen|extrahieren|sammeln)$/iu;

/** Ends a sentence as a part of the verb that begins it: "Liste alle Bücher mit Titel und Menge auf". */
const particle = /\s+(?:auf|aus|zusammen|heraus|raus|hervor)\s*$/iu;
/** Those that are as well words of a timetable or a price, behind the verbs that have them. */
const particleOf: readonly (readonly [verb: RegExp, particle: RegExp])[] = [
  [/^\s*(?:bitte,?\s+)?(?:zeig|gib|geben|führ)\p{L}*\s/iu, /\s+an\s*$/iu],
  [/^\s*(?:bitte,?\s+)?(?:ruf|frag|hol|grab)\p{L}*\s/iu, /\s+ab\s*$/iu],
];

function withoutParticle(sentence: string): string {
  const [, own = particle] = particleOf.find(([verb]) => verb.test(sentence)) ?? [];
  return sentence.replace(own, '').replace(particle, '');
}

function toPhrase(text: string): string {
  let phrase = text
    .replace(/^.*\p{L}['’]s?\s+(?=\p{L})|[“”„"`]/gu, '')
    .replace(/\([^)]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  for (let before = ''; before !== phrase; ) {
    before = phrase;
    phrase = phrase.replace(leading, '').replace(trailing, '').trim();
  }
  return phrase;
}

function toOtherPhrase(text: string): string {
  let phrase = toPhrase(text);
  for (let before = ''; before !== phrase; ) {
    before = phrase;
    phrase = phrase.replace(otherLeading, '').replace(otherTrailing, '').trim();
  }
  return phrase;
}

const comma = /[,;\n،؛、，；]|\s+and\s+|\s+&\s+|\s+plus\s+|\s+as well as\s+/i;
const otherComma = new RegExp(`${comma.source}|\\s+(?:und|sowie|et|ainsi que|y|así como|ed?)\\s+`, 'i');
const foreignComma = new RegExp(`${comma.source}|${foreignAnd.source}`, 'iu');

/** "Price, but not rating" asks for no rating. */
const without = /^(?:but\s+)?(?:not|no|without|except|excluding|ohne|außer|sans|sauf|sin|excepto)\s/i;

const courtesy = /^(?:please|thanks|thank you|bitte|danke|merci|por favor|gracias)$/i;

/** The phrases of a list, such as "name, price and image"; empty if it is not a list of short phrases. */
function phrasesIn(text: string, { comma: dividing, toPhrase: toOwnPhrase }: Grammar): string[] {
  const phrases = text
    .split(dividing)
    .map(toOwnPhrase)
    .filter((phrase) => phrase !== '' && !without.test(phrase) && !courtesy.test(phrase));
  const isList = phrases.every((phrase) => phrase.split(' ').length <= maxWords && /\p{L}/u.test(phrase));
  return isList ? phrases.slice(0, maxFields) : [];
}

/** Where the next list may begin. */
function findLead(text: string, { leads }: Grammar): RegExpExecArray | undefined {
  const found = leads.map((one) => one.exec(text)).filter((one) => one !== null);
  return found.sort((one, other) => one.index - other.index)[0];
}

/** "Title and price of each book": a list that nothing leads, before what has the fields. */
const listOf =
  /^(?<list>.+?)\s(?:(?:of|for|from)\s(?=(?:each|every|all)\b)|(?:von|aus)\s(?=(?:jede[rsmn]?|allen)\s)|(?=(?:aller|jede[rs])\s)|d[e']\s?(?=(?:chaque|tou[st]e?s?|cada|tod[oa]s)\s))(?<subject>.+)$/iu;

interface List {
  readonly phrases: readonly string[];
  /** Ends with the lead. */
  readonly before: string;
  readonly lead: string;
}

/** The text after each lead, up to the end of the sentence. */
function listsIn(sentence: string, grammar: Grammar) {
  const lists: List[] = [];
  const { list = '', subject = '' } = listOf.exec(sentence)?.groups ?? {};
  const own = findLead(list, grammar) === undefined ? phrasesIn(list, grammar) : [];
  if (own.length > 1) lists.push({ phrases: own, before: subject, lead: '' });
  // "Title, company and salary": nothing but the list. Whether "fruit and vegetables" are columns, those of the page decide.
  const bare = list === '' && findLead(sentence, grammar) === undefined ? phrasesIn(sentence, grammar) : [];
  if (bare.length > 1) lists.push({ phrases: bare, before: sentence, lead: '' });
  let rest = sentence;
  let before = '';
  for (let match = findLead(rest, grammar); match !== undefined; match = findLead(rest, grammar)) {
    before += rest.slice(0, match.index + match[0].length);
    rest = rest.slice(match.index + match[0].length);
    const phrases = phrasesIn(rest, grammar);
    // "Show me the boats" names no field.
    if (phrases.length > 1 || isFieldLead.test(match[0])) lists.push({ phrases, before, lead: match[0] });
  }
  return lists;
}

/** The phrases that a list needs to be meant in place of one before. "With price incl. VAT and stars" has one list. */
const leastAfter = (before: List, lead: string) =>
  Math.max(1, before.phrases.length + (isFieldLead.test(before.lead) && /^in[ck]l\.$/i.test(lead) ? 1 : 0));

/** No full stop of an abbreviation: "No. of rooms", "Price incl. VAT". */
const sentenceEnd =
  /[!?](?:\s+|$)|(?<!(?<!\p{L})(?:[Ii]n[ck]l|[Ee]x[ck]l|[Aa]pprox|[Nn]os?|[Nn]r|[Mm]in|[Mm]ax|[Aa]vg|[Ee]st|[Qq]ty|[Tt]el|[Rr]ef|[Vv]ol|[Tt]emp|[Cc]a|[Aa]nz|[Nn]úm))\.\s+(?!\p{Ll})|\.$|[。！？؟]|\n{2,}/u;

/** Begins a sentence that adds to the list of another: "Also the rating." */
const adding =
  /^\s*(?:(?:please|and|also|plus|add|additionally|in addition|include|auch|außerdem|dazu|aussi|ajoute[rz]?|también|además|incluye|añade)(?!\p{L}),?\s*)+/iu;
/** Stands before what a sentence asks for: "For each room I also need". */
const asking = /^\s*(?:(?:for (?:each|every|all)(?: \p{L}+){0,2},?|please|then|i|also)\s+)*/iu;
/** "Include all pages", "Also sold-out rooms of the next pages": rows, or a thing to do. */
const isOfRows = (phrase: string) =>
  /^(?:all|every|each|any|only|no)\b/i.test(phrase) || phrase.split(' ').length > 3;

/** The last lead before the most phrases: in "get every opinion with name and date" the text after "with". */
const bestOf = (lists: readonly List[], goal: string): List =>
  lists.reduce<List>((most, list) => (list.phrases.length >= leastAfter(most, list.lead) ? list : most), {
    phrases: [],
    before: goal,
    lead: '',
  });

/** What the sentence asks for beside the list of another one. */
function furtherIn(sentence: string, grammar: Grammar): readonly string[] {
  const said = sentence.replace(adding, '');
  const { phrases } = bestOf(listsIn(said, grammar), said);
  if (said !== sentence && phrases.length < 2) return isOfRows(said.trim()) ? [] : phrasesIn(said, grammar);
  const isAsking = said !== sentence || findLead(sentence.replace(asking, ''), grammar)?.index === 0;
  return isAsking && phrases.length > 1 ? phrases : [];
}

/** Words for the signs by which phrases may differ alone: "change" and "% change", "price €" and "price $". */
const signs: Readonly<Record<string, string>> = {
  '%': 'percent',
  '€': 'eur',
  $: 'usd',
  '£': 'gbp',
  '#': 'number',
  '+': 'plus',
};
const anySign = /[%€$£#+]/g;
const signsIn = (phrase: string): string => (phrase.match(anySign) ?? []).join('');

const keyOf = (name: string): string => name.replace(/s(?=_|$)/g, '');

/** "Nombre" is a name in Spanish and a count in French. */
const isFrench = (goal: string): boolean => /(?<!\p{L})(?:avec|tou(?:s|tes)|chaque|et)(?!\p{L})/iu.test(goal);

/** A field for each phrase; phrases that differ by a plural alone are one. */
function toFields(phrases: readonly string[], goal: string): readonly GoalField[] {
  const fields = new Map<string, GoalField>();
  const toKey = (phrase: string) => keyOf(toFieldName(phrase));
  for (const phrase of phrases) {
    const isAlone = phrases.every(
      (other) => toKey(other) !== toKey(phrase) || signsIn(other) === signsIn(phrase),
    );
    const said = isAlone ? phrase : phrase.replace(anySign, (sign) => ` ${signs[sign]} `);
    const name = toFieldName(said);
    const meant = name === 'nombre' && isFrench(goal) ? `${phrase} quantité` : phrase;
    if (name !== '' && !fields.has(keyOf(name))) fields.set(keyOf(name), { name, phrase: meant });
  }
  return [...fields.values()];
}

export function readGoal(text: string): Goal {
  const goal = text.slice(0, maxGoal).trim();
  const sentences = goal
    .replace(sorting, ' ')
    .split(sentenceEnd)
    .filter((sentence) => sentence.trim() !== '')
    .map((sentence) => (isOther(sentence) ? withoutParticle(sentence) : sentence));
  const grammar = grammarOf(goal);
  const found = sentences.map((sentence) => ({ sentence, list: bestOf(listsIn(sentence, grammar), goal) }));
  const own = found.filter(({ sentence }) => !adding.test(sentence));
  const best = bestOf(
    (own.length > 0 ? own : found).map(({ list }) => list),
    goal,
  );
  const others = found.filter(({ list }) => list !== best && best.phrases.length > 0);
  const added = others.flatMap(({ sentence }) => furtherIn(sentence, grammar));
  const fields = toFields([...best.phrases, ...added], goal);
  const [first = ''] = sentences;
  const isBefore = best.phrases.length > 0 && first.includes(best.before);
  const said = isBefore ? best.before.slice(0, best.before.length - best.lead.length) : first;
  const [restriction = ''] = restricting.exec(said) ?? [];
  const subject = said.replace(restriction, ' ');
  const order = (superlative.exec(subject) ?? sorting.exec(goal))?.[0];
  const unmet = [order, restriction].flatMap((words) => words?.trim() || []);
  return {
    fields,
    subject: (isOther(goal) ? subject.replace(articles, ' ') : subject)
      .replace(superlative, ' ')
      .replace(lead, ''),
    many: manyIn(goal),
    searches: /^\s*(?:search|find|suche|finde|cherche|busca)\b|\bsearch(?:es)? (?:for|by)\b/i.test(goal),
    order: unmet.length === 0 ? undefined : unmet.join(', '),
  };
}

const articles =
  /(?<!\p{L})(?:der|die|das|den|dem|des|mit|auf|von|aus|le|la|les|du|de|et|sur|los|las|el|con|y|en)(?!\p{L})/giu;

/** Ask for an order of the rows, or for the first rows of one. */
const superlative = new RegExp(
  [
    '\\b(?:the\\s+)?(?:\\d+\\s+)?(?:cheapest|dearest|priciest|newest|latest|oldest|earliest|best|worst|highest|lowest|biggest|largest|smallest|longest|shortest|fastest|slowest)(?:[\\s-](?:rated|paid|priced|selling))?(?:\\s+\\d+)?(?=\\s)',
    '\\b(?:the\\s+)?(?:top|first|last)(?:\\s+(?:\\d+|three|five|ten|twenty))?(?=\\s+\\p{L})',
    '\\b(?:the\\s+)?(?:most|least)\\s+(?:recent|popular|expensive|viewed|read|voted|commented)\\b',
    '(?<!\\p{L})(?:d(?:ie|er|as|en)\\s+)?(?:billigste|günstigste|teuerste|neueste|älteste|beste|größte|kleinste|höchste|niedrigste|meistgelesene)[nrsm]?(?=\\s)',
    '(?<!\\p{L})(?:l(?:es?|a)\\s+)?(?:(?:plus|moins)\\s+(?:chers?|chères?|récente?s?|anciens?|anciennes?|populaires?)|meilleure?s?)(?!\\p{L})',
    '(?<!\\p{L})(?:(?:más|menos)\\s+(?:barat[oa]s?|car[oa]s?|recientes?|antigu[oa]s?|nuev[oa]s?|populares?)|mejores)(?!\\p{L})',
  ].join('|'),
  'iu',
);
const sorting =
  /(?<!\p{L})(?:(?:sorted|ordered|ranked|sort|order)\s+by|(?:sortiert|geordnet)\s+nach|(?:tri|class)ée?s?\s+par|ordenad[oa]s?\s+por)\s+(?:the\s+|dem\s+|le\s+|el\s+)?\p{L}+(?:\s+(?:asc|desc|auf|ab|croi|décroi)\p{L}*)?/iu;

/** Ask for some of the rows: those below a price, since a day, in a state. */
const restricting = new RegExp(
  [
    `(?<!\\p{L})(?:${[
      'under|below|over|above|(?:less|more|fewer|cheaper|older|younger|newer) than|at (?:least|most)|up to|between|since|before|after|until',
      'unter|über|ab|bis(?: zu)?|(?:mehr|weniger) als|mindestens|höchstens|zwischen|seit|vor|nach',
      "(?:moins|plus) d[e'’]|au (?:moins|plus)|jusqu['’]à|entre|depuis|avant|après",
      '(?:menos|más) de|al menos|hasta|desde|antes de|después de',
    ].join('|')})\\s+(?:\\P{L}*\\d|\\p{L}+ \\d).*$`,
    '(?<!\\p{L})(?:(?:that|which) (?:are|is|have|cost|were)) .*\\d.*$',
    '(?<!\\p{L})(?:in stock|on sale|sold out|auf Lager|im Angebot|ausverkauft|en stock|en promotion|en oferta|agotad[oa]s)(?!\\p{L})',
  ].join('|'),
  'iu',
);

function manyIn(goal: string): boolean | undefined {
  if (/\b(?:all|every|each|list all|lists?\b(?! of))\b/i.test(goal)) return true;
  if (
    /(?<!\p{L})(?:alle[rsn]?|jede[rsnm]?|sämtliche|tous|toutes|chaque|todos|todas|cada|liste|lista)(?!\p{L})/iu.test(
      goal,
    )
  )
    return true;
  if (
    /\b(?:this|the) (?:recipe|article|product|page|event|book|item|post|job|film|movie|person|company)\b/i.test(
      goal,
    )
  )
    return false;
  return undefined;
}

/** "Punkten", as behind "mit", is "punkte". */
const withoutEnding = (name: string): string => name.replace(/(?<=\p{L}{3})(?:e?n|e|s)$/u, '');

/** The names of the goal's fields for which no chosen name is the same or a synonym. "Title" is no "name" where both are asked for. */
export function absentFields({ fields }: Goal, names: readonly string[]): string[] {
  const others = names.filter((one) => !fields.some(({ name }) => name === one));
  const chosen = new Set(others.flatMap(toConcepts));
  const forms = new Set(names.map(withoutEnding));
  return fields
    .filter(({ name, phrase }) => {
      const words = toConcepts(phrase);
      return (
        !forms.has(withoutEnding(name)) && (words.length === 0 || !words.some((word) => chosen.has(word)))
      );
    })
    .map(({ name }) => name);
}
