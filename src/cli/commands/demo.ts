/** `svc-mcp demo`: the whole product once, as an agent sees it, in a folder of its own that is removed afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import colors from 'picocolors';
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import { claudeDesktop, createAddition } from '../clients/clients.ts';
import { snippet } from '../clients/config-text.ts';
import { thisProgram } from '../clients/this-program.ts';
import { installedClients, readSystem } from '../clients/this-system.ts';
import { openSession, programPath, type ToolAnswer, type ToolSession } from '../setup/session.ts';

const Hits = z.looseObject({
  results: z.array(
    z.looseObject({
      ...{ tool: z.string(), name: z.string(), mode: z.string() },
      // In words where it may be more than `credits`.
      ...{ credits: z.number(), cost: z.string().optional() },
    }),
  ),
});
const Run = z.looseObject({ data: z.unknown(), credits_used: z.number(), execution_ms: z.number() });
const Spent = z.looseObject({ credits_spent_today: z.number() });

const print = (line = '') => process.stdout.write(`${line}\n`);
const heading = (text: string) => print(`\n${colors.bold(text)}`);

export async function demo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-demo-'));
  process.env.SVC_DATA_DIR = folder;
  // The demo never spends at a real service.
  for (const name of ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_KEY_FILE', 'SVC_DATABASE_URL'])
    delete process.env[name];
  heading('Starting the embedded service with its practice sites, and connecting an MCP client');
  print(
    'The shop and the quotations below are practice sites with invented content. SVC_PRACTICE_SITES=off removes them.',
  );
  const session = await openSession({ dataDir: folder });
  try {
    await show(session);
  } finally {
    await session.close();
    await rm(folder, { recursive: true, force: true });
  }
  showConfiguration();
}

/** What gives the program to the clients that are here; where none is found, the entry that most clients take. */
function showConfiguration(): void {
  const path = programPath();
  // As npm links it, or as it stands in a clone.
  const program = basename(path) === 'svc-mcp' ? 'svc-mcp' : `node ${relative(process.cwd(), path)}`;
  const found = installedClients(readSystem());
  if (found.length === 0) {
    heading('To give this to your agent, paste into its MCP configuration');
    const server = { kind: 'local', ...thisProgram(), env: {}, secrets: [] } as const;
    print(snippet(claudeDesktop, createAddition(claudeDesktop, server, 'svc')));
  } else {
    heading('To give this to the agents that are on this machine');
    for (const client of found) print(`  ${program} config ${client} --write`);
  }
  print(
    `\`${program} config <client>\` prints the entry of each client, and writes it with --write; set SVC_BASE_URL first to use a service of your own.`,
  );
}

async function show(session: ToolSession): Promise<void> {
  const tools = await session.listTools();
  print(`${tools.length} tools; the first of the actions:`);
  for (const tool of tools
    .filter((candidate) => candidate._meta?.['svc/action_id'] !== undefined)
    .slice(0, 6)) {
    print(`  ${colors.cyan(tool.name)}  ${tool.title ?? ''}`);
  }

  heading('search_actions {"q": "books"}');
  const hits = Hits.parse((await session.callTool('search_actions', { q: 'books' })).body);
  for (const { tool, name, mode, credits, cost = creditsText(credits) } of hits.results)
    print(`  ${colors.cyan(tool)}  ${name}, ${cost}, ${mode}`);

  await run(session, 'bookshop_list_books', {});
  await run(session, 'quotes_get', { id: 1 });

  const { credits_spent_today } = Spent.parse((await session.callTool('get_job', {})).body);
  heading(`Spent: ${creditsText(credits_spent_today)} of the embedded service`);
}

async function run(session: ToolSession, tool: string, args: Record<string, unknown>): Promise<void> {
  heading(`${tool} ${JSON.stringify(args)}`);
  const answer = await session.callTool(tool, args, (message) => print(colors.dim(`  … ${message}`)));
  if (answer.isError) throw new Error(`${tool} failed: ${JSON.stringify(answer.body)}`);
  printResult(answer);
}

function printResult({ body }: ToolAnswer): void {
  const { data, credits_used, execution_ms } = Run.parse(body);
  const lines = JSON.stringify(data, undefined, 2).split('\n');
  for (const line of lines.slice(0, 14)) print(`  ${line}`);
  if (lines.length > 14) print(colors.dim(`  … ${lines.length - 14} more lines`));
  print(`  ${colors.green('completed')}: ${creditsText(credits_used)}, ${execution_ms} ms`);
}
