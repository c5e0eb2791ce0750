/** The words of a goal that say how it is built, in the languages that goals are mostly written in. */

interface Language {
  /** What is asked to be done, and other words that name nothing. */
  readonly fillers: ReadonlySet<string>;
  /** Words after which fields are listed. */
  readonly opens: ReadonlySet<string>;
  readonly joins: ReadonlySet<string>;
  /** Words after which the context follows: what the fields are of, or where they are. */
  readonly context: ReadonlySet<string>;
  /** Words that ask for many. */
  readonly many: ReadonlySet<string>;
  /** Words before one thing that is known. */
  readonly one: ReadonlySet<string>;
}

/** The words of a text, however it is broken into lines. */
export const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const english: Language = {
  fillers: words(`
    get list extract show find return fetch scrape collect give need want would like please retrieve pull grab obtain
    monitor track build building create make look up provide output capture gather crawl parse download have has tell
    know see check watch compare analyze compile export import save read store generate identify
    i me my we us you your our it they he she a an the this that these those is are be was were am been being do does
    did can could should will what which some any all every each both only just also too very here there then if
    possible about specific certain particular different various multiple several today todays tomorrow now
    latest current currently newest recent upcoming coming next available listed shown displayed given basic following
    page pages site sites website homepage front data dataset info information detail details field fields
    column columns record records list listing listings table tables result results row rows entry entries item items
    thing things complete entire whole full one single individual action api json csv structured respective
    corresponding well optional optionally necessary present exist exists first top best most popular main
    interested wanted needed required used goal task able keep trying working using use app dashboard project
    hi hello hey thank thanks cheers dear kindly help im ive id lets
    spreadsheet sheet overview set kind type sort part parts cover covering contents on-site existing
  `),
  opens: words(
    'with including include includes included containing contain contains showing plus namely incl having their its as his her whose incl: like',
  ),
  joins: words('and or'),
  context: words(
    'of for from in on at to per by into within using via through under over so when that where because than about behind between around near',
  ),
  many: words(
    'all every each list lists table rows entries items listing listings results latest newest top several',
  ),
  one: words('this the a an that'),
};

const german: Language = {
  fillers: words(`
    ich brauche mir uns wir gib gebe zeige zeig hole hol finde suche liste extrahiere lies sammle bitte mochte will
    alle aller allen jede jeder jedes jeden die der das den dem des ein eine einen einer eines sind ist wird werden
    aktuell aktuelle aktuellen aktuellem neueste neuesten seite website daten angaben infos informationen sowie auch
    samtliche samtlichen was welche welcher wie kostet hat haben auf dieser gesamte gesamten jeweils jeweiligen
    zusammen kompletten komplette tabelle ubersicht
  `),
  opens: words('mit inklusive inkl samt einschliesslich ihre ihren ihrem jeweils namlich'),
  joins: words('und oder sowie'),
  context: words('von vom fur aus in im auf bei zu zum zur pro am an uber der des'),
  many: words('alle aller allen jede jeder jedes liste tabelle samtliche samtlichen neueste neuesten'),
  one: words('dieser dieses diesem diese das der die'),
};

const french: Language = {
  fillers: words(`
    je veux voudrais recuperer recupere extraire extrais donne donner moi obtenir lister liste trouver afficher montre
    toutes tous tout toute les le la l des un une ces cette ce sont est page site donnees informations chaque quels
    quelles quel quelle avec leurs leur ainsi que actuelles derniers dernieres derniere dernier
  `),
  opens: words('avec incluant leur leurs dont comprenant son sa ses'),
  joins: words('et ou'),
  context: words('de du d des pour sur dans par en a au aux depuis'),
  many: words('toutes tous chaque liste les des'),
  one: words('ce cette cet le la l un une'),
};

const spanish: Language = {
  fillers: words(`
    quiero necesito dame obtener obten extraer extrae lista listar mostrar muestra buscar todos todas todo toda los las
    el la lo un una unos unas estos estas este esta son es pagina sitio datos informacion cada que cuales cual
    ultimas ultimos me junto
  `),
  opens: words('con incluyendo su sus incluidos incluido'),
  joins: words('y e o u'),
  context: words('de del para en por a al desde'),
  many: words('todos todas cada lista los las'),
  one: words('este esta el la un una'),
};

const italian: Language = {
  fillers: words(`
    voglio vorrei dammi ottieni estrai estrarre elenca elenco lista mostra trova tutti tutte tutto il lo la i gli le un
    una uno questi queste questo questa sono pagina sito dati ogni ultimi ultime che
  `),
  opens: words('con inclusi incluso incluse suo sua loro'),
  joins: words('e o ed'),
  context: words('di del della dei delle degli dell per su in da nel nella'),
  many: words('tutti tutte ogni elenco lista'),
  one: words('questo questa il la un una'),
};

const dutch: Language = {
  fillers: words(`
    ik wil geef mij haal toon zoek lijst verzamel alle elke iedere de het een deze dit die zijn is pagina website
    gegevens van graag nodig heb
  `),
  opens: words('met inclusief hun'),
  joins: words('en of'),
  context: words('van voor uit in op bij per naar'),
  many: words('alle elke iedere lijst'),
  one: words('deze dit het de een'),
};

const portuguese: Language = {
  fillers: words(`
    quero preciso me de extrair extraia obter obtenha listar liste lista mostrar todos todas todo o a os as um uma uns
    estes estas este esta sao pagina site dados cada que
  `),
  opens: words('com incluindo seu sua seus suas'),
  joins: words('e ou'),
  context: words('de do da dos das para em no na por'),
  many: words('todos todas cada lista os as'),
  one: words('este esta o a um uma'),
};

const russian: Language = {
  fillers: words(
    'получить получи собрать собери список покажи показать найди извлечь извлеки мне все всех каждый каждого каждои страницы саита',
  ),
  opens: words('с со включая их'),
  joins: words('и или'),
  context: words('из для на в по от к'),
  many: words('все всех каждый каждого список'),
  one: words('этот эта это'),
};

const polish: Language = {
  fillers: words(`
    chce chcialbym potrzebuje podaj pokaz wyswietl pobierz znajdz lista liste listy wszystkie wszystkich wszystko kazdy
    kazdego kazdej kazda ten ta to te jest sa strona strony stronie witryny dane danych oraz prosze mi ich jego jej tej tego
  `),
  opens: words('z ze wraz zawierajace obejmujace'),
  joins: words('i oraz lub albo'),
  context: words('dla na w od do przez o'),
  many: words('wszystkie wszystkich kazdy kazdego kazdej kazda lista liste'),
  one: words('ten ta to tej tego'),
};

const swedish: Language = {
  fillers: words(`
    jag vill ha behover ge mig visa hamta hitta lista listan alla varje samtliga den det de en ett ar sida sidan
    webbplatsen uppgifter fran denna dessa deras dess tack
  `),
  opens: words('med inklusive samt deras dess'),
  joins: words('och eller samt'),
  context: words('for av i pa till fran hos om'),
  many: words('alla varje samtliga lista listan'),
  one: words('denna detta den det en ett'),
};

const danish: Language = {
  fillers: words(`
    jeg vil gerne have trenger brug behov giv gi meg mig vis hent finn find liste listen alle hver hvert hvert samtlige den
    det de en et er siden side nettsted hjemmesiden opplysninger oplysninger denne dette disse deres
  `),
  opens: words('med inklusive inkludert samt deres'),
  joins: words('og eller samt'),
  context: words('for af av i pa til fra hos om'),
  many: words('alle hver hvert samtlige liste listen'),
  one: words('denne dette den det en et'),
};

const czech: Language = {
  fillers: words(`
    chci chtel potrebuji dej ukaz zobraz najdi ziskej seznam vypis vsechny vsech vsechno kazdy kazde kazdeho kazdou tento
    tato toto je jsou stranka stranky strance webu udaje prosim mi jejich jeho
  `),
  opens: words('s se vcetne'),
  joins: words('a i nebo'),
  context: words('pro na v z ze od do o u k'),
  many: words('vsechny vsech kazdy kazde kazdeho kazdou seznam'),
  one: words('tento tato toto'),
};

/** The words of English, which all goals may use, and of the language that the goal is in besides. */
export function languageOf(tokens: readonly string[]): Language {
  const hits = ({ fillers, opens, joins, context }: Language) =>
    tokens.filter((token) => fillers.has(token) || opens.has(token) || joins.has(token) || context.has(token))
      .length;
  let best = english;
  let most = hits(english);
  for (const other of [
    german,
    french,
    spanish,
    italian,
    dutch,
    portuguese,
    russian,
    polish,
    swedish,
    danish,
    czech,
  ]) {
    const count = hits(other);
    if (count > most) [best, most] = [other, count];
  }
  return best;
}
export const isEnglish = (language: Language) => language === english;
export type { Language };

const connecting = words('search query filter everything s');
/** Whether the word says nothing of what a goal is about. */
export const isFiller = (word: string) =>
  [english.fillers, english.opens, english.joins, english.context, connecting].some((set) => set.has(word));

/** Verbs that open a sentence: what follows is asked for. */
export const imperatives = words(
  'get list extract show find return fetch scrape collect give retrieve pull grab obtain provide output read need want',
);
/** Words that tell a field from another of its kind: kept where fields are listed. */
export const adjectives = words('current new full first main original total available next latest top best');
/** Fillers that are fields where they stand alone in a list. */
export const alsoFields = words(
  'website site type page detail details kind part parts contents rows list result',
);
/** Fields that are asked for by themselves: "prices of …", "contact emails". */
export const attributes =
  'title price url image date rating email phone description salary hour score location'.split(' ');
/** Where one of these is asked for, the goal does not mean one thing. */
export const collections = words(
  'list table feed menu catalog catalogue chart ranking schedule timetable directory archive blog forum shop store site page website changelog standing leaderboard calendar programme program newsletter homepage index inventory agenda lineup team staff news weather forecast web collection top section report',
);
