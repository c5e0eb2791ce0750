/** What values look like: evidence for a kind of field that no label names. */
import type { Column } from './candidate.ts';
import { isKind } from './vocabulary.ts';

const looks: readonly (readonly [kind: string, pattern: RegExp, strength?: 'weak'])[] = [
  [
    'availability',
    /\b(?:in stock|out of stock|sold out|available|unavailable|back-?order|pre-?order|auf lager|lieferbar|ausverkauft|vergriffen|en stock|rupture|agotado|disponib\w*|esaurito)\b|^\d+ left/i,
  ],
  [
    'duration',
    /^(?:about |ca\.? ?)?(?:\d+(?:[.,]\d+)?\s*(?:h|hrs?|hours?|m|min|mins|minutes?|days?|weeks?|months?|std\.?|stunden|tage|minuten|heures?|jours?|horas?|d[ií]as?)\b\.?\s*)+$|^P(?:\d+D)?T\d/i,
  ],
  // A length of a film or a time of day.
  ['duration', /^\d{1,2}:\d\d(?::\d\d)?$/, 'weak'],
  [
    'date',
    /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?,?\s*)?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\.?\s\d{1,2}\b|\d{1,2}(?:st|nd|rd|th|\.)?\s(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\p{L}*)|^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s\d{1,2}(?:st|nd|rd|th|\.)?$|^(?:today|tomorrow|yesterday|just now)\b|^\d+\s?\p{L}+\sago$/iu,
  ],
  ['phone', /^[+(]?\d[\d\s()./-]{5,}\d$/],
  // "12 Mill Lane", "Via Roma 12", "Marktplatz 4, 34560 Brunn", "LS1 4AP".
  [
    'address',
    /^\d{1,4}[a-z]?(?:[-–/]\d+)?,?\s\p{Lu}[\p{L}’'. -]+|\p{L}\.?\s\d{1,4}\s?[a-z]?(?:[-–/]\s?\w{1,3})?(?:,|$)|\b\d{4,5}\s\p{Lu}\p{L}{2}|\b[A-Z]{1,2}\d[\dA-Z]?\s\d[A-Z]{2}\b/u,
    'weak',
  ],
  [
    'format',
    /^\.?(?:csv|tsv|xlsx?|ods|json|geojson|xml|kml|gml|shp|gpkg|wms|wfs|api|rdf|pdf|epub|mobi|docx?|odt|rtf|txt|html?|zip|gz|tar|mp[34]|wav|flac|ogg|jpe?g|png|gif|svg|webp|tiff?)$/i,
  ],
  [
    'status',
    /^(?:on time|delayed|cancel\w*|departed|arrived|boarding|landed|exp(?:ected)?\b|scheduled|complete\w*|postponed|opens?\b|opened|closed|active|inactive|pending|expired|awarded|draft|approved|rejected|ongoing|in progress|finished|resolved|planned|p[uü]nktlich|versp[aä]tet|f[aä]llt aus|offen|geschlossen|abierto|cerrado|ouvert|ferm[eé]|aperto|chiuso|retard\w*|annul\w*|à l['’]heure|a tiempo|in orario)\b/i,
    'weak',
  ],
  ['email', /^[^@\s]+@[^@\s]+\.\w+$/],
  ['version', /^v?\d+\.\d+(?:\.\d+)*(?:[-+.]\w+)*$/i],
  ['year', /^\(?(?:1[5-9]|20)\d\d\)?$/],
  ['size', /\d\s*(?:m²|m2|sqm|sq\.? ?(?:ft|m)|ft²|qm|ha|acres?|[kmgt]i?b|bytes?|[kmgt]?o)\b|\d\s*m²/i],
  ['checksum', /^(?:\w{2,9}[:= -]+)?[\da-f]{32,128}$/i],
  [
    'clock',
    /^(?:ab |um |at |à |a las |ore |alle |kl\.? |o |om |godz\. )?\d{1,2}(?:[:.h]\d\d|\s?[ap]\.?m\b)/i,
  ],
  ['height', /\d\s*(?:m|cm|ft|meters?|metres?)\b/i],
  ['length', /\d\s*(?:mm|cm|m|km|mi|ft|in|miles?|meters?|metres?)\b/i],
  ['distance', /\d\s*(?:km|mi|miles?|kilometers?)\b/i],
  ['weight', /\d\s*(?:kg|g|lbs?|oz|t)\b/i],
  ['temperature', /-?\d+(?:[.,]\d+)?\s*°/],
  [
    'room',
    /\d\s*(?:\+\s*)?(?:hab\b|zi\b|zimmer|rooms?\b|bed(?:room)?s?\b|br\b|bdrms?\b|pi[eè]ces?|chambres?|dorm|locali|kamers?)/i,
  ],
  ['rating', /[★☆⭐]|\d\s*\/\s*(?:5|10)\b|\bout of (?:5|10|five|ten)\b|\bstars?\b/i],
  ['salary', /[$€£]?\s?\d[\d.,]*\s*k?.*(?:\bper\b|\/|\ba |\bp\.?a\b|\bk\b).{0,12}$/i],
  ['id', /^(?:97[89][\d -]{10,}|(?=.*\d)[A-Z\d]+(?:-[A-Z\d]+)+|#\d+)$/],
  ['serving', /\d\s*(?:pers|portion|serving|people|personen|personas|couverts)/i],
  [
    'difficulty',
    /^(?:very )?(?:easy|medium|moderate|hard|difficult|beginner|intermediate|advanced|expert|challenging|facile|moyen|difficile|leicht|einfach|mittel|schwer|f[aá]cil|media|dif[ií]cil)\b/i,
  ],
  ['calorie', /\d\s*k?cal\b/i],
  ['change', /^[-+−▲▼]\s?\d|^[-+−]?\d+(?:[.,]\d+)?\s?%$/],
  ['discount', /%|\boff\b/i],
  [
    'condition',
    /\b(?:sunny|clear|fair|cloud\w*|overcast|rain\w*|drizzle|showers?|shower|snow\w*|sleet|hail|thunder\w*|storm\w*|fog\w*|mist\w*|haze|hazy|wind\w*|breezy|sonnig|heiter|bewölkt|wolkig|regen|schnee|nebel|gewitter|ensoleillé|nuageux|pluie|neige|orages?|brouillard|soleado|despejado|nublado|lluvia|nieve|tormenta|sereno|nuvoloso|pioggia|neve|zonnig|bewolkt)\b|^(?:brand )?new\b|\b(?:used|refurbished|pre-?owned|like new|mint|gebraucht|neuwertig|generalüberholt|occasion|reconditionné|usado|seminuevo|reacondicionado|usato|ricondizionato|tweedehands)\b/iu,
  ],
  ['code', /^[A-Z][A-Z\d]{1,5}$/],
  ['website', /^(?:https?:\/\/|www\.)\S+$|^[\w-]+\.(?:com|org|net|io|de|fr|co\.uk|example)$/i],
  [
    'hour',
    /\d\s*(?:am|pm|:\d\d|uhr|h)?\s*[-–]\s*\d{1,2}|\b(?:daily|closed|mon|tue|wed|thu|fri|sat|sun|24\/7)\b/i,
  ],
  ['author', /^(?:by|von|par|por|di)\s+\p{L}/iu],
  ['platform', /^(?:platform |gleis )?\d{1,2}[a-z]?$/i],
];
/** Of these a look alone does not tell the kind, only that it may be. */
const weak = new Set([
  'height',
  'length',
  'hour',
  'discount',
  'code',
  'platform',
  'salary',
  'change',
  'condition',
]);

const share = (samples: readonly string[], pattern: RegExp) =>
  samples.length === 0 ? 0 : samples.filter((sample) => pattern.test(sample)).length / samples.length;

const clockTime = /^(?:[01]?\d|2[0-3])[:.]\d\d(?:\s?[ap]\.?m\.?|\s?uhr)?(?:\s?\+\d)?$/i;
/** "Departure time": not how long something takes. */
const isTimeOfDay = (words: readonly string[]) =>
  words.length > 1 &&
  /^(?:time|hour|zeit|uhrzeit|heure|hora|ora)$/.test(words.at(-1) ?? '') &&
  words.some((word) =>
    /^(?:departure|departing|depart|arrival|arriving|arrive|start|starting|begin|end|ending|kick|opening|closing|open|close|check|pickup|boarding|abfahrt|ankunft|beginn|start|depart|arrivee|salida|llegada|partenza|arrivo)$/.test(
      word,
    ),
  );

/** 1: the values look like that kind of field; 0.6: they may be; 0: nothing tells. */
export function contentFit(words: readonly string[], column: Column): number {
  const head = words.at(-1) ?? '';
  if (isTimeOfDay(words)) return share(column.samples, clockTime) >= 0.8 ? 1 : 0;
  for (const [kind, pattern, strength] of looks) {
    const asked = isKind(head, kind) || (isWeakHead(head) && words.some((word) => isKind(word, kind)));
    if (!asked || share(column.samples, pattern) < 0.8) continue;
    return weak.has(kind) || strength === 'weak' ? 0.6 : 1;
  }
  return 0;
}

/** What the values look like beyond doubt, whatever is asked for. */
export function lookOf(column: Column): string | undefined {
  const found = looks.find(
    ([kind, pattern, strength]) =>
      strength === undefined && plainLooks.has(kind) && share(column.samples, pattern) >= 0.8,
  );
  return found?.[0];
}
const plainLooks = new Set(['availability', 'duration', 'email', 'year', 'temperature', 'calorie', 'room']);

/** Kinds of which every value has this look: what has it not is something else. */
const strict = new Set([
  'email',
  'phone',
  'year',
  'temperature',
  'version',
  'rating',
  'calorie',
  'room',
  'weight',
  'checksum',
  'clock',
]);

/** Units in which such a field is measured: a number with another one is something else. */
const units: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'size',
    /^(?:m²|m2|m\^2|sq\w*|ft²|qm|ha|acres?|[kmgt]i?b|b|bytes?|[kmgt]?o|[mck]?m|in|inch\w*|ft|feet|"|″|l|ml|cl)$/i,
  ],
  ['weight', /^(?:[mk]?g|grams?|kilos?|lbs?|pounds?|oz|ounces?|t|tons?|tonnes?|st)$/i],
  ['distance', /^(?:[mck]?m|mi|miles?|met(?:er|re)s?|kilomet\w+|ft|feet|yards?|nm)$/i],
  ['temperature', /^(?:°|º|°? ?[cf]|grad|degrees?)$/i],
  ['percent', /^%$/],
];

/** Whether the look of the values speaks against what is asked for. */
export function contradicts(words: readonly string[], column: Column): boolean {
  const head = words.at(-1) ?? '';
  const { unit, unitWords } = column.type;
  if (unit === 'unit' && unitWords !== undefined)
    for (const [kind, pattern] of units) if (isKind(head, kind)) return !pattern.test(unitWords);
  return looks.some(
    ([kind, pattern]) => strict.has(kind) && isKind(head, kind) && share(column.samples, pattern) < 0.5,
  );
}

/** Words that say nothing without the one before: "phone number", "company name". */
const weakHeads = new Set([
  'number',
  'count',
  'name',
  'title',
  'text',
  'address',
  'info',
  'value',
  'level',
  'total',
  'status',
  'type',
  'line',
  'range',
  'amount',
  'no',
  'string',
  'information',
  'detail',
  'label',
  'data',
]);
export const isWeakHead = (word: string) => weakHeads.has(word);
