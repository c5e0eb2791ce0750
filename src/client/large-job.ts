/** The answer of a job that may be too large to be kept as text, or checked without giving others their turn. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer } from '../contract/api.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { limitSteps, maxJsonDepth } from '../contract/json-limits.ts';
import type { Job } from '../contract/resources.ts';
import { checkedJson, parseJson, readJob, readJson, tooDeep, withoutMark } from './answers.ts';
import { DepthError } from './errors.ts';
import { largeBytes } from './large-body.ts';
import { isReadWhole, type LargeValue, readLargeData } from './large-value.ts';
import { runInSlices } from './slices.ts';
import type { HttpAnswer } from './transport.ts';

/**
 * The text of a large answer comes compressed: it is only kept. Of its data no more is kept than `previewChars`
 * characters need, where that is all that can be shown of it.
 */
export async function readJobAnswer(
  endpoint: EndpointName,
  answer: HttpAnswer,
  apiKey: string,
  previewChars: number,
): Promise<Answer<Job>> {
  const text = withoutMark(answer.text);
  if (text.length < largeBytes) return readJob(readJson(endpoint, answer, apiKey));
  if (!isReadWhole(text, previewChars)) {
    const [{ value, totals }, compressed] = await Promise.all([
      readData(text, previewChars).catch((error: unknown) => {
        throw error instanceof DepthError ? tooDeep(endpoint, answer) : error;
      }),
      compress(text),
    ]);
    return { body: readJob(checkedJson(endpoint, answer, apiKey, value)).body, text: compressed, totals };
  }
  if ((await runInSlices(limitSteps(text, { depth: maxJsonDepth }))) !== undefined)
    throw tooDeep(endpoint, answer);
  const compressed = await compress(text);
  // Last, because it takes most memory.
  return { body: readJob(parseJson(endpoint, answer, apiKey)).body, text: compressed };
}

/** Uses the fastest level, because JSON compresses well at any. */
const compress = async (text: string) => ({
  length: text.length,
  gzip: await promisify(gzip)(text, { level: 1 }),
});

/** An undefined value where the text is not JSON. */
async function readData(text: string, previewChars: number): Promise<LargeValue> {
  try {
    return await runInSlices(readLargeData(text, previewChars));
  } catch (error) {
    if (error instanceof SyntaxError) return { value: undefined, totals: new Map() };
    throw error;
  }
}
