/** Why nothing was built, and what there is instead. */
import type { Visit } from './build.ts';
import type { BuildFailure } from './failures.ts';
import type { Goal } from './goal.ts';
import { failureShowing } from './report.ts';

/** Why the site has nothing for the goal, and what it has. */
export function notFound({ page, analysis }: Visit, goal: Goal): BuildFailure {
  const { proposals } = analysis;
  // With all its fields, so that who asks again can name them. A single field is mostly a list of links.
  const offers = analysis.offers.filter(({ fields }) => fields.length > 1);
  const shown = offers.length > 0 ? offers : proposals;
  const isLoginAddress = /(?:^|[/_-])(?:log-?in|sign-?in|auth|sso|anmelden)(?:[/_.-]|$)/i.test(
    new URL(page.url).pathname,
  );
  if (analysis.login && (isLoginAddress || !proposals.some(({ many, rows }) => many && rows >= 5)))
    return failureShowing('LOGIN_REQUIRED', 'The page asks for a sign-in and shows none of the data.', shown);
  if (analysis.needsScript)
    return failureShowing(
      'NEEDS_JAVASCRIPT',
      'The page shows its data only after its scripts ran, which are not run here.',
      shown,
    );
  if (analysis.emptiness !== undefined)
    return failureShowing(
      'GOAL_NOT_COVERED',
      `The page says that it has none: “${analysis.emptiness}”.`,
      shown,
    );
  const lists = [...proposals, ...offers].filter(
    ({ many, kind }) =>
      many || kind === 'structured data' || kind === 'article' || kind === 'definition list',
  );
  if (lists.length === 0)
    return failureShowing('NO_DATA_FOUND', 'The page has no list, table, feed or record of data.', shown);
  const [best] = proposals;
  const asked = goal.fields.filter(({ optional }) => optional !== true).map(({ name }) => name);
  const reason =
    asked.length > 0 && best?.missing.length !== 0
      ? `The site has no data with all of ${asked.join(', ')}${best === undefined || best.missing.length === 0 ? '' : ` (missing: ${best.missing.join(', ')})`}.`
      : `Nothing on the site has to do with ${goal.subject.join(' ') || 'the goal'}.`;
  return failureShowing('GOAL_NOT_COVERED', reason, shown);
}
