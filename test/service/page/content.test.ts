/** What is content of a page and what stands around it: decided by structure, never by a word or by how often it stands there. */
import { describe, expect, it } from 'vitest';
import { readContent } from '../../../src/service/page/content.ts';
import { Document } from '../../../src/service/page/document.ts';
import { toMarkdown } from '../../../src/service/page/markdown.ts';

const toDocument = (markup: string) =>
  new Document({
    url: 'https://harbour.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(markup),
  });

function read(markup: string): string {
  const document = toDocument(markup);
  const { html, base } = document;
  return readContent(html, (content) =>
    (content?.roots ?? []).map((root) => toMarkdown(html, root, base)).join('\n\n'),
  );
}

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join('');

describe('nothing is cut out of content because it repeats', () => {
  it('the stock of most books', () => {
    const text = read(
      `<main><h1>Books</h1>${repeat(10, (index) => `<li><a href="/b${index}">Book ${index}</a> <b>€${index}.30</b> <span class="stock">${index % 5 === 4 ? 'sold out' : 'in stock'}</span></li>`)}</main>`,
    );
    expect(text.match(/in stock/g)).toHaveLength(8);
    expect(text.match(/sold out/g)).toHaveLength(2);
  });

  const note = 'Please note that smoking is not allowed in any of the rooms.';
  it.each([
    [
      'a sentence of the text',
      `<main><h1>Rooms</h1><p>${note}</p><h2>North</h2><p>Two beds.</p><p>${note}</p></main>`,
    ],
    [
      'a sentence in a box',
      `<main><h1>Rooms</h1><p>${note}</p><h2>North</h2><div class="box"><p>${note}</p></div></main>`,
    ],
    [
      'the same text of rows',
      `<main><h1>Jobs</h1>${repeat(3, (index) => `<div class="${index % 2 ? 'odd' : 'even'}"><h3>Room ${index}</h3><p>${index < 2 ? note : 'Two beds.'}</p></div>`)}</main>`,
    ],
  ])('%s', (_, markup) => expect(read(markup).split(note)).toHaveLength(3));

  it('but a block that stands there twice, once for each size of screen, is read once', () => {
    const block = `<h2>North</h2><p>${note}</p><p>Two beds, a table and a view of the lake. Breakfast from seven to ten.</p>`;
    const text = read(
      `<main><h1>Rooms</h1><div class="desktop">${block}</div><div class="mobile">${block}</div></main>`,
    );
    expect(text.split(note)).toHaveLength(2);
  });

  it('the place and the kind of most jobs, even of all', () => {
    const text = read(
      `<main><h1>Jobs</h1>${repeat(8, (index) => `<div class="job"><h3><a href="/j${index}">Job ${index}</a></h3><span class="kind">Full-time</span><span class="place">${index < 6 ? 'Remote' : 'Paris'}</span></div>`)}</main>`,
    );
    expect(text.match(/Full-time/g)).toHaveLength(8);
    expect(text.match(/Remote/g)).toHaveLength(6);
  });

  it('a word inside sentences', () => {
    const text = read(
      `<main><h1>Rules</h1>${repeat(5, (index) => `<p>In hall ${index} smoking is <em>never</em> allowed, and <b>no</b> dogs.</p>`)}</main>`,
    );
    expect(text.match(/\*never\* allowed, and \*\*no\*\* dogs/g)).toHaveLength(5);
  });

  it('who won', () => {
    const text = read(
      `<main><h1>Results</h1><ul>${repeat(6, (index) => `<li><a href="/g${index}">Team ${index}</a> <span>${index === 3 ? 'lost' : 'won'}</span> ${index}:1</li>`)}</ul></main>`,
    );
    expect(text.match(/won/g)).toHaveLength(5);
  });
});

describe('of the content', () => {
  const prose = `<p>${'The stones of the pier were set by masons from three valleys. '.repeat(4)}</p>`;

  it('what cannot be changed stays with its label, what waits for an answer goes', () => {
    const text = read(
      `<main><h1>Boat</h1>${prose}<p><label for="w">Weight</label> <output id="w">5 t</output></p><p><label for="q">Quantity</label> <input id="q"></p></main>`,
    );
    expect(text).toContain('Weight 5 t');
    expect(text).not.toContain('Quantity');
  });

  it.each([
    ['around it', (select: string) => `<label>Size ${select}</label>`],
    ['before it', (select: string) => `<label for="s">Size</label> ${select}`],
  ])('a choice of things with a price, with its label %s', (_, write) => {
    const options = ['S - $12.99', 'M - $15.99 (out of stock)', 'L - $19.99'];
    const choice = (all: readonly string[]) =>
      write(`<select id="s">${all.map((option) => `<option>${option}</option>`).join('')}</select>`);
    const page = (all: readonly string[]) =>
      read(`<main><h1>Chair</h1>${prose}<form>${choice(all)}</form></main>`);
    expect(page(options)).toContain('Size S - $12.99; M - $15.99 (out of stock); L - $19.99');
    expect(page(['Newest first', 'Oldest first'])).not.toContain('first');
  });

  it('tasks that are done stay done', () => {
    const text = read(
      `<main><h1>Tasks</h1>${prose}<ul><li><input type="checkbox" checked> paint</li><li><input type="checkbox"> rig</li></ul></main>`,
    );
    expect(text).toContain('- [x] paint\n- [ ] rig');
  });

  const answer = '<p>Bikes cost 4,50 € each way.</p>';
  it.each([
    [
      'by a heading',
      `<h3><button aria-expanded="false" aria-controls="a">Bikes?</button></h3><div id="a" style="display:none">${answer}</div>`,
    ],
    [
      'by a button alone',
      `<button aria-expanded="false" aria-controls="a">Bikes?</button><div id="a" hidden>${answer}</div>`,
    ],
    [
      'by a button that names no panel',
      `<dl><dt><button aria-expanded="false">Bikes?</button></dt> <dd hidden>${answer}</dd></dl>`,
    ],
    [
      'by a tab',
      `<h3>Bikes?</h3><div role="tablist"><button role="tab">Way</button></div><div role="tabpanel" hidden>${answer}</div>`,
    ],
    [
      'by a link',
      `<h3>Bikes?</h3><a data-toggle="collapse" href="#a">Show</a><div class="collapse" id="a" style="display:none">${answer}</div>`,
    ],
    ['by a search', `<h3>Bikes?</h3><div hidden="until-found">${answer}</div>`],
    [
      'by a control that says nothing of it',
      `<div role="button"><a>Bikes?</a></div><div style="display:none">${answer}</div>`,
    ],
    [
      'by what a script makes a control',
      `<div class="expand-control"><span>Bikes?</span></div><div style="display:none">${answer}</div>`,
    ],
    ['by a term', `<dl><dt><a href="">Bikes?</a></dt><dd style="display:none">${answer}</dd></dl>`],
    ['by a heading alone', `<h3>Bikes?</h3><div style="display:none">${answer}</div>`],
    [
      'by a button that its name tells, where styles hide it',
      `<button class="faq__button">Bikes?</button><div class="faq__answer">${answer}</div>`,
    ],
  ])('a panel that is opened %s is read', (_, panel) => {
    const text = read(`<main><h1>Ferry</h1>${prose}${panel}</main>`);
    expect(text).toMatch(/Bikes\?[\s\S]*4,50 €/);
  });

  it.each([
    [
      'a menu of the site',
      `<nav><button aria-expanded="false" aria-controls="a">Menu</button></nav><div id="a" hidden>${answer}</div>`,
    ],
    [
      'a dialog',
      `<button aria-expanded="false" aria-haspopup="dialog" aria-controls="a">Ask</button><div id="a" hidden>${answer}</div>`,
    ],
    ['nothing', `<div hidden>${answer}</div>`],
  ])('a hidden part that is opened by %s is not', (_, part) => {
    expect(read(`<main><h1>Ferry</h1>${prose}${part}</main>`)).not.toContain('4,50');
  });

  it.each([
    [
      'what an article lists to be ticked',
      '<article><h2>Needs</h2><ul><li><label><input type="checkbox"> 200 g lentils</label></li></ul></article>',
      '- [ ] 200 g lentils',
    ],
    [
      'a rating that is shown by signs',
      '<div><span class="sr-only">4.5 out of 5</span><i class="fa fa-star"></i></div>',
      '4.5 out of 5',
    ],
    [
      'the name of a column of signs',
      '<table><tr><th>Dish<th><span class="sr-only">Vegan</span><tr><td>Dal<td>x</table>',
      '| Dish | Vegan |',
    ],
    ['no word that a font draws', '<p><i class="material-icons">check</i> In stock</p>', '\n\nIn stock'],
  ])('%s', (_, part, expected) => {
    expect(read(`<main><h1>Ferry</h1>${prose}${part}</main>`)).toContain(expected);
  });

  it('the name and the price of a product beside its description', () => {
    const product = `<div><div><h1>Boat</h1><span itemprop="price">90 €</span></div><div>${prose.repeat(4)}</div></div>`;
    expect(read(`<title>Boat</title>${product}`)).toContain('# Boat\n\n90 €');
  });

  it('films and frames stay as links', () => {
    const text = read(
      `<main><h1>Lock</h1>${prose}<iframe src="https://video.example/7" title="How the lock works"></iframe></main>`,
    );
    expect(text).toContain('[How the lock works](https://video.example/7)');
  });

  it('the heading beside it, where the title says something else', () => {
    const rows = repeat(30, (index) => `<div><b>Day ${index}</b> <i>0${index}:12</i></div>`);
    expect(read(`<title>Home</title><h1>Tides</h1><div>${rows}</div>`)).toContain(
      '# Tides\n\n**Day 0** *00:12*',
    );
  });

  it('a price between the name of a thing and its description, with what stands beside it', () => {
    const text = read(
      `<title>Jacket</title><main><h1>Jacket</h1><p>79,90 €</p><p>Only 2 left</p><div>${prose}</div></main>`,
    );
    expect(text).toMatch(/# Jacket\s+79,90 €\s+Only 2 left\s+The stones/);
  });

  it('a short aside of an article, but no box of links', () => {
    const text = read(
      `<article><h1>Limits</h1>${prose}<table><tr><th>Plan<th>Calls<tr><td>Free<td>30</table><aside>Hooks do not count.</aside><aside><a href="/x">More plans</a></aside></article>`,
    );
    expect(text).toContain('Hooks do not count.');
    expect(text).not.toContain('More plans');
  });

  it('short notes among the blocks of a manual', () => {
    const note = (text: string) => `<aside class="note"><p>Note</p><div><p>${text}</p></div></aside>`;
    const text = read(
      `<main><h1>Upgrade</h1><div>${prose}${note('Back up first.')}<h2>Steps</h2>${prose}${note('Use py -m pip.')}<pre>pip</pre>${prose}</div></main>`,
    );
    expect(text).toContain('Back up first.');
    expect(text).toContain('Use py -m pip.');
  });

  it('the tree of the page stays as it was', () => {
    const document = toDocument(
      `<body><nav><a href="/">Home</a></nav><main><h1>Pier</h1>${prose}</main></body>`,
    );
    const before = document.html.html();
    const whole = readContent(document.html, (content) => {
      for (const root of content?.roots ?? []) toMarkdown(document.html, root, document.base);
      expect(document.html.html()).not.toContain('Home');
      return content?.whole(() => document.html.html());
    });
    expect(whole).toBe(before);
    expect(document.html.html()).toBe(before);
    expect(document.html('nav a').closest('body')).toHaveLength(1);
  });
});

describe('a panel has the name of its tab', () => {
  const prose =
    '<p>The ferry leaves from the northern pier, in summer also from the southern one.</p>'.repeat(3);
  const [month, year] = ['<p>Small 9 €, large 29 €.</p>', '<p>Small 90 €, large 290 €.</p>'];
  it.each([
    [
      'that names it',
      `<div role="tablist"><button role="tab" aria-controls="m">Monthly</button><button role="tab" aria-controls="y">Yearly</button></div><div role="tabpanel" id="m">${month}</div><div role="tabpanel" id="y" hidden>${year}</div>`,
    ],
    [
      'that it names',
      `<div role="tablist"><button role="tab" id="m">Monthly</button><button role="tab" id="y">Yearly</button></div><div role="tabpanel" aria-labelledby="m">${month}</div><div role="tabpanel" aria-labelledby="y" hidden>${year}</div>`,
    ],
    [
      'that links to it',
      `<ul class="nav nav-tabs"><li><a href="#m" data-toggle="tab">Monthly</a><li><a href="#y" data-toggle="tab">Yearly</a></ul><div class="tab-pane" id="m">${month}</div><div class="tab-pane" id="y">${year}</div>`,
    ],
    [
      'at the same place of as many',
      `<ul role="tablist"><li role="tab" aria-selected="true">Monthly</li><li role="tab">Yearly</li></ul><div><div role="tabpanel">${month}</div><div role="tabpanel" hidden>${year}</div></div><div role="tablist"><button role="tab">Pier</button></div><div role="tabpanel"></div>`,
    ],
    [
      'by boxes of which one is ticked',
      `<div class="tabbed-set"><input type="radio" id="m" name="t" checked><input type="radio" id="y" name="t"><div><label for="m">Monthly</label><label for="y">Yearly</label></div><div><div>${month}</div><div>${year}</div></div></div>`,
    ],
    [
      'by boxes before each panel',
      `<div class="tabs"><input type="radio" id="m" name="t" checked><label for="m">Monthly</label><div>${month}</div><input type="radio" id="y" name="t"><label for="y">Yearly</label><div>${year}</div></div>`,
    ],
    [
      'that a plain button shows',
      `<div class="tabs"><button aria-controls="m">Monthly</button><button aria-controls="y">Yearly</button><div id="m">${month}</div><div id="y" hidden>${year}</div></div>`,
    ],
    [
      'that only a class calls so',
      `<div class="req_tabs"><div class="req_tab">Monthly</div><div class="req_tab">Yearly</div><div class="clear"></div></div><div><div>${month}</div><div style="display:none">${year}</div></div>`,
    ],
    [
      'that is a button of a class',
      `<div class="tab"><button class="tablinks">Monthly</button><button class="tablinks">Yearly</button></div><div class="content" id="m">${month}</div><div class="content" id="y" style="display:none">${year}</div>`,
    ],
    [
      'in a menu of tabs',
      `<div><div class="menu"><a class="w-tab-link"><div>Monthly</div></a><a class="w-tab-link"><div>Yearly</div></a></div><div><div>${month}</div><div>${year}</div></div></div>`,
    ],
    [
      'in a list of tabs',
      `<ul class="tabs"><li><a href="#m">Monthly</a><li><a href="#y">Yearly</a></ul><div id="m">${month}</div><div id="y">${year}</div>`,
    ],
  ])('%s', (_, tabs) => {
    const text = read(`<main><h1>Ferry</h1>${prose}${tabs}</main>`);
    expect(text).toMatch(/\*\*Monthly\*\*\s+Small 9 €, large 29 €\.\s+\*\*Yearly\*\*\s+Small 90 €/);
  });

  it.each([
    ['more tabs than panels', '<li role="tab">Daily</li>', ''],
    ['a panel that names another', '', ' id="o"'],
  ])('but not for %s', (_, more, id) => {
    const tabs = `<a role="tab" href="#o">Other</a><ul role="tablist"><li role="tab">Monthly</li><li role="tab">Yearly</li>${more}</ul><div role="tabpanel"${id}>${month}</div><div role="tabpanel" hidden>${year}</div>`;
    const text = read(`<main><h1>Ferry</h1>${prose}${tabs}</main>`);
    expect(text).not.toContain('Monthly');
  });

  it('also of links whose panel is short and hidden', () => {
    const tabs = `<ul class="nav-tabs"><li><a href="#m">Monthly</a><li><a href="#y">Yearly</a></ul><div id="m">${month}</div><div id="y" style="display:none">${year}</div>`;
    expect(read(`<main><h1>Ferry</h1>${prose}${tabs}</main>`)).toMatch(/\*\*Yearly\*\*\s+Small 90 €/);
  });

  it('also where its code begins with it', () => {
    const tabs = `<div role="tablist"><button role="tab" aria-controls="m">npm</button></div><div role="tabpanel" id="m"><pre>npm install boat</pre></div>`;
    expect(read(`<main><h1>Ferry</h1>${prose}${tabs}</main>`)).toContain('**npm**\n\n```\nnpm install');
  });

  it('but not where it begins with it', () => {
    const tabs = `<div role="tablist"><button role="tab" aria-controls="m">Monthly</button></div><div role="tabpanel" id="m"><h2>Monthly</h2>${month}</div>`;
    const text = read(`<main><h1>Ferry</h1>${prose}${tabs}</main>`);
    expect(text.match(/Monthly/g)).toHaveLength(1);
  });
});

describe('what is called a menu', () => {
  const prose = `<p>${'The inn stands at the pier and cooks what the boats bring in. '.repeat(8)}</p>`;
  const dish = (name: string, price: string) =>
    `<div class="menu-item"><div class="menu-item-title">${name}</div><div class="menu-item-price">${price}</div></div>`;
  const page = (menu: string) => `<main><h1>Inn</h1>${prose}<div class="menu-block">${menu}</div></main>`;

  it('stays with its items where it has no links', () => {
    const text = read(page(`<div class="menu-section">${dish('Leeks', '$12')}${dish('Hake', '$27')}</div>`));
    expect(text).toMatch(/Leeks\s+\$12\s+Hake\s+\$27/);
  });

  it.each([
    ['links', '<a href="/a">Starters of the house</a> <a href="/b">Mains of the house</a> $12'],
    [
      'choices',
      '<p>Sort the dishes of the house by what they cost</p><select><option>Price<option>Name</select>',
    ],
  ])('is left out where it has %s', (_, menu) => {
    expect(read(page(menu))).not.toContain('of the house');
  });
});

it('the cards of a list, with a link around each picture, are no menu of the site', () => {
  const cards = ['knots', 'sails', 'ropes', 'anchors'].map(
    (name) =>
      `<div><a href="/${name}"><img src="/${name}.jpg"></a><a href="/${name}">All that you should know of ${name}</a></div>`,
  );
  const text = read(
    `<main><h1>Guides</h1><p>${'The boats of the lake need care. '.repeat(8)}</p><div>${cards.join('')}</div></main>`,
  );
  expect(text).toContain('know of ropes');
});

it('a term whose text is a button names what it opens', () => {
  const term = (name: string) => `<dt><button>${name}</button></dt><dd>Sugar, pectin and ${name} oil</dd>`;
  const text = read(`<main><h1>Gummies</h1><dl>${term('Ingredients')}${term('Use')}</dl></main>`);
  expect(text).toMatch(/Ingredients\*\*\s+: Sugar/);
});

describe('what a class hides beside what is shown', () => {
  it.each(['d-none', 'hidden'])('%s is left out', (name) => {
    const text = read(
      `<main><h1>Trains</h1><table><tr><th>Train</th><th>To</th></tr><tr class="${name}"><td>RE 9</td><td>Rye</td></tr><tr><td>RE 1</td><td>Hull</td></tr></table><p>Fare <span class="x ${name}">99 €</span> 12 €</p><p class="${name}">Sold out</p><div><b class="${name}">20261105</b>5 Nov</div></main>`,
    );
    expect(text).toMatch(/RE 1[\s\S]*Fare 12 €[\s\S]*\n5 Nov/);
    expect(text).not.toMatch(/RE 9|99|Sold out|2026/);
  });

  it('a copy of the value before it is left out', () => {
    const cell = '<td class="time">4:12:45<span class="hide">4:12:45</span></td>';
    const page = `<main><h1>Race</h1><table><tr><th>Rider</th><th>Time</th></tr><tr><td>Lars</td>${cell}</tr></table></main>`;
    expect(read(page)).toContain('| Lars | 4:12:45 |');
  });

  it.each([
    [
      'on other screens',
      '<b>Sizes</b><i class="d-none d-md-block">Large</i><i class="hidden lg:flex">Small</i>',
    ],
    ['as the rest of a list', '<b>Large</b><b class="hidden">Small</b><b class="hidden">Tiny</b><i>+2</i>'],
  ])('is kept where it is shown %s', (_, sizes) => {
    expect(read(`<main><h1>Cup</h1><p>A cup for coffee.</p><div>${sizes}</div></main>`)).toMatch(
      /Large[\s\S]*Small/,
    );
  });
});

it('a short note to which the text refers is part of it, also in an aside', () => {
  const note =
    '<aside><aside id="n1" role="doc-footnote"><a href="#r1">1</a><p>TOML 1.0 only.</p></aside></aside>';
  expect(
    read(
      `<main><h1>Files</h1><p>All formats are read.</p><p>See <a id="r1" href="#n1">[1]</a>.</p>${note}</main>`,
    ),
  ).toContain('TOML 1.0 only.');
});
