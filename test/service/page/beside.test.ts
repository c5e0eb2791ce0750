/** What stands beside the content is left out where the answer says so. */
import { expect, it } from 'vitest';
import { readHarbourPage } from '../../support/harbour-page.ts';

async function read(...page: Parameters<typeof readHarbourPage>) {
  const { main, missing = [] } = await readHarbourPage(...page);
  return { main, missing: JSON.stringify(missing) };
}
const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join('');

it('boxes between the paragraphs of an article are left out, and missing says so', async () => {
  const paragraph = (index: number) =>
    `<p>In the year ${1900 + index}, the harbour was rebuilt, and stones came from valley ${index}, which the masons set by hand. It took them a summer, two winters and a spring.</p>`;
  const box =
    '<div class="supplemental"><form><h3>Letters from the lake</h3><p>Write your address here, and get our letters.</p><input type="email"></form></div>';
  const markup = `<head><title>The pier</title><meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-03"><meta name="author" content="Ann Doe"></head><body><article><h1>The pier</h1>${repeat(6, paragraph)}<div class="extra"><a href="/x">Letters from the lake, every week</a></div>${repeat(6, (index) => paragraph(index + 6))}${box}</article></body>`;
  const { main, missing } = await read(markup);
  expect(main).not.toMatch(/Letters from the lake/);
  expect(main.match(/In the year/g)).toHaveLength(12);
  expect(missing).toContain('left out: ask for parts [\\"main\\"]');
});

it('a heading stays where what it stands above does, and goes with it', async () => {
  const paragraph = (index: number) =>
    `<p>In the year ${1900 + index}, the harbour was rebuilt, and stones came from valley ${index}, which the masons set by hand.</p>`;
  const side =
    '<div><header><h2>Town hall hours</h2></header><p>Mon–Fri 8–12, and on Thursdays also 14–18</p></div><div><h2>More reports</h2><ul><li><a href="/a">The pier</a> 23 November</li></ul></div>';
  const { main } = await read(
    `<head><meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-03"></head><body><main><div><div itemscope itemtype="http://schema.org/Article"><h1>Harbour</h1>${repeat(8, paragraph)}<p>Ask Mrs Doe.</p></div></div><div>${side}</div></main></body>`,
  );
  expect(main).toMatch(
    /Ask Mrs Doe\.(?:\n\n## Town hall hours\n\nMon–Fri 8–12, and on Thursdays also 14–18)?$/,
  );
});

it('a block too short to be named between two paragraphs stays, whatever it is called', async () => {
  const text =
    '<p>The old bridge is closed until May, the city said. Repairs take long, and drivers have to use the ferry for now.</p>';
  const block = (inside: string) => `${text}${inside}${text}`;
  const blocks = [
    '<div class="social-housing">40 flats</div>',
    '<aside><p>Price €5</p></aside>',
    '<div class="related-docs"><a href="/d.pdf">Annex A</a></div>',
    '<div class="related"><a href="/other">Another bridge</a></div>',
    '<div class="newsletter"><form>Letters</form></div>',
  ];
  const { main } = await read(`<article><h1>Bridge</h1>${blocks.map(block).join('')}</article>`);
  for (const kept of ['40 flats', 'Price €5', 'Annex A']) expect(main).toContain(kept);
  for (const left of ['Another', 'Letters']) expect(main).not.toContain(left);
});

it('facts of a label and a number stay in an article', async () => {
  const rating =
    '<div><span>★</span><span>★</span><span>★</span> <span>4.6</span> from <span>1,210</span> votes</div>';
  const times =
    '<div><div><span>Prep Time </span><span>15 <b aria-hidden="true">mins</b></span></div><div><span>Cook Time </span><span>1 <b aria-hidden="true">hr</b> 5 <b aria-hidden="true">mins</b></span></div></div>';
  const steps = '<div><h3>Ingredients</h3><ul><li>3 bananas</li><li>flour</li></ul></div>';
  const text =
    '<p>It is moist and good. We made it many times and found that the best bananas are almost black, and that the bread is best on the second day.</p>';
  const stated =
    '<script type="application/ld+json">{"@type":"Recipe","name":"Bread","author":"Jo","datePublished":"2024-02-01"}</script>';
  const { main } = await read(
    `<title>Bread</title>${stated}<article><h1>Bread</h1>${text}<div><div><h2>Bread</h2>${rating}${times}<div>Servings <span>10</span> slices</div>${steps}</div></div></article>`,
  );
  expect(main).toContain('Prep Time 15 **mins**\n\nCook Time 1 **hr** 5 **mins**');
});

it('facts in an aside of an article stay, and one with links does not', async () => {
  const facts = '<aside class="specs"><h3>Specs</h3><dl><dt>Weight</dt><dd>1.21 kg</dd></dl></aside>';
  const list = '<aside><ul><li>Built: 1931</li><li>Length: 412 m</li></ul></aside>';
  const links = '<aside><table><tr><td><a href="/a">Sails</a><td><a href="/b">Masts</a></table></aside>';
  const markup = `<article><h1>Sail</h1>${repeat(4, (index) => `<p>In the year ${1900 + index}, the sail was sewn by hand, and it took two winters and a spring.</p>`)}${facts}${list}${links}</article>`;
  const { main } = await read(markup);
  expect(main).toContain('1.21 kg');
  expect(main).toContain('- Built: 1931');
  expect(main).not.toContain('Masts');
});

it('a quote of a post that stands on the page is left out of a thread, and another quote stays', async () => {
  const post = (name: string, text: string) =>
    `<div class="post"><b class="username">${name}</b> <time datetime="2024-05-03">3 May 2024</time>${text}</div>`;
  const question =
    'Which rope holds a boat of nine tons in the storms of autumn, when the wind comes from the north?';
  const other = 'Ropes of hemp rot from within, says the handbook of the harbour master of 1902.';
  const markup = `<title>Ropes</title><main><h1>Ropes</h1>${post('ann', `<p>${question}</p>`)}${post('bob', `<blockquote><p>${question}</p></blockquote><p>One of steel, as the ferries have, and two of them on each side of the boat.</p>`)}${post('cyd', `<blockquote><p>${other}</p></blockquote><p>So take one of nylon, it gives way a little and does not break so soon.</p>`)}<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script></main>`;
  const { main, missing } = await read(markup);
  expect(main.split(question)).toHaveLength(2);
  expect(main).toContain(other);
  expect(missing).toContain('Quotes of posts');
  expect((await read(markup, ['main'])).main.split(question)).toHaveLength(3);
});

it('reviews are left out of the page of a product, and a rating, a size or a badge at its heading stays', async () => {
  const rating =
    '<div class="product-reviews-summary"><span>88% of 100</span> <a href="#reviews">14 reviews</a></div>';
  const review = (index: number) => `<p>After ${index} weeks of rain, her chain is as good as new.</p>`;
  const markup = `<title>Gazelle</title><script type="application/ld+json">{"@type":"Product","name":"Gazelle","offers":{"@type":"Offer","priceCurrency":"EUR","price":"1299.00"}}</script><main><h1>Gazelle</h1><span class="badge">Sold out</span>${rating}<p>€ 1.299,00</p><p>A bicycle for the town with eight gears, a hub dynamo, and lights in the front and in the back. She comes in green and in black, with a basket of willow.</p><div class="reviews">${repeat(2, review)}</div></main>`;
  const { main, missing } = await read(markup);
  for (const fact of ['88% of 100', '14 reviews', 'Sold out']) expect(main).toContain(fact);
  expect(main).not.toContain('weeks of rain');
  expect(missing).toContain('Reviews and notes of the shop');
});
