/** Names of the dynamic tools: deterministic, stable, at most 40 characters of `[A-Za-z0-9_-]`, a letter or `_` first. */
import { createHash } from 'node:crypto';

const maxLength = 40;
const digitCount = 6;
const stepSize = 100;

export interface Named {
  readonly action_id: string;
  readonly catalog_slug: string;
}

/** The actions to be named, in columns of the same length. */
export interface NamedColumns {
  readonly ids: readonly string[];
  readonly slugs: readonly string[];
}

/** A name for each action; see `nameActionsInSteps`. */
export function nameActions<Item extends Named>(
  actions: readonly Item[],
  reserved: readonly string[],
): Map<string, Item> {
  const columns = {
    ids: actions.map(({ action_id }) => action_id),
    slugs: actions.map(({ catalog_slug }) => catalog_slug),
  };
  const steps = nameActionsInSteps(columns, reserved);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return new Map(
    step.value.flatMap((name, index) => actions.slice(index, index + 1).map((action) => [name, action])),
  );
}

/**
 * A name for each action, in their order. The action's id, cleaned, with the catalog's slug before it unless it
 * starts with it; too long a name is cut and ends in six hex digits of the id's SHA-256, and so does every name that
 * collides with another or with a reserved one. Yields between parts of the work.
 */
export function* nameActionsInSteps(
  { ids, slugs }: NamedColumns,
  reserved: readonly string[],
): Generator<void, string[]> {
  const counts = new Map<string, number>();
  for (const name of reserved) count(counts, name);
  const plain: string[] = [];
  for (const [index, id] of ids.entries()) {
    const name = plainName({ action_id: id, catalog_slug: slugs[index] ?? '' });
    plain.push(name);
    count(counts, name);
    if (index % stepSize === 0) yield;
  }
  const takenShort = new Map<string, number>();
  const short = new Map<number, string>();
  for (const [index, name] of plain.entries()) {
    if (index % stepSize === 0) yield;
    if (!isRepeated(counts, name)) continue;
    const shortened = withDigits(name, ids[index] ?? '', digitCount);
    short.set(index, shortened);
    count(takenShort, shortened);
  }
  for (const [index, name] of short) {
    // More digits only where even six collide, and for each of them: a name must not depend on the order.
    const isFree = !counts.has(name) && !isRepeated(takenShort, name);
    plain[index] = isFree ? name : withDigits(name, ids[index] ?? '', 4 * digitCount);
  }
  return plain;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const isRepeated = (counts: ReadonlyMap<string, number>, name: string) => (counts.get(name) ?? 0) > 1;

function plainName({ action_id, catalog_slug }: Named): string {
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
