/** `svc-mcp call <tool> [json]`: one tool call through a real MCP client; progress to stderr, the result to stdout. */

import * as z from 'zod';
import { parseJson } from '../../contract/exact-json.ts';
import { missingFromTable } from '../../gateway/interface/outcomes.ts';
import { SettingsError } from '../config/errors.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { openSession, type ToolAnswer, type ToolSession } from '../setup/session.ts';
import { listenForInterruption } from '../terminal/interruption.ts';
import { describeFailure, failureCode } from '../terminal/text.ts';

export async function call(tool: string, json: string, flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags);
  const args = parsedArguments(json);
  const interruption = listenForInterruption();
  let isSent = false;
  try {
    await withSession(settings, flags, async (session) => {
      interruption.onSignal(() => session.interrupt());
      if (interruption.exitCode !== undefined)
        return endStopped(interruption.exitCode, describeStop(undefined));
      isSent = true;
      const answer = await session.callTool(tool, args, showProgress());
      if (interruption.exitCode === undefined || answer.body.status === 'completed')
        return print(session, { tool, args, baseUrl: settings.baseUrl, flags }, answer);
      endStopped(interruption.exitCode, describeStop(answer.shown));
    });
  } catch (error) {
    // The server ends with a signal, and with it the connection.
    if (interruption.exitCode === undefined) throw error;
    endStopped(interruption.exitCode, isSent ? noAnswer : describeStop(undefined));
  } finally {
    interruption.stop();
  }
}

async function withSession(
  settings: Settings,
  flags: Flags,
  work: (session: ToolSession) => Promise<void> | void,
): Promise<void> {
  // A script gets the address in the answer; a person at a terminal can open it while the call waits.
  const onPage = (message: string, url: string) => process.stderr.write(`${message}\nOpen ${url}\n`);
  const session = await openSession(
    settings,
    settingArguments(flags),
    process.stderr.isTTY ? onPage : undefined,
  );
  try {
    await work(session);
  } finally {
    await session.close();
  }
}

const showProgress = () =>
  process.stderr.isTTY ? (message: string) => process.stderr.write(`  ${message}\n`) : undefined;

interface CallRequest {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly baseUrl: string | undefined;
  readonly flags: Flags;
}

async function print(
  session: ToolSession,
  { tool, args, baseUrl, flags }: CallRequest,
  { body: forAgent, shown, isError }: ToolAnswer,
): Promise<void> {
  const answer = flags.json === true ? forAgent : shown;
  const body = isDeadLink(answer, baseUrl) ? await nameCommand(session, answer, tool, args) : answer;
  if (flags.csv === true && body.status === 'completed') return printCsv(session, args, body.job_id);
  // What reads the table gets no other text.
  const lacksTable = flags.csv === true && (isError || body.status === 'processing');
  const text = `${JSON.stringify(body, undefined, flags.json === true ? undefined : 2)}\n`;
  (lacksTable ? process.stderr : process.stdout).write(text);
  if (isError || lacksTable) process.exitCode = 1;
}

function endStopped(exitCode: number, text: string): void {
  process.stderr.write(`svc-mcp: ${text}\n`);
  process.exitCode = exitCode;
}

const noAnswer =
  'Stopped before an answer came. `svc-mcp jobs` lists what was sent; repeat the call to get its result, which is not paid twice.';

/** `body`: what the server answered when it was stopped; undefined if it had not been asked. */
function describeStop(body: ToolAnswer['body'] | undefined): string {
  if (body === undefined || failureCode(body) === 'CANCELLED') return 'Stopped: nothing was sent.';
  if (body.status !== 'processing') return describeFailure(body);
  return `Stopped waiting; job ${body.job_id} was sent and is not cancelled. Repeat the call to get its result: it is not paid again until its answer has arrived.`;
}

const Link = z.looseObject({ login_url: z.url() });

/** Whether the answer names a sign-in page of this machine, which ends with this command. */
function isDeadLink(body: ToolAnswer['body'], baseUrl: string | undefined): boolean {
  const { data } = Link.safeParse(body.error ?? body);
  if (data === undefined) return false;
  const { hostname, origin } = new URL(data.login_url);
  // Pages of a service that runs on its own outlive this command.
  const isOfService = baseUrl !== undefined && new URL(baseUrl).origin === origin;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) && !isOfService;
}

const Hits = z.looseObject({
  results: z.array(z.looseObject({ tool: z.string(), action_id: z.string(), catalog_slug: z.string() })),
});
const Catalog = z.looseObject({ catalog: z.looseObject({ auth_types: z.array(z.string()) }) });

/** The answer with the command that signs in, in place of the link. */
async function nameCommand(
  session: ToolSession,
  body: ToolAnswer['body'],
  tool: string,
  args: Record<string, unknown>,
): Promise<ToolAnswer['body']> {
  const slug = await findCatalog(session, tool, args);
  const catalog = Catalog.safeParse((await session.callTool('browse_catalogs', { catalog: slug })).body).data;
  const types = catalog?.catalog.auth_types ?? [];
  const isWindow = types.includes('browser_state') && !types.includes('credentials');
  const next = `Run svc-mcp ${isWindow ? 'connect' : 'login'} ${slug}, then repeat this call.`;
  const { data: error } = z.looseObject({}).safeParse(body.error);
  return { ...withoutLink(body), ...(error === undefined ? {} : { error: withoutLink(error) }), next };
}

const linkMembers = new Set(['login_url', 'expires_at', 'sign_in']);
const withoutLink = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !linkMembers.has(name)));

/** The slug of the catalog whose sign-in the call needs. */
async function findCatalog(
  session: ToolSession,
  tool: string,
  args: Record<string, unknown>,
): Promise<string> {
  if (tool === 'login' && typeof args.catalog === 'string') return args.catalog;
  const q = String(args.action_id ?? tool);
  const { data } = Hits.safeParse((await session.callTool('search_actions', { q, limit: 50 })).body);
  const hit = data?.results.find(
    ({ tool: name, action_id }) => name === tool || action_id === args.action_id,
  );
  return hit?.catalog_slug ?? '<catalog>';
}

const JobPage = z.looseObject({
  data: z.string(),
  beside: z.record(z.string(), z.unknown()).optional(),
  note: z.string().optional(),
  drift: z.unknown().optional(),
  page: z.looseObject({ next_offset: z.number().nullable() }).optional(),
});

/** All rows of the kept result, page by page; each page begins with the header. Reading is free. */
async function printCsv(
  session: ToolSession,
  { select, svc_select }: Record<string, unknown>,
  jobId: unknown,
): Promise<void> {
  for (let offset: number | null = 0; offset !== null; ) {
    const { shown: body, isError } = await session.callTool('get_job', {
      job_id: jobId,
      select: svc_select ?? select,
      offset,
      format: 'csv',
    });
    const read = JobPage.safeParse(body);
    if (isError || !read.success) {
      const problem = isError ? JSON.stringify(body, undefined, 2) : rowTooLong(offset);
      process.stderr.write(`${problem}\n`);
      process.exitCode = 1;
      return;
    }
    const { data, page } = read.data;
    if (offset === 0) printBeside(read.data);
    process.stdout.write(offset === 0 ? data : data.slice(data.indexOf('\r\n') + 2));
    offset = page?.next_offset ?? null;
  }
}

/** No columns: these facts belong to the result, not to a row. A table that lacks rows of a batch ends as a failure. */
function printBeside({ beside, note, drift, ...batch }: z.infer<typeof JobPage>): void {
  if (beside !== undefined) process.stderr.write(`Beside the rows: ${JSON.stringify(beside)}\n`);
  if (drift !== undefined) process.stderr.write(`drift: ${JSON.stringify(drift)}\n`);
  const missing = missingFromTable(batch);
  for (const text of [note, missing]) if (text !== undefined) process.stderr.write(`${text}\n`);
  if (missing !== undefined) process.exitCode = 1;
}

/** The server answers JSON where a row of CSV would be longer than an answer. */
const rowTooLong = (offset: number): string =>
  `Row ${offset + 1} is longer than an answer may be: give more characters with SVC_RESULT_CHARS, or select fewer fields. The result is kept and free to read.`;

function parsedArguments(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(parseJson(json));
  } catch {
    throw new SettingsError(`The arguments must be a JSON object such as '{"q": "books"}', not ${json}`);
  }
}
