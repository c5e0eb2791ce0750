/** A goal cut where it lists: sentences, and what stands between their commas, joining words, colons and brackets. */
import { articles, demonstratives, quantifiers } from './goal-grammar.ts';
import { ifAny } from './goal-qualifiers.ts';
import { preparedGoal } from './goal-text.ts';
import { imperatives, isEnglish, type Language, languageOf } from './goal-words.ts';
import { isFieldWord } from './vocabulary.ts';
import { plain, wordsOf } from './words.ts';

export interface Segment {
  /** What stands before it. */
  readonly by: 'start' | 'join' | 'or' | 'slash' | 'open' | 'close' | 'owner' | 'command';
  readonly tokens: string[];
}

/** Whether a comma or a joining word stands before it. */
export const joins = (segment: Pick<Segment, 'by'> | undefined): boolean =>
  segment !== undefined && ['join', 'or', 'slash'].includes(segment.by);

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const tokenPattern = /[\p{L}\p{N}_#][\p{L}\p{N}\p{M}_#'-]*|[,;:()[\]{}.\n?!/%]/gu;
const englishWords = languageOf([]);

/** Of the goal's language, and the commonest of English, which stand in goals of any. */
export function isOf(
  language: Language,
  kind: 'opens' | 'joins' | 'context' | 'many',
  word: string,
): boolean {
  return (
    language[kind].has(word) || ((kind === 'context' || !isEnglish(language)) && englishAlso[kind].has(word))
  );
}
const englishAlso = {
  opens: words('with including incl'),
  joins: englishWords.joins,
  context: words('of for from since until before after during within against'),
  many: words('all every each jedem jeden'),
};

const excluding = words(
  'eg without excluding ignore ignoring skip skipping omit omitting except ohne ausser ausgenommen keine keinen keiner sans sauf hors hormis excepte excluyendo excepto salvo senza tranne escluso esclusi escluse eccetto zonder behalve geen sem exceto excluindo sin',
);
const asking = words('need want require get show give extract list');
const commanding = words('give show return extract provide tell fetch collect output need want');
const columns = words(
  'columns fields attributes properties spalten felder colonnes champs columnas campos colonne campi kolommen velden colunas',
);
const joinsElsewhere = /^(?:und|et|och|og|oraz|y|e|i|en)$/;
const asks = /^(?:what|number_of|quel(?:le)?s?|cual(?:es)?|quali|quale)$/;
const isSign = (token: string | undefined) => token === undefined || /^[^\p{L}\p{N}_#]$/u.test(token);
const isOr = (word: string) => /^(?:or|oder|ou|o|u|of)$/.test(word);

/** The sentences of a goal, as tokens. */
export function sentencesOf(goal: string): { sentences: string[][]; language: Language } {
  const said = (goal.replace(/[’']/g, ' ').match(tokenPattern) ?? []).map(plain);
  // A date in many languages.
  const language = languageOf(said.filter((word) => word !== 'data'));
  const tokens = preparedGoal(goal, language).match(tokenPattern) ?? [];
  const sentences: string[][] = [[]];
  tokens.forEach((token, index) => {
    const next = plain(tokens[index + 1] ?? '');
    // "…: list the …", "… and give me the …", but not "… and list of …".
    const commands =
      imperatives.has(next) && next !== 'read' && !/^(?:of|price)$/i.test(tokens[index + 2] ?? '');
    // "…, i need …"
    const asksAgain = token === ',' && /^(?:i|we)$/.test(next) && asking.has(plain(tokens[index + 2] ?? ''));
    const ends = /^[.?!\n]$/.test(token) || asksAgain || (/^(?:[;:]|and|then)$/i.test(token) && commands);
    if (ends) sentences.push([]);
    else sentences.at(-1)?.push(token);
  });
  return { sentences: sentences.filter(({ length }) => length > 0), language };
}

const separates = (token: string, language: Language) =>
  /^[,;/]$/.test(token) || isOf(language, 'joins', plain(token));

export function segmentsOf(tokens: readonly string[], language: Language): Segment[] {
  const segments: Segment[] = [{ by: 'start', tokens: [] }];
  const last = () => segments.at(-1)?.tokens ?? [];
  const begin = (by: Segment['by']) => segments.push({ by, tokens: [] });
  let opened = false;
  const opens = (index: number): boolean => {
    const word = plain(tokens[index] ?? '');
    const before = plain(tokens[index - 1] ?? '');
    const next = tokens[index + 1];
    if (/^[:[{]$/.test(word)) return true;
    // "information such as name and price", but "sizes such as XL".
    if (word === 'eg') return !opened && segments.filter((one) => one.tokens.length > 0).length < 2;
    // "feels like", "what is included": where nothing follows, nothing is opened.
    if (isSign(next) ? next !== ':' && next !== '(' : isOf(language, 'joins', plain(next ?? '')))
      return false;
    if (columns.has(word)) return !isOf(language, 'context', plain(next ?? ''));
    if (/^(?:by|on|por|par|nach)$/.test(word))
      return tokens.slice(0, index).some((other) => /^(?:compar|vergleich|confront)/i.test(other));
    return isOf(language, 'opens', word) && !/^(?:would|i|we|id)$/.test(before);
  };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    const word = plain(token);
    if (token === '(') {
      const close = tokens.indexOf(')', index);
      const inner = tokens.slice(index + 1, close < 0 ? undefined : close);
      if (inner.includes(ifAny)) last().push(ifAny);
      const rest = close < 0 ? [] : tokens.slice(close + 1);
      const lists =
        !opened &&
        segments.length === 1 &&
        !rest.some((_, at) => opens(close + 1 + at)) &&
        (inner.some((other) => separates(other, language)) ||
          (!rest.some((other) => separates(other, language)) &&
            isFieldWord(wordsOf(inner.at(-1) ?? '').at(-1) ?? '')));
      if (lists) {
        opened = true;
        begin('open');
      } else index = close < 0 ? tokens.length : close;
    } else if (/^[)\]}]$/.test(token)) begin('close');
    else if (token === 'of-owner') begin('owner');
    else if (excludes(tokens, index, language) && !opens(index))
      index = endOfExclusion(tokens, index, opens, language) - 1;
    // "a list with all museums"
    else if (opens(index) && quantifiers.has(plain(tokens[index + 1] ?? ''))) last().push('of');
    else if (opens(index)) {
      opened = true;
      begin('open');
    } else if (separates(token, language)) begin(token === '/' ? 'slash' : isOr(word) ? 'or' : 'join');
    // "punkty i bramki": a list alone says little of its language.
    else if (
      segments.at(-1)?.by === 'join' &&
      last().length > 0 &&
      joinsElsewhere.test(token) &&
      !isOf(language, 'context', word) &&
      !isSign(tokens[index + 1])
    )
      begin('join');
    else if (isCommand(tokens, index, last(), language)) begin('command');
    else if (token !== '%') last().push(token);
  }
  return segments;
}

function excludes(tokens: readonly string[], index: number, language: Language): boolean {
  const word = plain(tokens[index] ?? '');
  if (isSign(tokens[index + 1]) || isOf(language, 'joins', plain(tokens[index + 1] ?? ''))) return false;
  return excluding.has(word) || (isEnglish(language) && /^(?:no|not)$/.test(word));
}

/** "no ads or videos" goes on; "without tax and delivery time" does not, where the next is a field again. */
function endOfExclusion(
  tokens: readonly string[],
  from: number,
  opens: (index: number) => boolean,
  language: Language,
): number {
  const isEnd = (index: number) =>
    isSign(tokens[index]) || separates(tokens[index] ?? '', language) || opens(index);
  let end = from + 1;
  while (!isEnd(end)) end += 1;
  while (separates(tokens[end] ?? '', language)) {
    let next = end + 1;
    while (!isEnd(next)) next += 1;
    const [head = ''] = wordsOf(tokens[next - 1] ?? '').slice(-1);
    const isCommanded = /^(?:skip|ignor|exclud|omit)/i.test(tokens[from] ?? '') && tokens[end] !== ',';
    const isNeither = isOr(plain(tokens[end] ?? ''));
    const starts = from === 0 || /^[,;.]$/.test(tokens[from - 1] ?? '') || tokens[end] !== ',';
    if (
      !starts ||
      (isFieldWord(head) && !isCommanded && !isNeither) ||
      next === end + 1 ||
      imperatives.has(plain(tokens[end + 1] ?? ''))
    )
      break;
    end = next;
  }
  return end;
}

/** "For all flights I need …", "for each town give …". */
function isCommand(
  tokens: readonly string[],
  index: number,
  segment: readonly string[],
  language: Language,
): boolean {
  const word = plain(tokens[index] ?? '');
  const before = plain(tokens[index - 1] ?? '');
  if (index === 0) return false;
  const next = plain(tokens[index + 1] ?? '');
  if (asking.has(word) && /^(?:i|we|please|to)$/.test(before)) return true;
  // "…, list the …", but "current price, list price".
  if (asking.has(word) && before === ',' && (articles.has(next) || quantifiers.has(next))) return true;
  const isContext = (token: string | undefined) => isOf(language, 'context', plain(token ?? ''));
  if (/^(?:for|from|of|in|on)$/i.test(segment[0] ?? '') && segment.length > 1 && commanding.has(word))
    return true;
  // "for each town what …", "für jeden Zug die …"
  if (!asks.test(word) && !articles.has(word)) return false;
  const at = segment.findIndex((token) => quantifiers.has(plain(token)));
  if (at < 1 || at > segment.length - 2 || !isContext(segment[at - 1])) return false;
  return (
    asks.test(word) ||
    (articles.has(word) && !isContext(before) && !language.fillers.has(before) && !demonstratives.has(word))
  );
}
