/** The practice sites have another port in each process, so their catalogs are stored with a placeholder. */

const placeholder = 'http://practice.invalid';

/** How the sources of their catalogs begin. */
export const practiceSource = 'practice';

/** A stored definition with the addresses of this process. `practiceUrl` is undefined where it serves no practice sites. */
export const resolvePractice = (
  { source, definition }: { readonly source: string; readonly definition: string },
  practiceUrl: string | undefined,
): string =>
  source.startsWith(practiceSource) && practiceUrl !== undefined
    ? definition.replaceAll(placeholder, practiceUrl)
    : definition;
