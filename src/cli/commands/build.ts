/** `svc-mcp build <url> [goal]`: asks for a new action and waits until it is built, or cannot be. */

import { join } from 'node:path';
import { BuildChoice } from '../../contract/endpoints.ts';
import { SettingsError } from '../config/errors.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { recipeFile } from '../setup/recipe-file.ts';
import { openSession, type ToolAnswer, type ToolSession } from '../setup/session.ts';
import { BuildAnswer, errorText, failureText, successText } from '../terminal/build-text.ts';
import { PreviewAnswer, previewText } from '../terminal/candidate-text.ts';
import { type ProgressLine, progressLine } from '../terminal/progress-line.ts';
import { shellWord } from '../terminal/text.ts';

/** The command line, checked. */
interface Request {
  readonly websiteUrl: string;
  readonly goal: string | undefined;
  readonly choose: BuildChoice | undefined;
  /** True: an overview; a text: all columns of that candidate. */
  readonly preview: true | string | undefined;
}

interface Connection {
  readonly session: ToolSession;
  readonly line: ProgressLine;
}

export async function build(address: string, goal: string | undefined, flags: Flags): Promise<void> {
  const request = parseRequest(address, goal, flags);
  const settings = loadSettings(process.env, flags);
  const path = savePath(request, settings, flags);
  const file =
    path !== undefined && request.preview === undefined
      ? await recipeFile(path, request.websiteUrl, settings)
      : undefined;
  const session = await openSession(settings, settingArguments(flags));
  const connection = { session, line: progressLine() };
  try {
    if (request.preview !== undefined) return await showPreview(connection, request, flags);
    const { body, shown } = await untilEnded(connection, toArguments(request, flags));
    connection.line.clear();
    const answer = BuildAnswer.parse(shown);
    report(answer, body, flags);
    if (isBuilt(answer) && file !== undefined) {
      const action_id = await file.save(answer.action_id ?? '');
      const next = file.isUsedHere
        ? `. Run it: svc-mcp call run_action '${JSON.stringify({ action_id })}'`
        : `, and nowhere else. To use it: cp ${shellWord(file.path)} ${shellWord(join(settings.dataDir, 'catalogs'))}/`;
      process.stderr.write(`The action is in ${file.path}${next}\n`);
    }
  } finally {
    connection.line.clear();
    await session.close();
  }
}

/** Where the action is saved; undefined: in the service. */
function savePath({ websiteUrl }: Request, { dataDir }: Settings, flags: Flags): string | undefined {
  if (flags.install !== true) return typeof flags.save === 'string' ? flags.save : undefined;
  if (flags.save !== undefined) throw new SettingsError('Give --save or --install, not both');
  const site = URL.canParse(websiteUrl) ? new URL(websiteUrl).host : 'built';
  return join(dataDir, 'catalogs', `${site.replace(/[^a-z0-9.-]/gi, '-')}.json`);
}

function parseRequest(address: string, goal: string | undefined, flags: Flags): Request {
  // People write example.com.
  const websiteUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const choose = typeof flags.choose === 'string' ? parseChoice(flags.choose) : undefined;
  const { preview } = flags;
  if (typeof preview === 'string' && !/^[a-z]{1,4}\d{1,4}$/i.test(preview))
    throw new SettingsError('--preview takes the id of a candidate, such as t1; put the goal before it');
  const isPreview = preview === true || typeof preview === 'string';
  if (goal === undefined && !isPreview)
    throw new SettingsError(
      'a goal is missing, such as "list all jobs with title and salary"; --preview needs none, and shows what the page offers',
    );
  return { websiteUrl, goal, choose, preview: isPreview ? preview : undefined };
}

function parseChoice(text: string): BuildChoice {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SettingsError('--choose is not JSON, such as {"candidate": "t1", "fields": {"price": "c3"}}');
  }
  const { data, error } = BuildChoice.safeParse(value);
  if (data !== undefined) return data;
  const issues =
    error?.issues.map(({ path, message }) => `${['choose', ...path].join('.')}: ${message}`) ?? [];
  throw new SettingsError(
    `--choose is not {"candidate": …, "fields": {name: column or {"column": …, "match": …}}}; ${issues.join('; ')}`,
  );
}

function toArguments(
  { websiteUrl, goal, choose }: Request,
  { catalog, visibility, force, name, save, install }: Flags,
): Record<string, unknown> {
  return {
    website_url: websiteUrl,
    goal,
    ...(typeof catalog === 'string' ? { catalog } : {}),
    // A saved action is visible to its owner only until it is in the file.
    ...(typeof visibility === 'string' && save === undefined && install === undefined ? { visibility } : {}),
    ...(force === true ? { force } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(choose === undefined ? {} : { choose }),
  };
}

const isBuilt = ({ build, status }: BuildAnswer) => (build?.status ?? status) === 'success';

function report(answer: BuildAnswer, body: ToolAnswer['body'], flags: Flags): void {
  if (!isBuilt(answer)) process.exitCode = 1;
  if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
  else if (isBuilt(answer))
    process.stdout.write(
      `${successText(answer, { isSaved: flags.save !== undefined || flags.install === true })}\n`,
    );
  else
    process.stderr.write(`${answer.build?.status === 'failed' ? failureText(answer) : errorText(answer)}\n`);
}

async function showPreview(
  { session, line }: Connection,
  { websiteUrl, goal, preview, choose }: Request,
  flags: Flags,
): Promise<void> {
  line.show('Looking at the page');
  const { body, shown, isError } = await session.callTool('request_build', {
    website_url: websiteUrl,
    ...(goal === undefined ? {} : { goal }),
    preview: true,
    ...(choose !== undefined
      ? { choose }
      : typeof preview === 'string'
        ? { choose: { candidate: preview } }
        : {}),
  });
  line.clear();
  if (isError) process.exitCode = 1;
  if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
  else if (isError) process.stderr.write(`${errorText(BuildAnswer.parse(shown))}\n`);
  else process.stdout.write(`${previewText(PreviewAnswer.parse(shown), websiteUrl)}\n`);
}

/** The answer to the request; a build that outlives the wait is waited for again, until it ends. */
async function untilEnded(
  { session, line }: Connection,
  request: Record<string, unknown>,
): Promise<ToolAnswer> {
  let answer = await session.callTool('request_build', request, line.show);
  for (;;) {
    const { error, build } = BuildAnswer.parse(answer.body);
    if (error !== undefined || build === undefined || build.status === 'success' || build.status === 'failed')
      return answer;
    answer = await session.callTool('list_build_requests', { id: build.id, wait_seconds: 600 }, line.show);
  }
}
