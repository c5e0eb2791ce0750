/** The name that was probably meant: of a catalog, a tool or an action that does not exist. */
import { distance } from 'fastest-levenshtein';

/** Longer names are not treated as misspellings. */
const maxLength = 200;

/** The nearest of the names, whatever their case and separators; undefined where none is near. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  const text = plain(wanted);
  if (text === '' || text.length > maxLength) return undefined;
  const most = Math.ceil(text.length / 3);
  let least = most + 1;
  let best: string | undefined;
  for (const name of names) {
    const candidate = plain(name);
    if (candidate === '') continue;
    // A text that is part of a name is as near as one wrong letter.
    const isPart = text.length >= 4 && candidate.includes(text);
    if (!isPart && Math.abs(candidate.length - text.length) > most) continue;
    const steps = isPart ? Math.min(1, candidate.length - text.length) : distance(text, candidate);
    const isFirst = steps === least && best !== undefined && name < best;
    if (steps >= least && !isFirst) continue;
    least = steps;
    best = name;
  }
  return best;
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
