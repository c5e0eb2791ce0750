/** What is wrong with the catalog files of this process, for the operator, whose files they are. */
import { isOperator } from '../catalog/catalogs-of-builds.ts';
import type { CatalogProblem } from '../foundation/ports.ts';
import type { Context } from './context.ts';

/** Empty for other users: a file name of the operator's folder is nothing to them. */
export async function findCatalogProblems(
  { database, catalogProblems }: Pick<Context, 'database' | 'catalogProblems'>,
  userId: string,
): Promise<readonly CatalogProblem[]> {
  const problems = catalogProblems();
  return problems.length > 0 && (await isOperator(database.query, userId)) ? problems : [];
}

export const toProblemText = ({ file, line, column, reason }: CatalogProblem): string =>
  `${file}:${line}:${column} ${reason}`;

/** That the action's file was changed and cannot be read, so that a run used its earlier content; undefined otherwise. */
export async function findOutdated(
  context: Pick<Context, 'database' | 'catalogProblems'>,
  userId: string,
  actionId: string | null,
): Promise<string | undefined> {
  const problems = await findCatalogProblems(context, userId);
  if (problems.length === 0 || actionId === null) return undefined;
  const action = await context.database.query
    .selectFrom('actions')
    .select('source')
    .where('action_id', '=', actionId)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  const problem = problems.find(({ source }) => source === action?.source);
  return problem && `The action ran as its file was before: ${toProblemText(problem)}`;
}
