/** Reads a page or a feed, as a pure function. It runs in a worker process, because a page can be hostile. */
import { PageUnfitError } from '../foundation/errors.ts';
import { Document } from '../page/document.ts';
import { summarizeContent } from '../recipes/parse.ts';
import type { ReadingResult, ReadingTask } from './readings.ts';

/** Rejects with a `PageUnfitError` if there is nothing to read. */
export async function answerReading(task: ReadingTask): Promise<ReadingResult> {
  const result = await (task.reading === 'feed' ? readFeedOf(task) : readWhole(task));
  if ('data' in result) summarizeContent({ kind: 'record', record: result.data });
  return result;
}

async function readWhole(task: ReadingTask): Promise<ReadingResult> {
  const { readWebPage } = await import('./read-web-page.ts');
  return readWebPage(task);
}

async function readFeedOf({ page }: ReadingTask): Promise<ReadingResult> {
  const { readFeed } = await import('./read-feed.ts');
  const result = await readFeed(new Document(page));
  if (result === undefined) throw new PageUnfitError('The page is no feed and links to none');
  return result;
}
