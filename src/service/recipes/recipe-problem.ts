/** Why a recipe cannot be read: a mistake by hand, or an option of an earlier version. */
import type * as z from 'zod';
import { Recipe } from './recipe-schema.ts';

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The most specific issue among a union's branches: one deeper inside, or one about a value of the right type. */
function findSpecificIssue(issue: z.core.$ZodIssue): Issue {
  if (issue.code === 'unrecognized_keys')
    return { path: [...issue.path, issue.keys[0] ?? ''], message: 'is not a known member' };
  if (issue.code !== 'invalid_union') return issue;
  const branches = issue.errors.flat();
  const branchIssue = branches.find(({ path, code }) => path.length > 0 || code !== 'invalid_type');
  if (branchIssue === undefined) return issue;
  const { path, message } = findSpecificIssue(branchIssue);
  return { path: [...issue.path, ...path], message };
}

/** The issue to report: a misspelt member also counts as a missing one. */
export function findMainIssue({ issues }: z.ZodError): Issue | undefined {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  return issue && findSpecificIssue(issue);
}

/** The issue with its path. */
export const describeIssue = ({ path, message }: Issue): string =>
  path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;

/** Undefined if the recipe can be run. */
export function findRecipeProblem(recipe: unknown): string | undefined {
  const { error } = Recipe.safeParse(recipe);
  const issue = error && findMainIssue(error);
  return issue && `this version cannot read its recipe (${describeIssue(issue)})`;
}
