/** A plain table for a terminal: columns as wide as their longest cell, the last one cut at the window's edge. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  // A terminal that does not tell its size says 0.
  const window = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .slice(0, window),
    )
    .join('\n');
}
