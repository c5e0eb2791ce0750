/** Small words of goals that say how other words are to be taken, in any of the languages. */
import { words } from './goal-words.ts';

/** One of a pair, which shares its noun: "opening and closing price", "température minimale et maximale". */
export const sharing = words(`
  maximum minimum maximal minimal max min highest lowest high low upper lower opening closing open close home away host
  guest old new original discounted reduced regular sale current previous former first last full short long start end
  starting ending departure arrival buy sell buying selling bid ask scheduled estimated expected actual planned prep cook
  cooking preparation total average median birth death adult child senior student melting boiling sunrise sunset gross net
  monthly annual yearly weekly daily hourly summer winter male female inner outer front rear left right morning evening
  domestic foreign billing shipping local visiting indoor outdoor single double return outward
  hochste niedrigste hochsten niedrigsten hochst tiefste alte neue alter neuer altem neuem alten neuen erste letzte minimale maximale
  salida llegada depart arrivee partenza arrivo partida chegada apertura cierre ouverture cloture fermeture chiusura debut fin
  inicio compra venta venda fatti subiti marcados recibidos
  ancien nouveau visiteur maxima minima maximo minimo visitante anterior massima minima massimo hoogste laagste oude nieuwe
`);

/** What a value is given in. */
const units = words(`
  euro euros eur dollar dollars usd pound pounds gbp chf franken francs yen cents percent prozent pourcent km kilometre
  kilometres kilometer kilometers mile miles metre metres meter meters m cm mm feet foot inch inches ft m2 qm mq sqm sqft
  square kmh mph ms kg kilogram kilograms gram grams g lb lbs oz liter litre litres liters l ml gb mb kb tb bytes hours
  hour minutes minute min mins seconds sec days months years stunden minuten sekunden heures minutes horas minutos ore
  minuti kcal kj celsius fahrenheit degrees grad degres utc gmt mio million millions
`);
/** "size in square metres", "wind in km/h". */
export const isUnit = (token: string) => units.has(token);

/** What a container of the things asked for is called: "the list of ingredients". */
export const containers = words(
  'list lists table set collection overview liste lista elenco tabelle tableau tabla tabella lijst overzicht ubersicht',
);

export const pronouns = words('it they them he she him we you u one sie er es ils elle elles');
export const auxiliaries = words('is are was were be been being has have had do does did will can could');
export const whereWords = words('where wo donde dove waar onde');
export const whenWords = words('when wann quand cuando wanneer');
/** "when it closes": words that may stand before what happens. */
export const timeAdverbs = words('last first next zuletzt zuerst dernier');

/** Before these a thing is counted or measured: "price per night". */
export const ratios = words('per pro za');
export const ofWords = words(
  'of de di von du d del da do des der dos das della dello dei delle degli van vom',
);
export const articles = words(
  'the a an its their his her our your my this that these those der die das dem den des ein eine einer le la les l un une el los las il lo gli i o os as het deze',
);
export const demonstratives = words(
  'this these those dieser dieses diesem diesen ce cet cette ces este esta estos estas questo questa questi queste deze dit',
);
/** They may follow what is asked of them: "replies each thread has", "Telefon aller Mitarbeiter". */
export const quantifiers = words(
  'all each every alle aller jede jeder jedes jedem jeden todos todas cada tutti tutte ogni toutes tous chaque elke elk iedere ieder',
);
export const interrogatives = words(
  'which what welche welcher welches welchem welchen quel quelle quels quelles que cual cuales quale quali welk welke qual quais',
);
/** They say nothing of what is asked for in most goals, but name a field where fields are listed. */
export const fieldFillers = words(
  `
  page type kind site website status part set record row table item entry list detail front make download cover goal field overview id like result return track store watch
  monitor app project
`,
);
/** Of these the ones before a single thing. */
export const singular = words('this dieser dieses diesem ce cet cette este esta questo questa dit');
/** Things as well as what is to be done: "every download". */
export const nounsToo = words('download cover goal overview');
/** In the singular, but of many: where one of these is spoken of, nothing tells that one thing is asked for. */
export const spans = words(`
  day evening week weekend month season year time tag woche monat jahr semaine jour mois annee semana dia mes settimana
  giorno mese dag maand meteo liga clasificacion classement classifica rangliste tabelle pronostico programm programma
  spielplan carta carte
`);
