/**
 * How well pages of any website are read: `npm run bench web <folder>`. The folder holds `<id>.html.gz` and `truth.json`, a list
 * of `{id, kind, url, title, author, date, main, with, without}`. The pages are not part of this project.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { ParseError } from '../src/service/foundation/errors.ts';
import { answerReading } from '../src/service/web/answer-reading.ts';

const Truth = z.array(
  z.object({
    id: z.string(),
    kind: z.string(),
    url: z.string(),
    title: z.string(),
    author: z.string().nullish(),
    date: z.string().nullish(),
    main: z.string(),
    with: z.array(z.string()),
    without: z.array(z.string()),
  }),
);
type Expected = z.infer<typeof Truth>[number];

const Rows = z.array(z.object({ rows: z.array(z.record(z.string(), z.unknown())) })).default([]);
const Answer = z.object({
  kind: z.string(),
  title: z.string().nullable(),
  author: z.string().optional(),
  date: z.string().optional(),
  main: z.string().default(''),
  lists: Rows,
  tables: Rows,
});

interface Figures {
  readonly kind: string;
  readonly isAside: boolean;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly with: number | undefined;
  readonly without: number | undefined;
  readonly title: boolean;
  readonly author: boolean | undefined;
  readonly date: boolean | undefined;
  readonly sameKind: boolean;
  readonly cpuMs: number;
  readonly id: string;
}

const writeLine = (line: string) => process.stdout.write(`${line}\n`);

const toWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const count = (words: readonly string[]) =>
  words.reduce((counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1), new Map<string, number>());

function compare(read: string, main: string) {
  const [readWords, mainWords] = [toWords(read), toWords(main)];
  const expected = count(mainWords);
  let shared = 0;
  for (const [word, times] of count(readWords)) shared += Math.min(times, expected.get(word) ?? 0);
  const precision = readWords.length === 0 ? 0 : shared / readWords.length;
  const recall = mainWords.length === 0 ? 0 : shared / mainWords.length;
  return { precision, recall, f1: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** Without Markdown's marks and the addresses of links. */
const toPlain = (markdown: string) =>
  markdown.replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\([^()\s]*\)/g, '$1').replace(/\\([^\w\s])/g, '$1');

const inRows = (tables: z.infer<typeof Rows>) =>
  tables.flatMap(({ rows }) =>
    rows.flatMap((row) =>
      Object.values(row).filter(
        (value) => typeof value === 'number' || (typeof value === 'string' && !/^https?:/.test(value)),
      ),
    ),
  );

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();
const share = (snippets: readonly string[], text: string) =>
  snippets.length === 0
    ? undefined
    : snippets.filter((snippet) => text.includes(collapse(snippet))).length / snippets.length;

async function measure(expected: Expected, folder: string, isAside: boolean): Promise<Figures> {
  const body = gunzipSync(await readFile(join(folder, `${expected.id}.html.gz`)));
  const { url, kind } = expected;
  const page = { url, status: 200, contentType: 'text/html; charset=utf-8', link: '', body };
  const before = process.cpuUsage();
  const result = await answerReading({
    page,
    reading: 'page',
    parts: undefined,
    maxRows: 100,
    browser: 'absent',
  }).catch((error: unknown) => {
    if (error instanceof ParseError) writeLine(`${expected.id} (${kind}) refused: ${error.message}`);
    else throw error;
  });
  const { user, system } = process.cpuUsage(before);
  const data = result !== undefined && 'data' in result ? result.data : { kind: '', title: null };
  const answer = Answer.parse(data);
  const text = [toPlain(answer.main), ...inRows(answer.lists), ...inRows(answer.tables)].join('\n');
  const [author, truly] = [collapse(answer.author ?? ''), collapse(expected.author ?? '')];
  return {
    ...compare(text, expected.main),
    id: expected.id,
    kind,
    isAside,
    with: share(expected.with, collapse(text)),
    without: share(expected.without, collapse(text)),
    title: collapse(answer.title ?? '') === collapse(expected.title),
    author: truly === '' ? undefined : author !== '' && (author.includes(truly) || truly.includes(author)),
    date: expected.date ? answer.date === expected.date.slice(0, 10) : undefined,
    sameKind: answer.kind === kind,
    cpuMs: (user + system) / 1_000,
  };
}

const mean = (values: readonly (number | boolean | undefined)[]) => {
  const known = values.filter((value) => value !== undefined).map(Number);
  return known.length === 0
    ? '    –'
    : (known.reduce((sum, value) => sum + value, 0) / known.length).toFixed(3);
};

function print(name: string, figures: readonly Figures[]): void {
  writeLine(`\n${name}: ${figures.length} pages`);
  writeLine('kind            F1     precision recall with   without title  author date   kind told');
  const kinds = [...new Set(figures.map(({ kind }) => kind))].sort();
  for (const kind of ['all', ...kinds]) {
    const some = figures.filter((one) => kind === 'all' || one.kind === kind);
    const columns = (
      ['f1', 'precision', 'recall', 'with', 'without', 'title', 'author', 'date', 'sameKind'] as const
    ).map((column) => mean(some.map((one) => one[column])).padEnd(column === 'precision' ? 9 : 6));
    writeLine(`${kind.padEnd(15)} ${columns.join(' ')}`);
  }
  const times = figures.map(({ cpuMs }) => cpuMs).sort((one, other) => one - other);
  const at = (part: number) => Math.round(times[Math.floor((times.length - 1) * part)] ?? 0);
  writeLine(`CPU a page: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, most ${at(1)} ms`);
  const worst = [...figures].sort((one, other) => one.f1 - other.f1).slice(0, 8);
  writeLine(`Worst: ${worst.map(({ id, kind, f1 }) => `${id} ${kind} ${f1.toFixed(2)}`).join(', ')}`);
}

const hash = (id: string) => createHash('sha256').update(id).digest('hex');

/** A third of each kind is set aside by a hash of the id: no rule is made after these pages. */
export async function benchWeb(folder: string | undefined): Promise<void> {
  if (folder === undefined) {
    writeLine('web: left out; npm run bench web <folder of pages> measures it.');
    return;
  }
  const truth = Truth.parse(JSON.parse(await readFile(join(folder, 'truth.json'), 'utf8')));
  const aside = new Set(
    [...new Set(truth.map(({ kind }) => kind))].flatMap((kind) => {
      const ids = truth.filter((one) => one.kind === kind).map(({ id }) => id);
      return ids
        .sort((one, other) => (hash(one) < hash(other) ? -1 : 1))
        .slice(0, Math.round(ids.length / 3));
    }),
  );
  const figures: Figures[] = [];
  for (const expected of truth) figures.push(await measure(expected, folder, aside.has(expected.id)));
  print(
    'Set aside',
    figures.filter(({ isAside }) => isAside),
  );
  print(
    'The others',
    figures.filter(({ isAside }) => !isAside),
  );
}
