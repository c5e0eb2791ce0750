/** `svc-mcp call <tool> [json]`: one tool call through a real MCP client; progress to stderr, the result to stdout. */
import * as z from 'zod';
import { loadSettings, SettingsError } from '../config/load.ts';
import { type Flags, settingArguments } from '../flags.ts';
import { openSession } from '../session.ts';

export async function call(tool: string, json: string, flags: Flags): Promise<void> {
  loadSettings(process.env, flags);
  const args = parsedArguments(json);
  // A script gets the address in the answer; a person at a terminal can open it while the call waits.
  const onPage = (message: string, url: string) => process.stderr.write(`${message}\nOpen ${url}\n`);
  const session = await openSession(settingArguments(flags), process.stderr.isTTY ? onPage : undefined);
  try {
    const onProgress = process.stderr.isTTY
      ? (message: string) => process.stderr.write(`  ${message}\n`)
      : undefined;
    const { body, isError } = await session.callTool(tool, args, onProgress);
    process.stdout.write(`${JSON.stringify(body, undefined, flags.json === true ? undefined : 2)}\n`);
    if (isError) process.exitCode = 1;
  } finally {
    await session.close();
  }
}

function parsedArguments(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  } catch {
    throw new SettingsError(`The arguments must be a JSON object such as '{"q": "books"}', not ${json}`);
  }
}
