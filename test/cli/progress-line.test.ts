import { expect, it } from 'vitest';
import { progressLine } from '../../src/cli/terminal/progress-line.ts';

function stream(isTTY: boolean, columns = 20) {
  const written: string[] = [];
  const write = (text: string | Uint8Array) => {
    written.push(String(text));
    return true;
  };
  return { written, line: progressLine({ isTTY, columns, write }) };
}

it('on a terminal progress is one line, as wide as the window, and disappears at the end', () => {
  const { written, line } = stream(true);
  line.show('Fetching the page');
  line.show('A step with a long name (1 s)');
  line.clear();
  expect(written.join('')).toBe('\r\u001b[K  Fetching the page\r\u001b[K  A step with a lon\r\u001b[K');
});

it('a terminal without a size counts as 80 columns wide', () => {
  const { written, line } = stream(true, 0);
  line.show('Fetching the page');
  expect(written.join('')).toBe('\r\u001b[K  Fetching the page');
});

it('without a terminal each step is one line, printed once', () => {
  const { written, line } = stream(false);
  for (const message of ['Fetching', 'Fetching (1 s)', 'Fetching (2 s)', 'Testing', 'Testing (3 s)'])
    line.show(message);
  line.clear();
  expect(written.join('')).toBe('Fetching\nTesting\n');
});
