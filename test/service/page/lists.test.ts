/** Which elements are the rows of a list. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { shownText } from '../../../src/service/page/elements.ts';
import { findLists } from '../../../src/service/page/lists.ts';

function listsOf(content: string): string[][] {
  const body = Buffer.from(`<!doctype html><html lang="en"><title>Lamps</title><body>${content}`);
  const page = { url: 'http://x.example/', status: 200, contentType: 'text/html', link: '', body };
  const root = new Document(page).html('body').get(0);
  const lists = root === undefined ? [] : findLists(root);
  return lists.map(({ rows }) => rows.map((row) => row.map((element) => shownText(element)).join(' ')));
}
const firstList = (content: string): string[] => listsOf(content)[0] ?? [];

const row = (name: string, classes: string) => `<li class="${classes}"><h3>${name}</h3><p>£7.50</p></li>`;

it.each(['row promo', 'row sponsored', 'row ad-item'])('a row of the class "%s" stays a row', (classes) => {
  const list = `<ul>${row('Oak', 'row')}${row('Elm', classes)}${row('Ash', 'row')}${row('Fir', 'row')}</ul>`;
  expect(firstList(list)).toEqual(['Oak £7.50', 'Elm £7.50', 'Ash £7.50', 'Fir £7.50']);
});

it('a list whose rows are all called advertisements is a list', () => {
  const list = `<ul>${['Oak', 'Elm', 'Ash', 'Fir'].map((name) => row(name, 'ad-card')).join('')}</ul>`;
  expect(firstList(list)).toEqual(['Oak £7.50', 'Elm £7.50', 'Ash £7.50', 'Fir £7.50']);
});

it('texts for some readers, and who is quoted, are words of their own', () => {
  const one = (name: string) =>
    `<li>${name}<b class="visually-hidden">Sold out</b>12<b class="d-md-none">SK 1</b><blockquote><cite>Ann wrote:</cite>Yes</blockquote>No</li>`;
  const list = `<ul>${['Oak', 'Elm', 'Ash'].map(one).join('')}</ul>`;
  expect(firstList(list)[0]).toBe('Oak Sold out 12 SK 1 Ann wrote: Yes No');
});

it('a value that an element repeats, for sorting or other screens, is one', () => {
  const one = (name: string) =>
    `<li>${name} <b>4:12:45<i class="hide">4:12:45</i></b> <u>7 m<i class="x">7 m</i></u> <em>1<i class="x">1</i></em> <var>–<i class="hide">–</i></var></li>`;
  const list = `<ul>${['Oak', 'Elm', 'Ash'].map(one).join('')}</ul>`;
  expect(firstList(list)[0]).toBe('Oak 4:12:45 7 m 11 –');
});

it('a scale is what its label says', () => {
  const one = (step: number) =>
    `<li>Fund <b aria-label="Risk ${step} of 3"><i>1</i><i>2</i><i>3</i></b> <b aria-label="Floors">1 2 3</b></li>`;
  expect(firstList(`<ul>${[1, 2, 3].map(one).join('')}</ul>`)[1]).toBe('Fund Risk 2 of 3 1 2 3');
});

it('copies of slides, which begin and end a slider, are no rows of their own', () => {
  const slide = (name: string, more = '') =>
    `<div class="slide${more}"${more && ' aria-hidden="true"'}><h3>${name}</h3><p>£7.50</p></div>`;
  const list = (more: string) =>
    `<div>${slide('Fir', more)}${['Oak', 'Elm', 'Ash', 'Fir'].map((name) => slide(name)).join('')}${slide('Oak', more)}</div>`;
  const rows = ['Oak £7.50', 'Elm £7.50', 'Ash £7.50', 'Fir £7.50'];
  for (const more of [' swiper-slide-duplicate', ' slick-cloned', ' splide__slide--clone'])
    expect(firstList(list(more))).toEqual(rows);
  expect(firstList(list(' cloned').replace('Fir</h3>', 'Yew</h3>'))).toEqual(['Yew £7.50', ...rows]);
  expect(firstList(list(' seen'))).toHaveLength(6);
});

it('the only children of rows are one list, whatever a few of them have in them', () => {
  const item = (name: string, more: string) => `<li><a href="/${name}"><h2>${name}</h2>${more}</a></li>`;
  const rated = '<div>Rated <strong>4.50</strong> of 5</div>';
  const list = `<ul>${item('Oak', `${rated}<span><del>£25.00</del> <ins>£19.99</ins></span>`)}
    ${item('Elm', '<span>£34.00</span>')}${item('Ash', `${rated}<span>£14.00</span>`)}
    ${item('Fir', '<span><b>£6.00</b> – <b>£9.50</b></span>')}</ul>`;
  for (const rows of listsOf(list)) if (rows.some((row) => row.includes('Oak'))) expect(rows).toHaveLength(4);
});

it('a second list with the same links is a copy for another screen, and one with the same texts alone is none', () => {
  const item = (name: string) => `<li><a href="/${name}">${name}</a> <b>£7.50</b></li>`;
  const lists = (rows: string, others = rows) =>
    `<div class="wide"><ul>${rows}</ul></div><div class="small"><ul>${others}</ul></div>`;
  const linked = ['Oak', 'Elm', 'Ash'].map(item).join('');
  const listWith = (text: string, content: string) => listsOf(content).find((rows) => rows.includes(text));
  expect(listWith('Oak £7.50', lists(linked))).toEqual(['Oak £7.50', 'Elm £7.50', 'Ash £7.50']);
  expect(listWith('Oak £7.50', lists(linked, item('Oak') + item('Elm') + item('Fir')))).toHaveLength(6);
  const hours = ['Mon', 'Tue', 'Wed'].map((day) => `<li>${day} <b>9–17</b></li>`).join('');
  expect(listWith('Mon 9–17', lists(hours))).toHaveLength(6);
});

it('plain items of one list are one list, also where one has no list of its own inside', () => {
  const group = (name: string) =>
    `<li>${name}<ul><li>Cut <b>£7.50</b></li><li>Dye <b>£9.50</b></li></ul></li>`;
  const rows = listsOf(`<ul>${group('Hair')}${group('Nails')}<li>Massage <b>£7.50</b></li></ul>`);
  expect(rows).toContainEqual(['Hair Cut £7.50 Dye £9.50', 'Nails Cut £7.50 Dye £9.50', 'Massage £7.50']);
});

it.each(['menu', 'sidebar', 'filters'])('cards that are links stay rows in a box named "%s"', (name) => {
  const card = (dish: string) =>
    `<a class="dish" href="/${dish}"><h3>${dish}</h3><p>From the farm next door</p><span>£7.50</span></a>`;
  expect(listsOf(`<div class="${name}">${['Soup', 'Pike', 'Cake'].map(card).join('')}</div>`)).toContainEqual(
    ['Soup', 'Pike', 'Cake'].map((dish) => `${dish} From the farm next door £7.50`),
  );
});
