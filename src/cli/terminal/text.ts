/** Small texts for people. */
import * as z from 'zod';

const Failure = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string() }),
  next: z.string(),
});

/** The message with its code, and the next step, each on a line; the whole answer where it has none. */
export function describeFailure(body: unknown): string {
  const failure = Failure.safeParse(body);
  if (!failure.success) return JSON.stringify(body, undefined, 2);
  const { error, next } = failure.data;
  return `${error.message.includes(error.code) ? '' : `${error.code}: `}${error.message}\n${next}`;
}

/** The code of the error that an answer names; undefined where it names none. */
export const failureCode = (body: unknown): string | undefined => Failure.safeParse(body).data?.error.code;

/** A text as one word of a command that somebody copies; others may have written it. */
export const shellWord = (text: string): string =>
  /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The price as the description states it: `3`, `3, at most 15` or `3 or more`. */
export const parseCost = (description: string) =>
  /Costs ([\d.]+) credits?((?:, at most [\d.]+| or more)?)\./.exec(description)?.slice(1).join('') ?? '';
