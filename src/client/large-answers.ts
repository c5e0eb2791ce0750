/** The list of all actions, which may be too large to be parsed at once. */
import type { ActionVisitor } from '../contract/api.ts';
import { readers, readList, type Unreadable } from '../contract/reading.ts';
import { type JsonAnswer, parseArray, readJson } from './answers.ts';
import { elementTexts } from './large-list.ts';
import { runInSlices } from './slices.ts';

/** A shorter text is parsed within a few milliseconds. */
const largeChars = 500_000;
const member = 'results';

/** Like `readJson`, but a large success stays text. */
export const readUnlessLarge: typeof readJson = (endpoint, answer, apiKey) =>
  answer.status === 200 && answer.text.length > largeChars
    ? { endpoint, status: answer.status, text: answer.text, value: undefined }
    : readJson(endpoint, answer, apiKey);

/** Visits every action that can be read, in order and in slices, and reports the others. */
export async function visitActions(
  answer: JsonAnswer,
  apiKey: string,
  visitor: ActionVisitor,
): Promise<Unreadable[]> {
  const visit = (texts: Iterable<string>) => runInSlices(visitSteps(texts, visitor));
  if (answer.value !== undefined) return visit(encoded(parseArray(answer, member)));
  try {
    return await visit(elementTexts(answer.text, member));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // It is no such list: what it is instead, an error perhaps, is told by reading it whole.
    const { endpoint, status, text } = answer;
    const body = readJson(endpoint, { status, text, contentType: undefined, retryAfter: undefined }, apiKey);
    return visit(encoded(parseArray(body, member)));
  }
}

function* visitSteps(texts: Iterable<string>, visitor: ActionVisitor): Generator<void, Unreadable[]> {
  const unreadable: Unreadable[] = [];
  let index = 0;
  for (const text of texts) {
    if (!visitor.reuse(text)) {
      const read = readList(readers.searchResult, [JSON.parse(text)]);
      for (const action of read.items) visitor.add(action, text);
      for (const { id, reason } of read.unreadable)
        unreadable.push({ id: id === '#0' ? `#${index}` : id, reason });
    }
    index += 1;
    yield;
  }
  return unreadable;
}

function* encoded(values: Iterable<unknown>): Generator<string> {
  for (const value of values) yield JSON.stringify(value);
}
