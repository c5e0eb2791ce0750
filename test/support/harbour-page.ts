/** What `web_page` answers of the markup of a page, for tests of what it leaves out. */
import { answerReading } from '../../src/service/web/answer-reading.ts';

/** `missing` is undefined where the answer says of nothing that it is left out. */
export async function readHarbourPage(
  markup: string,
  parts?: readonly ['main'],
): Promise<{ readonly main: string; readonly missing: unknown }> {
  const page = {
    url: 'https://harbour.example/here',
    status: 200,
    contentType: 'text/html; charset=utf-8',
    link: '',
    body: Buffer.from(markup),
  };
  const result = await answerReading({
    page,
    reading: 'page',
    parts: parts && [...parts],
    maxRows: 100,
    browser: 'absent',
  });
  if (!('data' in result)) throw new Error('No content');
  return { main: String(result.data.main), missing: result.data.missing };
}
