/** The name that was probably meant: of a catalog, a tool or an action that does not exist. */
import { distance } from 'fastest-levenshtein';

/** Longer ones are no misspelling of anything. */
const maxLength = 200;

/** The nearest of the names, whatever their case and separators; undefined where none is near. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  const given = plain(wanted);
  if (given === '' || given.length > maxLength) return undefined;
  const most = Math.ceil(given.length / 3);
  let best: string | undefined;
  let least = most + 1;
  for (const name of names) {
    const candidate = plain(name);
    // What stands in the name whole is as near as one wrong letter.
    const contained = given.length >= 4 && candidate.includes(given);
    if (!contained && Math.abs(candidate.length - given.length) > most) continue;
    const steps = contained ? Math.min(1, candidate.length - given.length) : distance(given, candidate);
    if (steps < least || (steps === least && best !== undefined && name < best)) {
      least = steps;
      best = name;
    }
  }
  return best;
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
