/** An Atom file (RFC 4287) of each watch that has told something, for feed readers on this machine. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../store/folder.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import type { WatchHead } from '../store/watch-queries.ts';
import { toldEntries } from './body.ts';
import type { Outlet } from './telling.ts';

/** The newest entries. */
const maxEntries = 50;
const maxRows = 10;
const maxText = 500;
const suffix = '.atom';

export class Feeds implements Outlet {
  readonly #folder: string;
  readonly #store: GatewayStore;
  /** What the file of each watch has, as far as this process wrote it. */
  readonly #written = new Map<string, number>();
  #isTidy = false;

  constructor(folder: string, store: GatewayStore) {
    this.#folder = folder;
    this.#store = store;
  }

  async pass(heads: readonly WatchHead[], signal: AbortSignal): Promise<void> {
    const store = await this.#store.open();
    for (const head of heads) {
      if (head.seq === 0 || head.seq === this.#written.get(head.id) || signal.aborted) continue;
      await this.#write(head, store);
      this.#written.set(head.id, head.seq);
    }
    if (!this.#isTidy) await this.#tidy(store);
    this.#isTidy = true;
  }

  /** Feed readers see the whole old file or the whole new one. */
  async #write(head: WatchHead, { watchQueries }: OpenStore): Promise<void> {
    const { generateAtomFeed } = await import('feedsmith');
    const runs = await watchQueries.told(head.id, Math.max(0, head.seq - maxEntries), maxEntries);
    const entries = runs.flatMap((run) => toldEntries(run, new Map())).reverse();
    const uri = `svc://watches/${head.id}`;
    const name = cleanText(head.action_id, 200);
    const text = generateAtomFeed({
      id: uri,
      title: { value: name },
      updated: new Date(String(entries[0]?.at)),
      authors: [{ name: 'svc-mcp' }],
      entries: entries.map((entry) => ({
        id: `${uri}#${entry.seq}-${entry.kind}`,
        title: { value: `${name}: ${titleOf(entry)}` },
        updated: new Date(String(entry.at)),
        content: { type: 'text', value: contentOf(entry) },
      })),
    });
    await makeFolder(this.#folder);
    const file = join(this.#folder, `${head.id}${suffix}`);
    const temporary = `${file}.${process.pid}`;
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** The files of watches that are not kept any more go. */
  async #tidy({ watchQueries }: OpenStore): Promise<void> {
    const files = await readdir(this.#folder).catch(() => []);
    const ids = files.flatMap((name) => (name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : []));
    const existing = await watchQueries.existing(ids);
    for (const id of ids)
      if (!existing.has(id)) await rm(join(this.#folder, `${id}${suffix}`), { force: true });
  }
}

const titleOf = ({ kind, summary }: JsonObject): string =>
  cleanText(kind === 'changed' ? String(summary) : `${kind}: ${summary ?? ''}`, maxText);

function contentOf({ summary, added, removed, changed }: JsonObject): string {
  const lines = (values: unknown, toLine: (value: JsonObject) => string) =>
    (Array.isArray(values) ? values : []).slice(0, maxRows).map((value) => cleanText(toLine(value), maxText));
  return [
    cleanText(String(summary ?? ''), maxText),
    ...lines(added, (row) => `+ ${JSON.stringify(row)}`),
    ...lines(removed, (row) => `- ${JSON.stringify(row)}`),
    ...lines(
      changed,
      ({ key, field, before, after }) =>
        `${key === null ? '' : `${JSON.stringify(key)} `}${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    ),
  ].join('\n');
}
