/** What elements mean survives in Markdown. */
import { describe, expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { toMarkdown } from '../../../src/service/page/markdown.ts';

const base = 'https://harbour.example/docs/';
const toDocument = (content: string) =>
  new Document({
    url: base,
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(`<body>${content}</body>`),
  });
const write = (content: string): string => {
  const { html } = toDocument(content);
  const root = html('body').get(0);
  if (root === undefined) throw new Error('No body');
  return toMarkdown(html, root, base);
};

describe('Markdown keeps', () => {
  it.each([
    [
      'the address of a link around a block',
      '<a href="/h"><div><span>Aurora</span></div></a>',
      '[Aurora](https://harbour.example/h)',
    ],
    [
      'who answers whom',
      '<div class="comment"><p>Ann</p><div class="replies"><div class="comment"><p>Bob</p><div class="comment"><p>Cid</p></div></div></div></div><div class="comment"><p>Dee</p></div>',
      'Ann\n\n> Bob\n>\n> > Cid\n\nDee',
    ],
    [
      'which items of a list have a tick',
      '<ul><li><i class="fas fa-check"></i> Balcony</li><li><span><i class="bi bi-x-lg"></i></span> Lift</li></ul><ul><li><svg><use href="#icon-check"></use></svg>Wifi</li><li><svg><use href="#cross"></use></svg>Pool</li></ul>',
      '- (check) Balcony\n- (x-lg) Lift\n\n- (check) Wifi\n- (cross) Pool',
    ],
    [
      'the stars of each review that are pictures, and no numbers of a gallery',
      '<div><img alt="Rated 5 of 5 stars"><b>Good</b></div><div><img alt="Rated 1 of 5 stars"><b>Bad</b></div><div><i><img alt="Photo 1 of 2"></i><i><img alt="Photo 2 of 2"></i></div>',
      'Rated 5 of 5 stars **Good**\n\nRated 1 of 5 stars **Bad**',
    ],
    [
      'the stars of a hotel, which are drawn for themselves',
      '<p>Mole <span class="rating" role="img" aria-label="4 out of 5 stars"></span></p><p>Pier <span title="3 stars"><i></i><i></i></span></p>',
      'Mole 4 out of 5 stars\n\nPier 3 stars',
    ],
    [
      'the names of values that stand before them',
      '<dl><dd>88</dd><dt>Pilots</dt><dd>140</dd><dt>Dockers</dt></dl>',
      '**Pilots**\n: 88\n\n**Dockers**\n: 140',
    ],
    [
      'the drawn stars of each review',
      '<p>Ann <span role="img" aria-label="2,5 von 5"></span> Slow</p><div>Bob<div role="img" aria-label="4 von 5"></div></div>',
      'Ann 2,5 von 5 Slow\n\nBob 4 von 5',
    ],
    [
      'which size is chosen, and which cannot be',
      '<div><div aria-checked="false">15 m</div><div aria-checked="true">25 m</div><div aria-disabled="true">50 m</div></div><p class="disabled">Note</p>',
      '15 m\n\n25 m [chosen]\n\n50 m [disabled]\n\nNote',
    ],
    [
      'the icons of the cells of a column that differ',
      '<table><tr><th>Coin</th><th>Day</th></tr><tr><td>A</td><td><i class="icon-up"></i>1 %</td></tr><tr><td>B</td><td><i class="icon-down"></i>2 %</td></tr><tr><td>C</td><td><i class="icon-up"></i>3 %</td></tr></table>',
      '| Coin | Day |\n| --- | --- |\n| A | (up) 1 % |\n| B | (down) 2 % |\n| C | (up) 3 % |',
    ],
    [
      'the icons of values that stand in elements of their own',
      '<table><tr><th>Coin</th><th>Day</th></tr><tr><td>A</td><td><span><svg><use href="#arrow-up"></use></svg>1 %</span></td></tr><tr><td>B</td><td><span><svg><use href="#arrow-down"></use></svg>2 %</span></td></tr><tr><td>C</td><td><span><svg><use href="#arrow-up"></use></svg>3 %</span></td></tr></table>',
      '| Coin | Day |\n| --- | --- |\n| A | (arrow-up) 1 % |\n| B | (arrow-down) 2 % |\n| C | (arrow-up) 3 % |',
    ],
    [
      'no icons that repeat the text beside them',
      '<ul><li><i class="fa fa-phone"></i> 12 34</li><li><i class="fa fa-envelope"></i> a@b.example</li></ul><ul><li><i class="fa fa-check"></i> yes</li><li><i class="fa fa-check"></i> yes</li><li><i class="fa fa-times"></i> no</li></ul>',
      '- 12 34\n- a@b.example\n\n- yes\n- yes\n- no',
    ],
    [
      'what a class strikes out',
      'Tour <span class="text-decoration-line-through text-muted">25 €</span> 19 €',
      'Tour ~~25 €~~ 19 €',
    ],
    ['a file by its name', '<object data="/f/t.pdf"></object>', '[t.pdf](https://harbour.example/f/t.pdf)'],
    [
      'a file and what stands for it',
      '<object data="/f/t.pdf">No PDF here.</object>',
      '[t.pdf](https://harbour.example/f/t.pdf) No PDF here.',
    ],
    ['a film', '<embed src="/f.mp4">', '[Video](https://harbour.example/f.mp4)'],
    [
      'a sound by a link in it',
      '<audio><a href="/b.mp3">Get</a></audio>',
      '[Audio](https://harbour.example/b.mp3)',
    ],
    [
      'a drawing by its label',
      '<svg role="img" aria-label="Boats: 2024 12, 2025 19"><text>19</text></svg>',
      '![Boats: 2024 12, 2025 19]',
    ],
    [
      'who is quoted as a line, and a title in a sentence',
      '<blockquote><div><cite>Ann wrote:</cite>We saw <cite>Hamlet</cite> twice.</div></blockquote>Yes.',
      '> *Ann wrote:*\n>\n> We saw *Hamlet* twice.\n\nYes.',
    ],
    [
      'a picture as a figure, without an address',
      '<figure><img alt="A boat"></figure>(photo)',
      '![A boat]\n\n(photo)',
    ],
    [
      'a picture as a figure, without an address before a bracket',
      '<figure><img alt="A boat">(photo)</figure>',
      '![A boat] (photo)',
    ],
    [
      'a picture as a figure that waits for a script',
      '<figure><img alt="A boat" src="data:image/gif;base64,R0" data-hi-res-src="/a(1).jpg"></figure>',
      '![A boat](https://harbour.example/a%281%29.jpg)',
    ],
    [
      'a picture as a figure by its sources',
      '<figure><picture><source srcset="/a.webp 1x, /b.webp 2x"><img alt="A boat"></picture></figure>',
      '![A boat](https://harbour.example/a.webp)',
    ],
    [
      'a picture between paragraphs',
      '<main><img src="c.png" alt="Boats: A has 12 %, B has 30 %"></main>',
      '![Boats: A has 12 %, B has 30 %](https://harbour.example/docs/c.png)',
    ],
    [
      'exponents and indices',
      '10<sup>23</sup>, 30<sup>2</sup>, CO<sub>2</sub>, 10<sup>−3</sup>',
      '10²³, 30², CO₂, 10⁻³',
    ],
    ['exponents that are words', 'e<sup>x</sup>, x<sub>max</sub>, 2<sup>n+k</sup>', 'e^x, x_max, 2^(n+k)'],
    [
      'ordinals and marks as they are',
      '1<sup>st</sup> Brand<sup>TM</sup> note<sup>[3]</sup>',
      '1st BrandTM note\\[3\\]',
    ],
    ['the cents of a price', '<b>12<sup>99</sup> €</b>', '**12.99 €**'],
    [
      'cents that look like the sign',
      '<span class="s">Now $</span><span class="l">4</span><span class="s">98</span>',
      'Now $4.98',
    ],
    ['cents by their name', '<b>$<i>12</i><span class="cents">99</span></b>', '**$*12*.99**'],
    ['values apart', '<span>Jewelry</span><span>In Stock</span>', 'Jewelry In Stock'],
    ['a value and a word apart', '<span>75 cl</span><span>low stock</span>', '75 cl low stock'],
    ['a label and its digit apart', '<b>Rooms</b><b>4</b>', '**Rooms** **4**'],
    ['a digit and a part of its word together', '<b>1</b><b>ère</b>', '**1****ère**'],
    ['a delay apart', '<time>19:42</time><b>+3</b>', '19:42 **+3**'],
    ['an amount and a word apart', '<b>9 €</b><b>off</b>', '**9 €** **off**'],
    [
      'amounts and words apart',
      '<b>$35.50</b><b>or best offer</b><b>+$5.00 shipping</b>',
      '**$35.50** **or best offer** **+$5.00 shipping**',
    ],
    ['amounts apart', '<span>12,99 €</span><span>5 €</span>', '12,99 € 5 €'],
    ['numbers around an empty element', '<b>9.7</b><i content="10"></i><u>31人评价</u>', '**9.7** 31人评价'],
    ['the pieces of a word together', 'un<b>believ</b>able', 'un**believ**able'],
    [
      'links apart',
      '<a href="/a">boats</a><a href="/b">piers</a>',
      '[boats](https://harbour.example/a) [piers](https://harbour.example/b)',
    ],
    ['drawings that say something in a line', 'Wifi: <span role="img" aria-label="yes"></span>', 'Wifi: yes'],
    [
      'what was deleted and what came instead',
      'It is <del>not</del> <ins>never</ins> allowed',
      'It is ~~not~~ ++never++ allowed',
    ],
    ['struck prices', '<s>€20</s> €15, <strike>9</strike> 8', '~~€20~~ €15, ~~9~~ 8'],
    ['struck looks', '<span style="text-decoration: line-through">€20</span> €15', '~~€20~~ €15'],
    ['the space around marks', 'a<del> old </del>b', 'a ~~old~~ b'],
    ['emphasis', 'smoking is <em>never</em> allowed', 'smoking is *never* allowed'],
    ['marked text', 'the <mark>third</mark> word', 'the ==third== word'],
    ['quotes', 'She said <q>it is <q>so</q></q>.', 'She said “it is ‘so’”.'],
    [
      'long forms, once',
      '<abbr title="Lake Patrol">LP</abbr> and <abbr title="Lake Patrol">LP</abbr>',
      'LP (Lake Patrol) and LP',
    ],
    ['keys and output', 'Press <kbd>Ctrl</kbd>, see <samp>done</samp>', 'Press `Ctrl`, see `done`'],
    ['readings of characters', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)'],
    [
      'dates of relative times',
      '<time datetime="2024-09-05T10:00Z">yesterday</time>',
      'yesterday (2024-09-05)',
    ],
    [
      'dates that are told as they are',
      '<time datetime="2024-09-05">5 September 2024</time>',
      '5 September 2024',
    ],
    ['a time without text', 'Since <time datetime="2024-09-05"></time>', 'Since 2024-09-05'],
    ['levels', '<meter value="3" max="5"></meter> and <progress value="0.7"></progress>', '3 of 5 and 70 %'],
    ['levels told in words', '<meter value="3" max="5">three stars</meter>', 'three stars'],
    ['results inside sentences', 'It is <output>42</output> kg', 'It is 42 kg'],
    ['the shown order of letters', '<bdo dir="rtl">cba</bdo>', 'abc'],
    ['words with places to break', 'long<wbr>word', 'longword'],
    ['lines', 'one<br>two', 'one  \ntwo'],
    ['one line in headings', '<h2>one<br>two</h2>', '## one two'],
    ['values that nobody can change', '<input readonly value="R-7"> <input value="typed">', 'R-7'],
    ['the chosen option', '<select disabled><option>a<option selected>b</select>', 'b'],
    [
      'names of pictures in a sentence',
      'Rating: <img alt="4 of 5 stars" src="s.png">',
      'Rating: ![4 of 5 stars]',
    ],
    [
      'formulas by their source',
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      '$x^2$',
    ],
    [
      'formulas as drawn',
      '<math><mfrac><mn>1</mn><msup><mi>x</mi><mn>10</mn></msup></mfrac></math>',
      '$\\frac{1}{x^{10}}$',
    ],
    [
      'what stands above or below in a formula',
      '<math><mover><mi>x</mi><mo>¯</mo></mover><munderover><mo>∑</mo><mn>1</mn><mi>n</mi></munderover></math>',
      '$\\overset{¯}{x}∑_1^n$',
    ],
    [
      'the brackets, roots and strokes of a formula',
      '<math><mfenced><mi>a</mi><mi>b</mi></mfenced><menclose notation="radical"><mi>x</mi></menclose><menclose notation="updiagonalstrike"><mi>y</mi></menclose></math>',
      '$(a,b)\\sqrt{x}\\cancel{y}$',
    ],
    [
      'indices on both sides',
      '<math><mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>14</mn></mmultiscripts></math>',
      `\${}^{14}C_6$`,
    ],
    [
      'no sign that only takes its place, and no note that is no TeX',
      '<math><semantics><mrow><mi>a</mi><mphantom><mn>9</mn></mphantom></mrow><annotation encoding="text/plain">A</annotation></semantics></math>',
      '$a$',
    ],
    [
      'indices, powers, roots and rows of a formula that stands in a line of its own',
      '<math display="block"><msub><mi>a</mi><mn>1</mn></msub><msubsup><mi>b</mi><mn>2</mn><mn>3</mn></msubsup><munder><mi>c</mi><mi>n</mi></munder><msqrt><mi>d</mi></msqrt><mroot><mi>e</mi><mn>3</mn></mroot><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mtext>if</mtext></math>',
      '$$a_1b_2^3\\underset{n}{c}\\sqrt{d}\\sqrt[3]{e}1 & 2 \\\\ 3 & 4 if$$',
    ],
    [
      'the places of a map of links',
      '<map><area href="/north" alt="North"></map>',
      '[North](https://harbour.example/north)',
    ],
    [
      'the title of a table above the names of its columns',
      '<table><thead><tr><th colspan="2">Fares<tr><th>Zone<th>Fare</thead><tr><td>A<td>3</table>',
      'Fares\n\n| Zone | Fare |\n| --- | --- |\n| A | 3 |',
    ],
    [
      'the text of fields that readers cannot change',
      '<p>Note <textarea readonly>closed on Monday</textarea></p>',
      'Note closed on Monday',
    ],
    ['telephone numbers', '<a href="tel:+4930555">Call us</a>', '[Call us](tel:+4930555)'],
    ['the titles of drawings apart', '<svg><title>Star</title><text>5</text></svg>', 'Star 5'],
    [
      'signs of rows',
      '<ul><li><b>Ada</b> <i class="icon" title="sold"></i><li><b>Grace</b> <div aria-label="4 of 5 stars"></div></ul>',
      '- **Ada** sold\n- **Grace** 4 of 5 stars',
    ],
    ['the formulas of scripts', '<p>so <script type="math/tex">a_1</script></p>', 'so $a_1$'],
    [
      'films as links',
      '<video src="/film.mp4" title="The lock"></video>',
      '[The lock](https://harbour.example/film.mp4)',
    ],
    ['what stands in an object', '<object data="x.swf"><p>Plan B</p></object>', 'Plan B'],
    ['folded parts', '<details><summary>Why</summary><p>Because.</p></details>', '**Why**\n\nBecause.'],
    [
      'terms with what they mean',
      '<dl><dt>Beam</dt><dd>Its width</dd><dd>A ray</dd></dl>',
      '**Beam**\n: Its width\n: A ray',
    ],
  ])('%s', (_, content, expected) => {
    expect(write(content)).toBe(expected);
  });

  it.each([
    ['<ol start="3"><li>c<li>d</ol>', '3. c\n4. d'],
    ['<ol reversed><li>c<li>b<li>a</ol>', '3. c\n2. b\n1. a'],
    ['<ol><li>a<li value="7">b<li>c</ol>', '1. a\n7. b\n8. c'],
    ['<ol type="A"><li>a<li>b</ol>', '- A. a\n- B. b'],
    ['<ol type="i" start="3"><li>c<li>d</ol>', '- iii. c\n- iv. d'],
    [
      '<ul><li><input type="checkbox" checked> milk<li><input type="checkbox"> bread</ul>',
      '- [x] milk\n- [ ] bread',
    ],
    ['<ul><li class="checked">milk<li class="task">bread</ul>', '- [x] milk\n- [ ] bread'],
    ['<ul><li class="done">milk<li class="done">bread</ul>', '- milk\n- bread'],
    ['<ul><li><input type="checkbox" aria-label="2 eggs"> 2 eggs, beaten</ul>', '- 2 eggs, beaten'],
    [
      '<div>Leeks <i class="icon nut" title="nuts"></i><i class="icon" title="milk"></i></div>',
      'Leeks nuts milk',
    ],
    ['<menu><li>tea<li>cake</menu>', '- tea\n- cake'],
    ['<ul><li>one<ul><li>two</ul></ul>', '- one\n  - two'],
  ])('the marks of %s', (content, expected) => {
    expect(write(content)).toBe(expected);
  });

  it.each([
    ['<pre>npm install<br>npm start</pre>', '```\nnpm install\nnpm start\n```'],
    ['<pre><div>line a</div><div>line b</div></pre>', '```\nline a\nline b\n```'],
    [
      '<pre><code class="language-js"><span style="display:block">let a;</span><span style="display:block">let b;</span></code></pre>',
      '```js\nlet a;\nlet b;\n```',
    ],
    ['<pre><span>a</span>\n<span>b</span>\n</pre>', '```\na\nb\n```'],
    ['<p><code>a | b</code></p>', '`a | b`'],
    [
      '<pre><table><tr><td>1</td><td>let a;</td></tr><tr><td>2</td><td>let b;</td></tr></table></pre>',
      '```\n1\tlet a;\n2\tlet b;\n```',
    ],
  ])('the lines of %s', (content, expected) => {
    expect(write(content)).toBe(expected);
  });

  it.each([
    [
      'lines in cells',
      '<table><tr><th>Day<th>Open<tr><td>Mon<br>Tue<td>9<ul><li>a<li>b</ul></table>',
      '| Mon<br>Tue | 9<br>- a<br>- b |',
    ],
    [
      'values that span rows',
      '<table><tr><th>Year<th>Pier<tr><td rowspan=2>2020<td>North<tr><td>South</table>',
      '| 2020 | South |',
    ],
    [
      'names of groups of columns',
      '<table><tr><th rowspan=2>Name<th colspan=2>Fee<tr><th>2025<th>2026<tr><td>A<td>1<td>2</table>',
      '| Name | Fee 2025 | Fee 2026 |',
    ],
    [
      'what controls say that nobody can change',
      '<table><tr><th>What<th>Is<tr><td>Name<td><input readonly value="Ada"><tr><td>Land<td><select disabled><option>Peru<option selected>Chile</select><tr><td>Done<td><progress value=3 max=9></progress></table>',
      '| Name | Ada |\n| Land | Chile |\n| Done | 3 of 9 |',
    ],
    [
      'controls that are all of a cell',
      '<table><tr><th>What<th>Number<tr><td>Tea<td><select><option>1<option selected>2</select><tr><td>Pot<td><input type="number" value="3"><tr><td>Cup<td>per box <input value="9"></table>',
      '| Tea | 2 |\n| Pot | 3 |\n| Cup | per box 9 |',
    ],
    [
      'a number in a field outside of a form',
      '<p><label for="s">Serves</label> <input type="number" id="s" value="4"> <span>persons</span> <input value="1"></p>',
      'Serves 4 persons',
    ],
    [
      'a drawing with a label as a block of its own',
      '<div><div>88</div><div title="Accepted by Ann" aria-label="Accepted"><svg></svg></div></div>',
      '88\n\nAccepted',
    ],
    [
      'signs of fonts of icons',
      '<table><tr><th>What<th>Basic<th>Stars<tr><td>SSL<td><i class="fas fa-check text-success"></i><td><i class="fa fa-star"></i><i class="fa fa-star"></i></table>',
      '| SSL | (check) | (star) (star) |',
    ],
    [
      'signs that are pictures',
      '<table><tr><th>Has<th>Lock<tr><td>Boat<td><img alt="Yes" src="t.png"><tr><td>Raft<td><svg><title>No</title></svg></table>',
      '| Boat | ![Yes] |\n| Raft | No |',
    ],
    [
      'signs of a list in a cell, once',
      '<table><tr><th>Has<td>Colours<tr><td>Boat<td><ul><li title="Red"><li title="Blue"></ul></table>',
      '| Boat | - Red<br>- Blue |',
    ],
    [
      'code without the numbers of its lines',
      '<table><tr><td><pre>1\n2</pre></td><td><pre>let a;\nlet b;</pre></td></tr></table>',
      '```\nlet a;\nlet b;\n```',
    ],
    [
      'what a sign of a font says in a sentence',
      '<p>Parking: <i class="fa fa-check" aria-label="yes"></i></p>',
      'Parking: yes',
    ],
    [
      'a digit that leads to a place of the page',
      '<p><a href="#r">3</a> replies <a href="#top">¶</a></p>',
      '3 replies',
    ],
    [
      'a rating whose label stands beside a count',
      '<div aria-label="4,5 von 5 Sternen"><span>(128)</span></div>',
      '4,5 von 5 Sternen (128)',
    ],
    [
      'a rating whose label says the count as well',
      '<div aria-label="4,5 von 5, 128 Stimmen"><span>(128)</span></div>',
      '4,5 von 5, 128 Stimmen',
    ],
    [
      'the step of a scale that its label tells',
      '<div aria-label="Risk 3 of 7"><span>1</span><span>2</span><span class="on">3</span><span>4</span><span>5</span><span>6</span><span>7</span></div>',
      'Risk 3 of 7',
    ],
    [
      'a table in a cell',
      '<table><tr><td>Fees<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
  ])('%s', (_, content, expected) => {
    expect(write(content)).toContain(expected);
  });
});

it.each([
  [
    'a table in letters of a style',
    '<b>Fees<table><tr><td>A<td>1<tr><td>B<td>2</table></b>',
    '**Fees**\n\n| A | 1 |\n| --- | --- |\n| B | 2 |',
  ],
  ['a list that was deleted', '<del><ul><li>paint<li>rig</ul></del>', '- ~~paint~~\n- ~~rig~~'],
  [
    'a rating in stars, once',
    '<p><svg role="img" aria-label="4 of 5 stars"><path/></svg></p>',
    '4 of 5 stars',
  ],
])('%s', (_, content, expected) => expect(write(content)).toBe(expected));

it('the content is a cell of a table that lays out the page', () => {
  const { html, base: address } = toDocument(
    '<table><tr><td>Menu<td id="content"><h1>Pier</h1><p>One.</p><p>Two.</p></table>',
  );
  const root = html('#content').get(0);
  expect(root && toMarkdown(html, root, address)).toBe('# Pier\n\nOne.\n\nTwo.');
});

describe('what is only drawn is told to be left out', () => {
  const told = 'What is only drawn, such as stars or bars without a label, is left out.';
  const missingOf = (drawings: readonly string[], text = '') => {
    const items = drawings.map(
      (drawing, at) =>
        `<li><p>What visitor ${at} says of the trip</p><div class="stars">${drawing}</div>${text}</li>`,
    );
    const { html } = toDocument(`<ul>${items.join('')}</ul>`);
    const missing: string[] = [];
    const [root] = html('body').toArray();
    if (root === undefined) throw new Error('No body');
    toMarkdown(html, root, base, missing);
    return missing;
  };
  const star = '<i class="fa fa-star"></i>';
  const none = '<i class="fa fa-star-o"></i>';
  const bar = (percent: number) => `<span class="bar" style="width: ${percent}%"></span>`;
  it.each([
    ['stars', [star + star + none, star + none + none]],
    ['bars', [bar(20), bar(80)]],
  ])('where %s differ', (_, drawings) => {
    expect(missingOf(drawings)).toEqual([told]);
  });
  it.each([
    ['are the same', [star + star + star, star + star + star]],
    [
      'stand beside a number',
      [`<b>2</b><u>${star + star + none}</u>`, `<b>1</b><u>${star + none + none}</u>`],
    ],
    [
      'have a label',
      [
        `<p aria-label="2 of 3">${star + star + none}</p>`,
        `<p aria-label="1 of 3">${star + none + none}</p>`,
      ],
    ],
  ])('but not where they %s', (_, drawings) => {
    expect(missingOf(drawings)).toEqual([]);
  });
});

it('icons without a name that tell cells apart are told to be left out', () => {
  const { html } = toDocument(
    `<table><tr><th>Plan</th><th>API</th></tr>${['M1', 'M1', 'M2'].map((line, index) => `<tr><td>${index}</td><td><svg><path d="${line}"/></svg></td></tr>`).join('')}</table>`,
  );
  const missing: string[] = [];
  for (const root of html('body').toArray()) toMarkdown(html, root, base, missing);
  expect(missing).toEqual([expect.stringContaining('Drawings without a name')]);
});
