/** A person or program as an authorization server names it in its tokens. */

export interface Subject {
  /** Exactly as it stands in the tokens. */
  readonly issuer: string;
  /** Unique at its issuer, never at another one. */
  readonly subject: string;
}

/** Up to 255 characters that can be printed, which OpenID Connect has as the limit too. */
export const isSubjectName = (text: string): boolean => /^\P{C}{1,255}$/u.test(text);

/** The subject as an argument of a command line, whatever characters are in it. */
export function shellArgument(subject: string): string {
  if (/^[\w.@:+/=][\w.@:+/=-]*$/.test(subject)) return subject;
  return `${subject.startsWith('-') ? '-- ' : ''}'${subject.replaceAll("'", "'\\''")}'`;
}
