/** `svc-mcp tools`: what an agent sees, and what it does not see and why. */

import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { checkService, openSession } from '../setup/session.ts';
import { table } from '../terminal/table.ts';

export async function tools(flags: Flags): Promise<void> {
  const session = await openSession(loadSettings(process.env, flags), settingArguments(flags));
  try {
    const toolList = await session.listTools();
    // Without its service an agent sees tools that all fail.
    if (!(await checkService(session))) return;
    if (flags.json === true) {
      process.stdout.write(`${JSON.stringify({ tools: toolList }, undefined, 2)}\n`);
      return;
    }
    const rows = toolList.map((tool) => [tool.name, parseCost(tool.description ?? ''), tool.title ?? '']);
    process.stdout.write(`${table(['TOOL', 'CREDITS', 'TITLE'], rows)}\n`);
    // `execution` is sent only to clients of the revision that this client speaks.
    const toolsWithoutExecution = toolList.map(({ execution: _, ...tool }) => tool);
    process.stdout.write(
      `\n${toolList.length} tools, ${JSON.stringify({ tools: toolsWithoutExecution }).length} characters.\n`,
    );
  } finally {
    await session.close();
  }
}

/** The price as the description states it: `3`, `3, at most 15` or `3 or more`. */
const parseCost = (description: string) =>
  /Costs ([\d.]+) credits?((?:, at most [\d.]+| or more)?)\./.exec(description)?.slice(1).join('') ?? '';
