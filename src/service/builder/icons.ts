/** Icons that stand before a value and say what it is, by what sets of icons commonly call their signs. */
import { type Element, isTag, isText } from 'domhandler';
import { classesOf, elementsOf, shownText } from './elements.ts';
import { wordsOf } from './words.ts';

/** Each line: what it says of the value beside it, and what the sign is called. */
const signs = `
location: map marker pin location place geo globe compass
date: calendar event today
time: clock hourglass schedule timer stopwatch watch time
author: user person pencil pen account profile avatar author
price: euro dollar pound money cash coin wallet price banknote
tag: tag bookmark label
bedroom: bed bedroom sleep
bathroom: bath bathtub shower bathroom
mileage: tachometer odometer gauge speedometer dashboard road mileage
fuel: fuel gas pump
transmission: cog gear gearbox transmission
phone: phone telephone mobile call
email: envelope mail email at
website: link website web
view: eye view visibility
like: heart like favorite
vote: upvote thumb
comment: comment chat message bubble speech forum
rating: star rating
download: download
size: ruler area expand dimension square
company: building company business office bank
job: briefcase suitcase work
person: user people group person guest seat
serving: utensil fork restaurant serving
temperature: thermometer temperature temp
wind: wind
rain: rain droplet drop umbrella precipitation water
language: language translate
category: folder category list
difficulty: chef skill level signal
`;
const saidBy = new Map<string, string[]>();
for (const line of signs.trim().split('\n')) {
  const [kind = '', words = ''] = line.split(': ');
  for (const word of words.split(' ')) saidBy.set(word, [...(saidBy.get(word) ?? []), kind]);
}

const iconClass =
  /(?:^|[-_])(?:icons?|ico|fa|fas|far|fal|fab|fad|glyphicon|bi|ti|mdi|ri|bx|lucide|feather|ion|typcn|octicon|dashicons|material-symbols)(?:[-_]|$)/i;
const iconFile = /(?:^|[-_/])ico(?:n|ns)?(?:[-_/]|$)|\.svg(?:[?#]|$)/i;
/** What sets call themselves and how a sign is drawn, not what it shows. */
const drawing = new Set(
  'icon ico fa fas far fal fab fad glyphicon bi ti mdi ri bx lucide feather ion svg solid regular light thin fill filled outline outlined line alt o sm lg xs md xl fw sharp duotone open half left right circle material symbol symbols rounded dashicon octicon sprite small img image'.split(
    ' ',
  ),
);

/** The name of a sign that is written as a word in the font of its set. */
const ligatureOf = (element: Element) =>
  classesOf(element).some((name) => /^material-(?:icons|symbols)/.test(name))
    ? element.children.map((child) => (isText(child) ? child.data : '')).join('')
    : '';

const linkOf = ({ attribs }: Element) => attribs.href ?? attribs['xlink:href'] ?? '';

/** Whether it is a sign without a text of its own. */
export function isIcon(element: Element): boolean {
  const { name, attribs } = element;
  if (name === 'svg') return true;
  if (name === 'img') return iconFile.test(attribs.src ?? '') || classesOf(element).some(isIconClass);
  if (!/^(?:i|span|em|div|b)$/.test(name) || shownText(element) !== '') return false;
  if (ligatureOf(element) !== '') return true;
  const [only, more] = elementsOf(element);
  if (only !== undefined) return more === undefined && isIcon(only);
  return name === 'i' || classesOf(element).some(isIconClass);
}
const isIconClass = (name: string) => iconClass.test(name);

/** What a sign says of the value beside it: the kinds of fields that it stands for. */
export function iconNames(element: Element): string[] {
  const texts: string[] = [ligatureOf(element), ...classesOf(element)];
  const read = (one: Element, depth: number) => {
    const { attribs } = one;
    texts.push(attribs['aria-label'] ?? '', attribs.title ?? '', attribs['data-icon'] ?? '');
    texts.push(attribs['data-lucide'] ?? '', attribs['data-feather'] ?? '');
    if (one.name === 'img')
      texts.push(attribs.alt ?? '', (attribs.src ?? '').replace(/^.*\/|\.\w+(?:\?.*)?$/g, ''));
    if (one.name === 'use') texts.push(linkOf(one).replace(/^.*#/, ''));
    if (one.name === 'title')
      texts.push(one.children.map((child) => (isText(child) ? child.data : '')).join(''));
    if (depth < 2) for (const child of one.children) if (isTag(child)) read(child, depth + 1);
  };
  read(element, 0);
  const words = texts.filter((text) => text.length < 60).flatMap(wordsOf);
  const told = words.filter((word) => !drawing.has(word) && /^[\p{L}]{2,}$/u.test(word));
  const kinds = told.flatMap((word) => saidBy.get(word) ?? []);
  return [...new Set([...kinds, ...told])].slice(0, 6);
}
