/** Reads a page or a feed, as a pure function. It runs in a worker process, because a page can be hostile. */
import { PageUnfitError } from '../foundation/errors.ts';
import { explainDoubt } from '../page/bytes.ts';
import { Document, findFeedAddress, summarizeContent } from '../page/document.ts';
import { maxText, readFeedText } from '../page/feed.ts';
import { readWebPage } from './read-web-page.ts';
import type { ReadingResult, ReadingTask } from './readings.ts';

/** Rejects with a `PageUnfitError` if there is nothing to read. */
export async function answerReading(task: ReadingTask): Promise<ReadingResult> {
  const document = new Document(task.page);
  const result = task.reading === 'feed' ? await readFeed(document) : readWebPage(document, task);
  if ('data' in result) summarizeContent({ kind: 'record', record: result.data });
  return result;
}

/** The entries of a feed, or the address of the feed that a page links to. */
async function readFeed(document: Document): Promise<ReadingResult> {
  const { page, source, isFeed, isData } = document;
  if (!isFeed) {
    const feed = isData ? undefined : findFeedAddress(document);
    if (feed === undefined) throw new PageUnfitError('The page is no feed and links to none');
    return { feed };
  }
  const { title, next, entries, unused, isCut, doubts } = await readFeedText(source, page.url);
  const missing = [...explainDoubt(document.decoded), ...doubts];
  if (isCut) missing.push(`Texts of entries are cut after ${maxText} characters of HTML: read their pages.`);
  if (next !== undefined) missing.push('The feed has older entries: their address is in `next`.');
  const isUsed = ([name]: [string, unknown]) => !unused.includes(name);
  return {
    data: {
      source_url: page.url,
      title: title ?? null,
      count: entries.length,
      ...(missing.length > 0 && { missing }),
      ...(next !== undefined && { next }),
      items: entries.map(({ common }) => Object.fromEntries(Object.entries(common).filter(isUsed))),
    },
  };
}
