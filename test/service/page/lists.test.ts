/** Which elements are the rows of a list. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { shownText } from '../../../src/service/page/elements.ts';
import { findLists } from '../../../src/service/page/lists.ts';

function firstList(content: string): string[] {
  const body = Buffer.from(`<!doctype html><html lang="en"><title>Lamps</title><body>${content}`);
  const page = { url: 'http://x.example/', status: 200, contentType: 'text/html', link: '', body };
  const root = new Document(page).html('body').get(0);
  const [list] = root === undefined ? [] : findLists(root);
  return (list?.rows ?? []).map((row) => row.map((element) => shownText(element)).join(' '));
}

const row = (name: string, classes: string) => `<li class="${classes}"><h3>${name}</h3><p>£7.50</p></li>`;

it.each(['row promo', 'row sponsored', 'row ad-item'])('a row of the class "%s" stays a row', (classes) => {
  const list = `<ul>${row('Oak', 'row')}${row('Elm', classes)}${row('Ash', 'row')}${row('Fir', 'row')}</ul>`;
  expect(firstList(list)).toEqual(['Oak £7.50', 'Elm £7.50', 'Ash £7.50', 'Fir £7.50']);
});

it('a list whose rows are all called advertisements is a list', () => {
  const list = `<ul>${['Oak', 'Elm', 'Ash', 'Fir'].map((name) => row(name, 'ad-card')).join('')}</ul>`;
  expect(firstList(list)).toEqual(['Oak £7.50', 'Elm £7.50', 'Ash £7.50', 'Fir £7.50']);
});
