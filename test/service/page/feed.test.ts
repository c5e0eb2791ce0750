/** What the entries of feeds say, as readers show it. */
import { expect, it } from 'vitest';
import { readFeedText } from '../../../src/service/page/feed.ts';

const readFeed = (item: string) => {
  const source = `<?xml version="1.0"?><rss version="2.0"><channel><title>F</title><item>${item}</item></channel></rss>`;
  return readFeedText(source, 'https://x.example/feed');
};
const read = async (item: string) => (await readFeed(item)).entries[0]?.common;

it.each([
  ['<![CDATA[Tom &amp; Jerry&#8217;s <b>show</b>]]>', 'Tom & Jerry’s show'],
  ['AT&amp;amp;T rises', 'AT&T rises'],
  ['1 &lt; 2 &amp; 3 &gt; 2', '1 < 2 & 3 > 2'],
  ['Use &lt;div&gt; now', 'Use <div> now'],
  ['<![CDATA[The <b> element]]>', 'The <b> element'],
  ['<![CDATA[one<br>two]]>', 'one two'],
])('the title %s is %s', async (written, title) => {
  expect(await read(`<title>${written}</title>`)).toMatchObject({ title });
});

it.each([
  ['Thu, 05 Sep 2024 24:00:00 GMT', '2024-09-06T00:00:00Z'],
  ['Thursday, 05-Sep-24 07:00:00 GMT', '2024-09-05T07:00:00Z'],
  ['1725519600', '2024-09-05T07:00:00.000Z'],
  ['Thu, 05 Sep 2024 07:00:00 CST', '2024-09-05T13:00:00Z'],
  // The text of one that cannot be read.
  ['Thu, 05 Sep 2024 07:00:00 IST', 'Thu, 05 Sep 2024 07:00:00 IST'],
  ['soon', 'soon'],
])('published %s is %s', async (written, published) => {
  expect(await read(`<pubDate>${written}</pubDate>`)).toMatchObject({ published });
});

it('the first date that can be read counts', async () => {
  const dates =
    '<pubDate>soon</pubDate><dc:date xmlns:dc="http://purl.org/dc/elements/1.1/">2024-09-05</dc:date>';
  expect(await read(dates)).toMatchObject({ published: '2024-09-05' });
});

it.each([
  ['Thu, 05 Sep 2024 07:00:00', ['published: times without a zone are given as if they were in UTC.']],
  ['Thu, 05 Sep 2024 07:00:00 +0200', []],
  ['2024-09-05', []],
])('a time without a zone is told: %s', async (date, doubts) => {
  expect((await readFeed(`<pubDate>${date}</pubDate>`)).doubts).toEqual(doubts);
});
