/** One value of a result: a text folded where it is long, an address as a link that the host opens, a tree for the rest. */
import { booleanText, hasLines } from '../contract/result-rows.ts';
import { element, visible, webAddress } from './elements.ts';

/** Characters of a text before it is folded. */
const foldedAfter = 120;
/** Longer texts are cut here; downloads have them whole. */
const shownAtMost = 20_000;
const childrenAtMost = 200;
const deepest = 12;

/** Opens an address: the host asks its user. */
export type OpenLink = (address: string) => void;

export function showValue(value: unknown, openLink: OpenLink, depth = 0): Node {
  if (value === null || value === undefined) return element('span', { class: 'quiet' }, '–');
  if (typeof value === 'string') return showText(value, openLink);
  if (typeof value === 'boolean') return document.createTextNode(booleanText(value));
  if (typeof value !== 'object') return document.createTextNode(String(value));
  const members = Object.entries(value);
  const unit = Array.isArray(value) ? 'item' : 'field';
  const count = `${members.length} ${unit}${members.length === 1 ? '' : 's'}`;
  if (members.length === 0)
    return element('span', { class: 'quiet' }, Array.isArray(value) ? 'empty list' : 'empty');
  const details = element('details', {}, element('summary', {}, count));
  // Made when it is opened: a large tree is never made whole.
  details.addEventListener('toggle', () => details.append(showMembers(value, openLink, depth + 1)), {
    once: true,
  });
  return details;
}

/** The members of an object or list as terms and their values. */
export function showMembers(value: object, openLink: OpenLink, depth = 0): HTMLElement {
  if (depth > deepest) return element('p', { class: 'quiet' }, 'Too deeply nested to show here.');
  const list = element('dl', { class: 'tree' });
  const members = Object.entries(value);
  for (const [name, member] of members.slice(0, childrenAtMost)) {
    list.append(
      element('dt', {}, element('bdi', {}, visible(name.slice(0, 200)))),
      // What a page says is its result; the same in the cell of a table would hide the rows below.
      element(
        'dd',
        {},
        hasLines(member) ? showText(member, openLink, true) : showValue(member, openLink, depth),
      ),
    );
  }
  const remaining = members.length - childrenAtMost;
  if (remaining > 0)
    list.append(element('dt', {}, '…'), element('dd', { class: 'quiet' }, `${remaining} more`));
  return list;
}

const picture = /\.(?:avif|gif|jpe?g|png|svg|webp)(?:\?|$)/i;

/** `isOpen`: a long text is not folded at first. */
function showText(text: string, openLink: OpenLink, isOpen = false): Node {
  const address = webAddress(text);
  if (address !== undefined) return showLink(address, openLink);
  if (text.length <= foldedAfter) return element('bdi', {}, visible(text));
  const rest = text.length - shownAtMost;
  const whole = element('div', { class: 'whole' }, element('bdi', {}, visible(text.slice(0, shownAtMost))));
  if (rest > 0)
    whole.append(element('p', { class: 'quiet' }, `${rest} more characters are in the download.`));
  const start = element('bdi', {}, `${visible(text.slice(0, foldedAfter))}…`);
  return element('details', { class: 'folded', open: isOpen }, element('summary', {}, start), whole);
}

function showLink(address: string, openLink: OpenLink): HTMLElement {
  const { host, pathname, search } = new URL(address);
  const path = `${pathname}${search}`.replace(/^\/$/, '');
  const shown = path.length > 40 ? `${path.slice(0, 39)}…` : path;
  const text = picture.test(pathname) ? 'Picture' : visible(`${host}${shown}`);
  const link = element(
    'a',
    { href: address, title: address, target: '_blank', rel: 'noopener noreferrer' },
    element('bdi', {}, text),
  );
  link.addEventListener('click', (event) => {
    event.preventDefault();
    openLink(address);
  });
  return link;
}
