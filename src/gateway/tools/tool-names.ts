/** Names of the dynamic tools: deterministic, stable, at most 40 characters, `[A-Za-z0-9_-]` only. */
import { createHash } from 'node:crypto';

const maxLength = 40;
const digitCount = 6;

export interface Named {
  readonly action_id: string;
  readonly catalog_slug: string;
}

/**
 * A name for each action. The action's id, cleaned, with the catalog's slug before it unless it starts with it;
 * too long a name is cut and ends in six hex digits of the id's SHA-256, and so does every name that collides
 * with another or with a reserved one.
 */
export function nameActions<Item extends Named>(
  actions: readonly Item[],
  reserved: readonly string[],
): Map<string, Item> {
  const plain = actions.map((action) => ({ action, name: plainName(action) }));
  const taken = new Map<string, number>(reserved.map((name) => [name, 1]));
  for (const { name } of plain) taken.set(name, (taken.get(name) ?? 0) + 1);

  const named = new Map<string, Item>();
  const put = (name: string, action: Item) => {
    if (!named.has(name) && !reserved.includes(name)) named.set(name, action);
  };
  const collides = (name: string) => (taken.get(name) ?? 0) > 1;
  for (const { action, name } of plain) if (!collides(name)) put(name, action);
  for (const { action, name } of plain) {
    if (!collides(name)) continue;
    const short = withDigits(name, action.action_id, digitCount);
    // More digits only where even six collide: with a plain name that happens to end like this one.
    put(named.has(short) ? withDigits(name, action.action_id, 4 * digitCount) : short, action);
  }
  return named;
}

function plainName({ action_id, catalog_slug }: Named): string {
  const id = cleaned(action_id);
  const slug = cleaned(catalog_slug);
  const name = id.startsWith(slug) ? id : `${slug}_${id}`;
  return name.length > maxLength ? withDigits(name, action_id, digitCount) : name;
}

const cleaned = (text: string) => text.replace(/[^A-Za-z0-9_-]/gu, '_');

function withDigits(name: string, actionId: string, count: number): string {
  const digits = createHash('sha256').update(actionId).digest('hex').slice(0, count);
  const suffix = `_${digits}`;
  const stem = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return `${stem.slice(0, maxLength - suffix.length)}${suffix}`;
}
