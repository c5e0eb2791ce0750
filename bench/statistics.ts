/** Medians and the table they are printed in. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What it takes until 4 KiB that were appended are on the disk. */
export async function syncMs(folder: string): Promise<number> {
  const file = openSync(join(folder, 'sync'), 'w');
  const times = [];
  for (let round = 0; round < 100; round += 1) {
    writeSync(file, Buffer.alloc(4_096));
    times.push(await timed(async () => fdatasyncSync(file)));
  }
  closeSync(file);
  return median(times);
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const ratio = (value: number, baseline: number) => `${(value / baseline).toFixed(2)}×`;

export function print(title: string, rows: readonly Readonly<Record<string, string>>[]): void {
  process.stdout.write(`\n${title}\n`);
  const columns = Object.keys(rows[0] ?? {});
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}\n`;
  process.stdout.write(line(columns));
  for (const row of rows) process.stdout.write(line(columns.map((column) => row[column] ?? '')));
}
