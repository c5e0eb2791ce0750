/** A long content is written in pieces, and reads as if it were written at once. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { toMarkdown } from '../../../src/service/page/markdown.ts';

function write(content: string): string {
  const body = Buffer.from(`<body>${content}</body>`);
  const page = { url: 'https://harbour.example/', status: 200, contentType: 'text/html', link: '', body };
  const { html, base } = new Document(page);
  const root = html('body').get(0);
  if (root === undefined) throw new Error('No body');
  return toMarkdown(html, root, base);
}
const repeat = (text: (index: number) => string, count = 5_000) =>
  Array.from({ length: count }, (_, index) => text(index)).join('');
const lines = (text: (index: number) => string, joint: string, count = 5_000) =>
  Array.from({ length: count }, (_, index) => text(index)).join(joint);

it.each([
  [
    'items',
    `<ul>${repeat((at) => `<li><b>Boat</b> ${at}</li>`)}</ul>`,
    lines((at) => `- **Boat** ${at}`, '\n'),
  ],
  [
    'numbers of items',
    `<p>Steps</p><ol start="3" class="long">${repeat((at) => `<li><i>Step</i> ${at}</li>`)}</ol><p>End</p>`,
    `Steps\n\n${lines((at) => `${at + 3}. *Step* ${at}`, '\n')}\n\nEnd`,
  ],
  [
    'paragraphs in boxes',
    `<div><h1>Book</h1><div>${repeat((at) => `<p>Page <b>${at}</b></p>`)}</div>left <i>over</i></div>`,
    `# Book\n\n${lines((at) => `Page **${at}**`, '\n\n')}\n\nleft *over*`,
  ],
  ['words in a line', repeat((at) => `<i>word</i> <b>${at}</b> `), lines((at) => `*word* **${at}**`, ' ')],
])('%s', (_, content, expected) => expect(write(content)).toBe(expected));
