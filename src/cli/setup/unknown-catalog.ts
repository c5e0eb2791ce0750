/** A catalog that a person named and that is not there: why, as far as this machine is the reason. */
import { SignInError } from '../config/errors.ts';
import type { Settings } from '../config/load.ts';

export async function unknownCatalog(
  slug: string,
  { baseUrl, practiceSites }: Pick<Settings, 'baseUrl' | 'practiceSites'>,
): Promise<SignInError> {
  const { practiceSlugs } = await import('../../practice/practice.ts');
  if (baseUrl !== undefined || !practiceSlugs().includes(slug))
    return new SignInError(`There is no catalog "${slug}"; svc-mcp call browse_catalogs lists them`);
  return new SignInError(
    practiceSites === false
      ? `${slug} is a practice catalog, and SVC_PRACTICE_SITES is off`
      : `${slug} is a practice catalog whose pages need a browser, and none can be used here: svc-mcp doctor says why`,
  );
}
