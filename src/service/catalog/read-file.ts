/** Reading one catalog file of the user; what is wrong with it is named with its line and column. */
import type { MemberNode, ValueNode } from '@humanwhocodes/momoa';
import type { CatalogDefinition, CatalogProblem } from '../foundation/ports.ts';
import { describeIssue, findMainIssue } from '../recipes/recipe-problem.ts';
import { CatalogFile, toDefinition } from './definition.ts';

type Position = Pick<CatalogProblem, 'line' | 'column'>;
export type ReadCatalog =
  | {
      readonly ok: true;
      readonly catalog: CatalogDefinition;
      getPosition(path: readonly PropertyKey[]): Promise<Position>;
    }
  | ({ readonly ok: false; readonly reason: string } & Position);

/** The position of the value at `path`, or of the last part of the path that exists. */
async function getPosition(text: string, path: readonly PropertyKey[]): Promise<Position> {
  // Loaded only for files with a fault, so that it slows down no start.
  const { parse } = await import('@humanwhocodes/momoa');
  const document = parse(text, { mode: 'json' });
  let { start } = document.body.loc;
  let node: ValueNode | undefined = document.body;
  for (const part of path) {
    if (node?.type === 'Object') {
      const member: MemberNode | undefined = node.members.find(
        ({ name }) => name.type === 'String' && name.value === String(part),
      );
      start = member?.name.loc.start ?? start;
      node = member?.value;
    } else if (node?.type === 'Array') {
      node = node.elements[Number(part)]?.value;
      start = node?.loc.start ?? start;
    } else break;
  }
  return { line: start.line, column: start.column };
}

async function syntaxProblem(text: string): Promise<{ reason: string } & Position> {
  const { parse } = await import('@humanwhocodes/momoa');
  try {
    parse(text, { mode: 'json' });
  } catch (error) {
    if (error instanceof Error && 'line' in error && 'column' in error) {
      const reason = `not valid JSON: ${error.message.replace(/\s*\(\d+:\d+\)$/, '')}`;
      return { reason, line: Number(error.line), column: Number(error.column) };
    }
  }
  return { reason: 'not valid JSON', line: 1, column: 1 };
}

export async function readCatalog(text: string): Promise<ReadCatalog> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return { ok: false, ...(await syntaxProblem(text)) };
  }
  const parsed = CatalogFile.safeParse(content);
  if (parsed.success)
    return { ok: true, catalog: toDefinition(parsed.data), getPosition: (path) => getPosition(text, path) };
  const issue = findMainIssue(parsed.error) ?? { path: [], message: 'not a catalog' };
  return { ok: false, reason: describeIssue(issue), ...(await getPosition(text, issue.path)) };
}
