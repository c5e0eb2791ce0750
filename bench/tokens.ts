/** What each tool of the embedded service costs a conversation. `npm run tokens`; fails above the budget. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens, isAction, sumTokens, tokenBudget } from '../test/support/list-budget.ts';
import { connectProgram, endPrograms } from '../test/support/program.ts';

const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-tokens-'));
try {
  const { client } = await connectProgram('auto', { SVC_DATA_DIR: folder });
  const { tools } = await client.listTools();
  const print = (line: string) => process.stdout.write(`${line}\n`);
  for (const tool of tools) print(`${String(countTokens(tool)).padStart(6)} ${tool.name}`);
  const actions = tools.filter(isAction);
  const statics = sumTokens(tools.filter((tool) => !isAction(tool)));
  const average = Math.ceil(sumTokens(actions) / actions.length);
  print(`\nstatic tools: ${statics} tokens (budget ${tokenBudget.statics})`);
  print(`${actions.length} actions: ${average} on average (budget ${tokenBudget.averageAction})`);
  const isWithin = statics <= tokenBudget.statics && average <= tokenBudget.averageAction;
  if (!isWithin || actions.length === 0) process.exitCode = 1;
} finally {
  await endPrograms();
  await rm(folder, { recursive: true, force: true });
}
