/** What a terminal would obey instead of showing it. */

/** C1 controls, DEL and format characters; line and paragraph separators. C0 controls in our own text are colours. */
const invisible = /[\x7f-\x9f\p{Cf}\u2028\u2029]/gu;

/** Writes such characters as `\\u009b`, which JSON reads as the same character. */
export function escapeInvisible(stream: NodeJS.WriteStream): void {
  const { write } = stream;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, stream, [typeof chunk === 'string' ? escaped(chunk) : chunk, ...rest]);
}

const escaped = (text: string): string =>
  text.replace(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
