/** A goal's text made plain before it is read: lists, JSON and types as lists of words, and what is said in many words in one. */
import { withQualifiers } from './goal-qualifiers.ts';
import { imperatives, type Language } from './goal-words.ts';
import { isFieldWord } from './vocabulary.ts';

const bullet = /^\s*(?:[-*•–·▪◦+]|\d{1,2}[.)]|\([a-z\d]\))\s+(\S.*)$/;
const typeNames =
  'string|str|text|number|numeric|integer|int|float|double|decimal|boolean|bool|date|datetime|timestamp|url|uri|array|list|object|null|any';
const typed = new RegExp(
  `(?<![\\p{L}\\w])([\\p{L}\\w][\\p{L}\\w -]{0,40}?)\\s*\\??\\s*[:=]\\s*(?:${typeNames})(?:\\[\\]|<\\w+>)?(?=\\s*(?:[,;|)\\]}\\n]|$))`,
  'giu',
);

/** Lines that are the items of a list, as one: what explains an item is left out. */
function withoutLines(goal: string): string {
  const lines = goal.split('\n');
  let isListing = false;
  return lines
    .map((line, index) => {
      const item =
        bullet.exec(line)?.[1] ??
        // Short lines after one that ends with a colon.
        (isListing || /:\s*$/.test(lines[index - 1] ?? '')
          ? /^\s*[\p{L}\w][^.?!:,;]{0,40}[,;]?\s*$/u.exec(line)?.[0]
          : undefined);
      const [first = ''] = (item ?? '').toLowerCase().split(/\s+/);
      const isItem = item !== undefined && !(imperatives.has(first) && first !== 'list');
      const before = isListing ? ' , ' : isItem ? ' : ' : '\n';
      const text = isItem ? item.replace(/\s*(?:[:=]\s|:$|\s[-–—]\s).*$|[.,;]\s*$/u, '') : (item ?? line);
      const joined = `${isListing && !isItem ? '\n' : index === 0 && !isItem ? '' : before}${text}`;
      isListing = isItem;
      return joined;
    })
    .join('')
    .replace(/[.:,;]\s* : /g, ' : ');
}

/** `{"title": "…", "price": 0}` and `title: string, price: number`: the names alone. */
function withoutTypes(goal: string): string {
  const plain = goal.replace(
    /(?:\[\s*)?[[{][^[\]{}]{0,200}?["'`]?[\p{L}\w]["'`]?\s*\??:[\s\S]*[\]}]/u,
    (data) => {
      const bare = data.replace(/:\s*(["'`])[\s\S]*?\1/g, ': _');
      const names = [...bare.matchAll(/["'`]?([\p{L}\w][\p{L}\w -]{0,60})["'`]?\s*\??:(?!\/)/gu)];
      if (names.length === 0) return data;
      // An array is of many.
      return ` { ${names.map(([, name]) => name).join(' , ')} } ${data.startsWith('[') ? 'of all ' : ''}`;
    },
  );
  return (plain.match(typed) ?? []).length >= 2 ? plain.replace(typed, '$1') : plain;
}

/** "Vor- und Nachname": both in full. */
function inFull(whole: string, beginning: string, join: string, word: string): string {
  for (let from = word.length - 4; from >= 3; from--) {
    const end = word.slice(from).toLowerCase();
    if (isFieldWord(end) || isFieldWord(end.normalize('NFKD').replace(/\p{M}/gu, '')))
      return `${beginning}${end} ${join} ${word}`;
  }
  return whole.replace('- ', ' ');
}

const formats = 'json|csv|tsv|xml|yaml|markdown|excel|xlsx|html|ndjson|jsonl';
const shapes = `${formats}|tabelle|tableau|tabla|tabella|tabel|tabela|spreadsheet|table|array|objects?|dictionary|rows|records|list`;
const orderWords =
  'sort(?:ed|ing)?(?: them| it| the \\p{L}+)? (?:by|in|from|alphabetically|ascending|descending)|order(?:ed|ing)?(?: them| it)? by|(?:ranked|grouped) by|sortiert nach|geordnet nach|tri[ée]+e?s? (?:par|selon)|class[ée]+e?s? par|ordenad[oa]s? por|ordinat[ieoa] per|gesorteerd op|gerangschikt op';

/** What stands for what; each is replaced wherever it is found, in this order. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/\S+/g, ' '],
  [/[’‘`´]/g, "'"],
  [/(?<![\p{L}\d])'|(?<!s)'(?![\p{L}\d])/gu, ' '],
  [/["“”„«»*¿¡]/g, ' '],
  [/\b(?:i\.?\s?e\.|d\.\s?h\.|c\.-à-d\.|that is,|namely)/gi, ' : '],
  [/\b(?:e\.?\s?g\.|z\.\s?b\.|p\.\s?ej\.|p\.\s?ex\.)/gi, ' eg '],
  [/(?<=\p{L})\.(?=\p{L})/gu, ''],
  [/(?<=\d)[.,](?=\d)/g, ''],
  [/\b(no|nr|tel|max|min|avg|temp|approx|ca|excl|incl|inkl|etc|pa|vs|str)\.(?!\s*$)/gi, '$1 '],
  [/\bno of\b/gi, 'number of'],
  [/\.(?=\s*[,;:)\]])/g, ''],
  [/\.(?=\s+(?:and|or|und|oder|et|ou|y|e|en)\b)/g, ''],
  [/\b(?:pls|thx)\b/gi, ' '],
  [/\bfinde[tn]\b([^.?!]{0,80}?)\bstatt\b/gi, '$1'],
  // How it is to be given, in what order, and what for.
  [
    new RegExp(
      `\\b(?:as|in|to|into|als|im|en|au|sous|come|como|em)\\s+(?:(?:an?|the|un|une|eine|einer|valid|clean|pure|structured|form of|forme de|formato?|formaat)\\s+)*(?:(?:${formats})(?:\\s+(?:format|array|objects?|file|datei|table|output|lines))?|(?:${shapes}))\\b(?:\\s+of\\s+(?:objects|json|rows|records))?(?!\\s+(?:of|with))`,
      'giu',
    ),
    ' ',
  ],
  [/\b(?:an? )?(?:array|list) of (?:objects|dictionaries|records)\b/gi, ' '],
  [new RegExp(`[,;]?\\s*(?:${orderWords})\\b[^,;:.?!()\\n]*`, 'giu'), ' '],
  [
    /[,;]?\s*\b(?:newest|latest|most recent|cheapest|highest|lowest|oldest|best) first\b|\bin alphabetical order\b/gi,
    ' ',
  ],
  [
    /\b(?:so that|so (?:i|we) can|because|in order to|afin de|damit ich|damit wir|para que)\b[^.?!:\n]*/gi,
    ' ',
  ],
  [/\b(?:e\.?g\.?|i\.?e\.?|z\.\s?b\.?|zb)\s/gi, ' eg '],
  [/\b(?:such as|for example|for instance|zum beispiel|par exemple|por ejemplo|ad esempio)\b/gi, ' eg '],
  [/[,(]?\s*\b(?:etc|usw|and so on|and such)\b/gi, ' '],
  // Exclusions.
  [
    /\b(?:do(?:n't| not)|no need to|never|please don't) (?:include|need|want|return|list|show|give|take|care about|add)(?: me)?\b|\b(?:leav(?:e|ing)|left) out\b|\bbut not\b|\bnot including\b|\b(?:apart|aside) from\b|\b(?:other|rather) than\b|\binstead of\b|\bexcept(?:ing)?(?: for)?\b|\b(?:à l'exception|a excepci[oó]n) d[eu]\b/gi,
    ' without ',
  ],
  [/\b(\p{L})-(?=\p{L}{3})/gu, '$1'],
  // Words that say nothing.
  [/\b(?:interface|type|class|struct|enum)\b(?= \w+\s*[{=])/g, ' '],
  [/\b(?:data points?|pieces of (?:information|data))\b/gi, ' fields '],
  [/\b(?:api|action|tool|endpoint|function|feed|script) (?:that|which|to) \p{L}+/giu, ' get '],
  [
    /\b(?:h[äa]tten?(?: ich| wir)? gern|h[äa]tte(?: ich| wir)? gerne|w[üu]rde(?: ich)? gerne?|je souhait(?:e|erais)|me gustar[ií]a|mi piacerebbe|ik zou graag|gostaria de|s'il (?:vous|te) pla[iî]t|svp|por favor|per favore|bitte|danke|merci|gracias|grazie|obrigad[oa]|alstublieft)\b/giu,
    ' ',
  ],
  [/\b(?:preciso|precisamos|besoin) d(?:[eoa]s? |')/gi, ' '],
  [/\b(?:aber|but|mais|pero|maar|mas)\b(?= (?:ohne|without|no|not|sans|sin|sem|zonder)\b)/gi, ' '],
  [/\bwhy\b/gi, ' reason '],
  [/\b(?:looking|searching|interested)(?: for| in| at)\b/gi, ' get '],
  [/\b(?:everyone|everybody)\b|\beverything(?= (?:in|on|from|at)\b)/gi, ' all '],
  [/\b(?:everything|anything)\b/gi, ' '],
  [/\bdonne[zr]?-(?:moi|nous)\b/gi, ' '],
  [/\bby (?:a |any )?(?:keywords?|query|search terms?)\b/gi, ' '],
  // Contractions and short forms.
  [/\b(what|who|where|when|how|it|that|there|here)'s\b/gi, '$1 is'],
  [/'(?:m|re|ve|ll|d)\b/gi, ' '],
  [/\b(l|d|qu|j|n|s|c|un|dell|all|nell|sull|degl|dall)'(?=\p{L})/giu, '$1 '],
  [/n't\b/g, ' '],
  [/\b(?:incl|inkl)\b/gi, ' including '],
  [/\bw\/\s*/gi, ' with '],
  [/\b(?:along|together) with\b/gi, ' with '],
  [/\by compris\b/gi, ' avec '],
  [/\b(?:as well as|and also|sowie|ainsi que|as[ií] como|nonch[eé])\b/gi, ' , '],
  [/\band\/or\b/gi, ' and '],
  [
    /\/(?=(?:night|day|week|month|year|hour|person|kg|unit|item|piece|nacht|tag|monat|nuit|mois|jour|noche|mes|notte|mese|maand)\b)/gi,
    ' per ',
  ],
  [/\b(km|m|mi|mb|gb|€|\$|£)\/(h|s|m|km|m2|kg)\b/gi, '$1$2'],
  [/\b(\p{L})\/(\p{L})\b/gu, '$1$2'],
  [/\s[+&]\s|[•、，]|\s\|\s/g, ' , '],
  [/[-–—]\s|\s[-–—]/g, ' : '],
  // Questions.
  [
    /\b(?:is|are|if|whether) (?:it|they|each|every one) (?:is |are )?(?:still )?(?:in[- ]stock|available)\b/gi,
    ' , availability ',
  ],
  [
    /\b(?:whether|ob)\b(?: (?:it|they|he|she|there|this|is|are|was|were|has|have|had|been|be|in|on|at|for|an?|the|still|also|sie|es|er|das|die)\b)*/gi,
    ' ',
  ],
  [/\bin[- ]stock\b/gi, ' availability '],
  [
    /\b(?:for )?how much (?:is|are|does|do|would|will|for)?\s*((?:\p{L}+ ){0,4}?)costs?\b/giu,
    ' price of $1 ',
  ],
  [
    /\b(?:for )?how much(?: (?:is|are|for)(?: the)? (?:price|rent|fee|cost|deposit|admission)\b)/gi,
    ' price ',
  ],
  [/\b(?:for )?how much\b(?: (?:is|are|does|do|would|will|for)\b)?/gi, ' price of '],
  [/\b(?:was|wie ?viel) koste(?:t|n)\b|\bwie teuer (?:ist|sind)?\b/gi, ' preis von '],
  [/\bcombien co[uû]te(?:nt)?\b/gi, ' prix de '],
  [/\bcu[aá]nto cuestan?\b/gi, ' precio de '],
  [/\bquanto costano?\b/gi, ' prezzo di '],
  [/\bhoeveel kost(?:en)?\b/gi, ' prijs van '],
  [/\bquanto custam?\b/gi, ' preço de '],
  [/\bhow many(?= (?:does|do|did|can|will)\b)/gi, ' '],
  [/\bhow many\b/gi, ' number of '],
  [/\bhow long(?= (?:is|are)\b)/gi, ' length of '],
  [/\bhow long(?:(?: does| do)? (?:it|they|each|this) (?:take|last|run)s?)?\b/gi, ' duration of '],
  [/\bhow (?:tall|high)\b/gi, ' height of '],
  [/\bhow (?:big|large)\b/gi, ' size of '],
  [/\bhow heavy\b/gi, ' weight of '],
  [/\bhow far\b/gi, ' distance of '],
  [/\bhow (?:expensive|dear|cheap)\b/gi, ' price of '],
  [/\bhow old\b/gi, ' age of '],
  [/\b(?:is|are) it\b/gi, ' '],
  [/\bwhat (?:do|does|will|would|did) ((?:\p{L}+ ){1,4}?)costs?\b/giu, ' cost of $1 '],
  // What is said of a place.
  [/\bwhere (?:it|they|the \p{L}+) (?:goes|go|heads|runs)(?: to)?\b/giu, ' destination '],
  // "van elke auto de naam", "de chaque voiture le prix": what follows the article is asked for.
  [
    /\b((?:elke|iedere) \p{L}+(?= (?:de|het) )|jede[mrs] \p{L}+(?= (?:den|die|das|der|dem) )|chaque \p{L}+(?= (?:les?|la) )|cada \p{L}+(?= (?:el|l[ao]s?|os?) )|ogni \p{L}+(?= (?:il|l[aoe]|i|gli) )|(?:every|each) \p{L}+(?= the ))/giu,
    '$1 : ',
  ],
  [/\bwhere (?:it|they|the \p{L}+) (?:leaves?|departs?|starts?|comes?)(?: from)?\b/giu, ' origin '],
  [
    /\b(?:number|amount|count|total number|quantity) of (?:the |its |their |all )?(?=\p{L})/giu,
    ' number_of ',
  ],
  [/\b(?:anzahl|zahl) (?:der |von |an )?(?=\p{L})/giu, ' anzahl_ '],
  [/\b(antal|antall|pocet|počet|liczba) (?=\p{L})/giu, ' $1_ '],
  [/\baantal (?=\p{L})/giu, ' aantal_ '],
  [/\b(n[uú]mero) (de|di) (?=\p{L})/giu, ' numero_$2 '],
  [/(?<=\p{L}s)'(?=\s+\p{L})|'s\b/gu, ' of-owner '],
];
const halves = /\b(\p{L}{3,})- (und|en|oder|of|och|og) (\p{L}{6,})/giu;

export function preparedGoal(goal: string, language: Language): string {
  const listed = withoutLines(withoutTypes(goal.normalize('NFKC')))
    .replace(halves, inFull)
    .replace(/(?:^|\s)\d[.)]\s+(?=\p{L})/gu, ' , ');
  const text = replacements.reduce(
    (before, [pattern, by]) => before.replace(pattern, by),
    withQualifiers(` ${listed} `),
  );
  // In Spanish it is a name.
  return language.fillers.has('je') ? text.replace(/\bnombre (?:de |d )(?=\p{L})/giu, ' nombre_de ') : text;
}
