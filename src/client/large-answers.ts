/** The list of all actions, which may be too large to be parsed or decoded at once. */
import type { ActionVisitor } from '../contract/api.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { readers, readList, type Unreadable } from '../contract/reading.ts';
import { type JsonAnswer, parseArray, readJson } from './answers.ts';
import { elementsOf } from './large-list.ts';
import { runInSlices } from './slices.ts';
import type { HttpAnswer } from './transport.ts';

/** A shorter answer is parsed within a few milliseconds. */
const largeBytes = 500_000;
const member = 'results';

/** A success that was not parsed yet. */
interface LargeAnswer {
  readonly endpoint: EndpointName;
  readonly answer: HttpAnswer;
  readonly chunks: readonly Uint8Array[];
}

/** Like `readJson`, but a large success stays as it arrived. */
export function readUnlessLarge(
  endpoint: EndpointName,
  answer: HttpAnswer,
  apiKey: string,
): JsonAnswer | LargeAnswer {
  const { status, chunks = [] } = answer;
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return status === 200 && bytes > largeBytes
    ? { endpoint, answer, chunks }
    : readJson(endpoint, answer, apiKey);
}

/** Visits every action that can be read, in order and in slices, and reports the others. */
export async function visitActions(
  received: JsonAnswer | LargeAnswer,
  apiKey: string,
  visitor: ActionVisitor,
): Promise<Unreadable[]> {
  const visit = (elements: Iterable<Uint8Array>) => runInSlices(visitSteps(elements, visitor));
  if (!('chunks' in received)) return visit(encoded(parseArray(received, member)));
  try {
    return await visit(elementsOf(received.chunks, member));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Not such a list, perhaps an error: reading it whole tells which.
    return visit(encoded(parseArray(readJson(received.endpoint, received.answer, apiKey), member)));
  }
}

function* visitSteps(elements: Iterable<Uint8Array>, visitor: ActionVisitor): Generator<void, Unreadable[]> {
  const unreadable: Unreadable[] = [];
  const decoder = new TextDecoder();
  let index = 0;
  for (const json of elements) {
    if (!visitor.reuse(json)) {
      const read = readList(readers.searchResult, [JSON.parse(decoder.decode(json))]);
      for (const action of read.items) visitor.add(action, json);
      for (const { id, reason } of read.unreadable)
        unreadable.push({ id: id === '#0' ? `#${index}` : id, reason });
    }
    index += 1;
    yield;
  }
  return unreadable;
}

function* encoded(values: Iterable<unknown>): Generator<Uint8Array> {
  for (const value of values) yield Buffer.from(JSON.stringify(value));
}
