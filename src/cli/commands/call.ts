/** `svc-mcp call <tool> [json]`: one tool call through a real MCP client; progress to stderr, the result to stdout. */
import * as z from 'zod';
import { SettingsError } from '../config/errors.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { openSession, type Session } from '../setup/session.ts';

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
    if (flags.csv === true && body.status === 'completed') return await printCsv(session, args, body.job_id);
    process.stdout.write(`${JSON.stringify(body, undefined, flags.json === true ? undefined : 2)}\n`);
    if (isError) process.exitCode = 1;
  } finally {
    await session.close();
  }
}

const Page = z.looseObject({
  data: z.string(),
  page: z.looseObject({ next_offset: z.number().nullable() }).optional(),
});

/** All rows of the kept result, page by page; each page begins with the header. Reading is free. */
async function printCsv(
  session: Session,
  { select, svc_select, path }: Record<string, unknown>,
  jobId: unknown,
): Promise<void> {
  for (let offset: number | null = 0; offset !== null; ) {
    const { body, isError } = await session.callTool('get_job', {
      job_id: jobId,
      path: svc_select ?? select ?? path,
      offset,
      format: 'csv',
    });
    const read = Page.safeParse(body);
    if (isError || !read.success) {
      process.stderr.write(`${JSON.stringify(body, undefined, 2)}\n`);
      process.exitCode = 1;
      return;
    }
    const { data, page } = read.data;
    process.stdout.write(offset === 0 ? data : data.slice(data.indexOf('\r\n') + 2));
    offset = page?.next_offset ?? null;
  }
}

function parsedArguments(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  } catch {
    throw new SettingsError(`The arguments must be a JSON object such as '{"q": "books"}', not ${json}`);
  }
}
