/** What an answer says to be in doubt or left out. */
import { expect, it } from 'vitest';
import { answerReading } from '../../../src/service/web/answer-reading.ts';

async function missingOf(reading: 'page' | 'feed', body: Buffer | string, contentType: string) {
  const page = { url: 'https://x.example/', status: 200, contentType, link: '', body: Buffer.from(body) };
  const result = await answerReading({ page, reading, parts: undefined, maxRows: 100, browser: 'absent' });
  return Object('data' in result ? result.data : {}).missing;
}
const text =
  '<p>The harbour was rebuilt in the spring, and masons from three valleys came to set its stones.</p>';

it('a feed whose encoding is not the one that its server says is read by a guess, which is told', async () => {
  const [head, word, tail] = [
    '<?xml version="1.0" encoding="windows-1251"?><rss version="2.0"><channel><title>F</title><item><title>',
    Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
    '</title></item></channel></rss>',
  ];
  const feed = Buffer.concat([Buffer.from(head), word, Buffer.from(tail)]);
  expect(await missingOf('feed', feed, 'text/xml; charset=utf-8')).toEqual([
    expect.stringContaining('read as windows-1251'),
  ]);
  expect(await missingOf('feed', feed, 'text/xml')).toBeUndefined();
});

it('a page that states that it is not free to read', async () => {
  const page = (isFree: string) =>
    `<main><h1>Harbour</h1>${text}</main><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":${isFree}}</script>`;
  for (const isFree of ['false', '"False"'])
    expect(await missingOf('page', page(isFree), 'text/html')).toEqual([
      expect.stringContaining('free to read'),
    ]);
  expect(await missingOf('page', page('true'), 'text/html')).toBeUndefined();
});
