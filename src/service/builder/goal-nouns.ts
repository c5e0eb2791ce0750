/** Nouns that a goal says once for two fields. */
import { ofWords, sharing } from './goal-grammar.ts';
import { isOf, joins, type Segment } from './goal-segments.ts';
import { imperatives, type Language } from './goal-words.ts';
import { plain } from './words.ts';

/** Each with its noun: "home and away team", "température minimale et maximale", "date de début et de fin". */
export function withNouns(segments: readonly Segment[], language: Language): readonly Segment[] {
  const isNoun = (word: string) =>
    sharing.has(word) || !(language.fillers.has(word) || imperatives.has(word) || language.one.has(word));
  const content = ({ tokens }: Segment) => tokens.filter((token) => isNoun(plain(token)));
  const alone = (segment: Segment | undefined) => {
    const [word, ...more] = segment === undefined ? [] : content(segment);
    return word !== undefined && more.length === 0 && sharing.has(plain(word));
  };
  return segments.map((segment, index) => {
    const before = segments[index - 1];
    if (alone(segment)) {
      let next = index + 1;
      while (alone(segments[next]) && joins(segments[next])) next += 1;
      const [first = '', ...nouns] = joins(segments[next]) ? content(segments[next] ?? segment) : [];
      const end = nouns.findIndex((token) => isOf(language, 'context', plain(token)));
      const shared = end < 0 ? nouns : nouns.slice(0, end);
      if (shared.length > 0 && sharing.has(plain(first)))
        return { ...segment, tokens: [...segment.tokens, ...shared] };
      // "hora de salida y llegada"
      const at = before?.tokens.findIndex((token) => ofWords.has(plain(token))) ?? -1;
      if (joins(segment) && before !== undefined && at > 0 && sharing.has(plain(before.tokens[at + 1] ?? '')))
        return { ...segment, tokens: [...before.tokens.slice(0, at + 1), ...segment.tokens] };
      const [noun, ...rest] = before === undefined ? [] : content(before);
      if (joins(segment) && noun !== undefined && rest.length === 1 && sharing.has(plain(rest[0] ?? '')))
        return { ...segment, tokens: [noun, ...segment.tokens] };
    }
    const [opening = '', ...rest] = segment.tokens;
    // "prix d'ouverture et de clôture", "price by the glass and by the bottle"
    const same = before?.tokens.findIndex((token) => plain(token) === plain(opening)) ?? -1;
    if (
      segment.by === 'join' &&
      before !== undefined &&
      isOf(language, 'context', plain(opening)) &&
      rest.length > 0 &&
      same > 0
    )
      return { ...segment, tokens: [...before.tokens.slice(0, same), ...segment.tokens] };
    return segment;
  });
}
