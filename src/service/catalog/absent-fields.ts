/** Which fields of a goal a choice of columns leaves out. */
import type { Goal } from './read-goal.ts';
import { toConcepts } from './synonyms.ts';

/** The names of the goal's fields for which no chosen name is the same or means the same. */
export function absentFields({ fields }: Goal, names: readonly string[]): string[] {
  const chosen = new Set(names.flatMap(toConcepts));
  return fields
    .filter(({ name, phrase }) => {
      const words = toConcepts(phrase);
      return !names.includes(name) && (words.length === 0 || !words.some((word) => chosen.has(word)));
    })
    .map(({ name }) => name);
}
