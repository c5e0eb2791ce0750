/** The text of an element as a reader sees it: what stands in blocks of its own does not run together. */
import { type AnyNode, isTag, isText } from 'domhandler';

const blocks = new Set(
  'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table td th tr ul'.split(
    ' ',
  ),
);
const unseen = new Set(['script', 'style', 'noscript', 'template']);

/** A line for each block; whoever needs one line collapses it. */
export function textOf(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!isTag(node) || unseen.has(node.name)) return '';
  const text = node.children.map(textOf).join('');
  // The sign of a footnote is no part of the value.
  if (node.name === 'sup' && /^\s*\[\w{1,6}\]\s*$/.test(text)) return '';
  return blocks.has(node.name) ? `\n${text}\n` : text;
}
