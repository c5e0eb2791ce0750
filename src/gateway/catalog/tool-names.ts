/** Names of the dynamic tools: deterministic, stable, at most 40 characters of `[A-Za-z0-9_-]`, a letter or `_` first. */
import { createHash } from 'node:crypto';

const maxLength = 40;
const digitCount = 6;

/** Some clients keep tools as members of a plain object, which has these already. */
const inherited = Object.getOwnPropertyNames(Object.prototype);

export interface ActionName {
  readonly action_id: string;
  readonly catalog_slug: string;
}

/**
 * Each action by its name, in their order. The action's id, cleaned, with the catalog's slug before it unless it
 * starts with it; too long a name is cut and ends in six hex digits of the id's SHA-256, and so does every name that
 * collides with another or with a reserved one.
 */
export function nameActions<Item extends ActionName>(
  actions: readonly Item[],
  reserved: readonly string[],
): Map<string, Item> {
  const plain = actions.map(toPlainName);
  const counts = countEach([...reserved, ...inherited, ...plain]);
  const isRepeated = (name: string) => (counts.get(name) ?? 0) > 1;
  const shortened = (name: string, { action_id }: Item) => withDigits(name, action_id, digitCount);
  const shortCounts = countEach(
    actions.flatMap((action, index) => {
      const name = plain[index] ?? '';
      return isRepeated(name) ? [shortened(name, action)] : [];
    }),
  );
  const named = new Map<string, Item>();
  for (const [index, action] of actions.entries()) {
    const name = plain[index] ?? '';
    if (!isRepeated(name)) {
      named.set(name, action);
      continue;
    }
    const short = shortened(name, action);
    // More digits only where even six collide, and for each of them: a name must not depend on the order.
    const isFree = !counts.has(short) && shortCounts.get(short) === 1;
    named.set(isFree ? short : withDigits(short, action.action_id, 4 * digitCount), action);
  }
  return named;
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function toPlainName({ action_id, catalog_slug }: ActionName): string {
  const id = cleaned(action_id);
  const slug = cleaned(catalog_slug);
  const full = id.startsWith(slug) ? id : `${slug}_${id}`;
  // Gemini refuses the whole list for a single name that begins with anything else.
  const name = /^[A-Za-z_]/.test(full) ? full : `_${full}`;
  return name.length > maxLength ? withDigits(name, action_id, digitCount) : name;
}

const cleaned = (text: string) => text.replace(/[^A-Za-z0-9_-]/gu, '_');

function withDigits(name: string, actionId: string, count: number): string {
  const digits = createHash('sha256').update(actionId).digest('hex').slice(0, count);
  const suffix = `_${digits}`;
  const stem = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return `${stem.slice(0, maxLength - suffix.length)}${suffix}`;
}
