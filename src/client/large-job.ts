/** The answer of a job that may be too large to be kept as text, or checked without giving others their turn. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer } from '../contract/api.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { limitSteps, maxJsonDepth } from '../contract/json-limits.ts';
import type { Job } from '../contract/resources.ts';
import { parseJson, readJob, readJson, tooDeep, withoutMark } from './answers.ts';
import { largeBytes } from './large-body.ts';
import { runInSlices } from './slices.ts';
import type { HttpAnswer } from './transport.ts';

/** The text of a large answer comes compressed: it is only kept. It is parsed last, because that takes most memory. */
export async function readJobAnswer(
  endpoint: EndpointName,
  answer: HttpAnswer,
  apiKey: string,
): Promise<Answer<Job>> {
  const text = withoutMark(answer.text);
  if (text.length < largeBytes) return readJob(readJson(endpoint, answer, apiKey));
  if ((await runInSlices(limitSteps(text, { depth: maxJsonDepth }))) !== undefined)
    throw tooDeep(endpoint, answer);
  // The fastest level: JSON compresses well at any, and the machine has other work.
  const compressed = { length: text.length, gzip: await promisify(gzip)(text, { level: 1 }) };
  const { body } = readJob(parseJson(endpoint, answer, apiKey));
  return { body, text: compressed };
}
