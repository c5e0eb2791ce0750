/** Small texts for people. */
import * as z from 'zod';

const Failure = z.looseObject({ error: z.looseObject({ message: z.string() }), next: z.string() });

/** The message and the next step, each on a line; the whole answer where it has none. */
export function describeFailure(body: unknown): string {
  const failure = Failure.safeParse(body);
  return failure.success
    ? `${failure.data.error.message}\n${failure.data.next}`
    : JSON.stringify(body, undefined, 2);
}

/** A text as one word of a command that somebody copies; others may have written it. */
export const shellWord = (text: string): string =>
  /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
