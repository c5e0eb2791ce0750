/** The name that was probably meant: of a catalog, a tool or an action that does not exist. */
import { distance } from 'fastest-levenshtein';

/** Longer names are not treated as misspellings. */
const maxLength = 200;

/** The nearest of the names, whatever their case and separators; undefined where none is near. */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  const nearest = new NearestName(text);
  for (const name of names) nearest.offer(name);
  return nearest.best;
}

/** The nearest of the names that were offered so far. */
export class NearestName {
  readonly #wanted: string;
  readonly #most: number;
  #least: number;
  best: string | undefined;

  constructor(text: string) {
    const plainWanted = plain(text);
    this.#wanted = plainWanted.length > maxLength ? '' : plainWanted;
    this.#most = Math.ceil(this.#wanted.length / 3);
    this.#least = this.#most + 1;
  }

  offer(name: string): void {
    const text = this.#wanted;
    const candidate = plain(name);
    if (text === '' || candidate === '') return;
    // What stands in the name whole is as near as one wrong letter.
    const isPart = text.length >= 4 && candidate.includes(text);
    if (!isPart && Math.abs(candidate.length - text.length) > this.#most) return;
    const steps = isPart ? Math.min(1, candidate.length - text.length) : distance(text, candidate);
    const isFirst = steps === this.#least && this.best !== undefined && name < this.best;
    if (steps >= this.#least && !isFirst) return;
    this.#least = steps;
    this.best = name;
  }
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
