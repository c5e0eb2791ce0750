/** `svc-mcp tools`: what an agent sees, and what it does not see and why. */

import { toolList } from '../../mcp/tools/tool-list.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { checkService, withOwnGateway } from '../setup/own-gateway.ts';
import { table } from '../terminal/table.ts';
import { parseCost } from '../terminal/text.ts';

export async function tools(flags: Flags): Promise<void> {
  await withOwnGateway(loadSettings(process.env, flags, { logLevel: 'warn' }), async (gateway) => {
    // Without its service an agent sees tools that all fail.
    if (!(await checkService(gateway))) return;
    const tools = toolList(await gateway.listing());
    if (flags.json === true) {
      process.stdout.write(`${JSON.stringify({ tools }, undefined, 2)}\n`);
      return;
    }
    const rows = tools.map((tool) => [tool.name, parseCost(tool.description ?? ''), tool.title ?? '']);
    process.stdout.write(`${table(['TOOL', 'CREDITS', 'TITLE'], rows)}\n`);
    process.stdout.write(`\n${tools.length} tools, ${JSON.stringify({ tools }).length} characters.\n`);
  });
}
