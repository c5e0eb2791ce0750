/** A text as one word of a command that somebody copies; others may have written it. */
export const shellWord = (text: string): string =>
  /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
