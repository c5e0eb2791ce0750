/** Where a long command is, on stderr: one line that changes on a terminal, elsewhere a line for each step. */
export interface ProgressLine {
  show(message: string): void;
  /** Removes the line before other output. */
  clear(): void;
}

/** For a terminal that does not tell its size. */
const usualColumns = 80;
const clearLine = '\r\u001b[K';
/** The seconds of a step that goes on. */
const age = / \(\d+ s\)$/;

export function progressLine(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'> = process.stderr,
): ProgressLine {
  let shownText = '';
  return {
    show(message) {
      if (stream.isTTY) {
        stream.write(`${clearLine}  ${message.slice(0, (stream.columns || usualColumns) - 3)}`);
        return;
      }
      const step = message.replace(age, '');
      if (step !== shownText) stream.write(`${step}\n`);
      shownText = step;
    },
    clear() {
      if (stream.isTTY) stream.write(clearLine);
    },
  };
}
