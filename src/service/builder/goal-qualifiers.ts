/** What a goal asks for only where there is any: "old price if reduced", "rating (optional)", "sold out or not". */

/** A token of our own, in the place of what says so. */
export const ifAny = 'ifany_';

const given =
  "any|available|given|present|shown|stated|known|possible|applicable|listed|mentioned|specified|set|provided|reduced|discounted|on (?:sale|offer)|there(?: is|'s| are)(?: any| one)?|(?:it|they|one|any) (?:has|have|exists?|(?:is|are) (?:given|shown|there|reduced|discounted|stated|listed|present|known|on (?:sale|offer)))|vorhanden|angegeben|reduziert|disponibles?|indiqu[eé]e?s?|hay|existe|est[aá] disponible";
const qualifier = `(?:(?:if|where|when|wherever|whenever|falls|wenn|sofern|soweit|si) (?:${given})|le cas [eé]ch[eé]ant|if not null)`;
const patterns = [
  new RegExp(`\\(\\s*(?:${qualifier}|or not|optional|facultatif|opcional)\\s*\\)`, 'gi'),
  new RegExp(`(?:,\\s*)?(?<!\\b(?:and|or|und|et|y|[,:(])\\s)\\b${qualifier}\\b(?!\\s+\\p{L})`, 'giu'),
  /\b(?:or|oder) n(?:o|ich)t\b|\bou non\b|\bo no\b/gi,
  /\boptional(?:ly)?\b|\bwahlweise\b|\b[eé]ventuellement\b/gi,
];

/** The goal with a token where a field is asked for on a condition. */
export const withQualifiers = (goal: string): string =>
  patterns.reduce((text, pattern) => text.replace(pattern, ` ${ifAny} `), goal);
