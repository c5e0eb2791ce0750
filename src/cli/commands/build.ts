/**
 * `svc-mcp build <url> [goal]`: asks for a new action and waits until it is built, or cannot be. On a terminal a person
 * looks at the page and chooses its columns first.
 */

import { BuildChoice } from '../../contract/endpoints.ts';
import { PromptAbortedError, SettingsError } from '../config/errors.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { recipeFile } from '../setup/recipe-file.ts';
import { openSession, type Session, type ToolAnswer } from '../setup/session.ts';
import { confirm, confirmPrice, type Look, type Order, orderColumns } from '../terminal/build-dialogue.ts';
import { BuildAnswer, errorText, failureText, successText } from '../terminal/build-text.ts';
import { Preview, previewText } from '../terminal/candidate-text.ts';
import { type ProgressLine, progressLine } from '../terminal/progress-line.ts';

/** The command line, checked. */
interface Request {
  readonly websiteUrl: string;
  readonly goal: string | undefined;
  readonly choose: BuildChoice | undefined;
  /** True: an overview; a text: all columns of that candidate. */
  readonly preview: true | string | undefined;
  readonly isInteractive: boolean;
}

interface Connection {
  readonly session: Session;
  readonly line: ProgressLine;
}

export async function build(address: string, goal: string | undefined, flags: Flags): Promise<void> {
  const request = parseRequest(address, goal, flags);
  const settings = loadSettings(process.env, flags);
  const file =
    typeof flags.save === 'string' && request.preview === undefined
      ? await recipeFile(flags.save, request.websiteUrl, settings)
      : undefined;
  const session = await openSession(settingArguments(flags));
  const connection = { session, line: progressLine() };
  try {
    if (request.preview !== undefined) return await showPreview(connection, request, flags);
    const body = await (request.isInteractive
      ? buildWithPerson(connection, request, flags)
      : untilEnded(connection, toArguments(request, { ...request, goal: request.goal ?? '' }, flags)));
    connection.line.clear();
    if (body === undefined) return;
    const answer = BuildAnswer.parse(body);
    report(answer, body, flags);
    if (isBuilt(answer) && file !== undefined) {
      await file.save(answer.action_id ?? '');
      process.stderr.write(`Saved the recipe to ${flags.save}\n`);
    }
  } finally {
    connection.line.clear();
    await session.close();
  }
}

function parseRequest(address: string, goal: string | undefined, flags: Flags): Request {
  // People write example.com.
  const websiteUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const choose = typeof flags.choose === 'string' ? parseChoice(flags.choose) : undefined;
  const { preview } = flags;
  if (typeof preview === 'string' && !/^[a-z]{1,4}\d{1,4}$/i.test(preview))
    throw new SettingsError('--preview takes the id of a candidate, such as t1; put the goal before it');
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const asksNothing = flags.json === true || flags.yes === true || !isTerminal;
  const isPreview = preview === true || typeof preview === 'string';
  if (goal === undefined && !isPreview && asksNothing)
    throw new SettingsError(
      'a goal is missing, such as "list all jobs with title and salary"; only --preview, and a person at a terminal, needs none',
    );
  return {
    ...{ websiteUrl, goal, choose },
    preview: isPreview ? preview : undefined,
    // A complete request needs no questions.
    isInteractive: !asksNothing && (goal === undefined || choose === undefined),
  };
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
  { websiteUrl }: Request,
  { goal, choose }: Order,
  { catalog, visibility, force }: Flags,
): Record<string, unknown> {
  return {
    website_url: websiteUrl,
    goal,
    ...(typeof catalog === 'string' ? { catalog_id: catalog } : {}),
    ...(typeof visibility === 'string' ? { visibility } : {}),
    ...(force === true ? { force } : {}),
    ...(choose === undefined ? {} : { choose }),
  };
}

const isBuilt = ({ build, status }: BuildAnswer) => (build?.status ?? status) === 'success';

function report(answer: BuildAnswer, body: ToolAnswer['body'], flags: Flags): void {
  if (!isBuilt(answer)) process.exitCode = 1;
  if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
  else if (isBuilt(answer)) process.stdout.write(`${successText(answer)}\n`);
  else
    process.stderr.write(`${answer.build?.status === 'failed' ? failureText(answer) : errorText(answer)}\n`);
}

type LookOptions = Parameters<Look>[0];

/** The body of a preview. */
async function look(
  { session, line }: Connection,
  { websiteUrl, goal }: Request,
  { candidate, choose }: LookOptions,
): Promise<ToolAnswer> {
  line.show('Looking at the page');
  const answer = await session.callTool('request_build', {
    website_url: websiteUrl,
    ...(goal === undefined ? {} : { goal }),
    preview: candidate === undefined ? true : { candidate },
    ...(choose === undefined ? {} : { choose }),
  });
  line.clear();
  return answer;
}

async function showPreview(connection: Connection, request: Request, flags: Flags): Promise<void> {
  const { preview, choose } = request;
  const { body, isError } = await look(connection, request, {
    ...(typeof preview === 'string' ? { candidate: preview } : {}),
    ...(choose === undefined ? {} : { choose }),
  });
  if (isError) process.exitCode = 1;
  if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
  else if (isError) process.stderr.write(`${errorText(BuildAnswer.parse(body))}\n`);
  else
    process.stdout.write(
      `${previewText(Preview.parse(body), { url: request.websiteUrl, goal: request.goal })}\n`,
    );
}

/** The body of the last build; undefined where the page cannot be looked at, which was reported. */
async function buildWithPerson(
  connection: Connection,
  request: Request,
  flags: Flags,
): Promise<ToolAnswer['body'] | undefined> {
  const lookAt: Look = async (options) => {
    const { body, isError } = await look(connection, request, options);
    return isError
      ? (BuildAnswer.parse(body).error?.message ?? 'The service could not preview the page.')
      : Preview.parse(body);
  };
  const first = await look(connection, request, {});
  const refusal = first.isError ? BuildAnswer.parse(first.body) : undefined;
  let order: Order;
  if (refusal === undefined)
    order = await orderColumns(lookAt, Preview.parse(first.body), {
      goal: request.goal,
      guess: request.choose,
    });
  else if (refusal.error?.code === 'NOT_SUPPORTED' && request.goal !== undefined) {
    await confirmPrice();
    order = { goal: request.goal, choose: request.choose };
  } else return void report(refusal, first.body, flags);
  let { force } = flags;
  for (;;) {
    const body = await untilEnded(connection, toArguments(request, order, { ...flags, force }));
    connection.line.clear();
    const answer = BuildAnswer.parse(body);
    const code = answer.error?.code;
    if (code !== 'CHOICE_NEEDED' && code !== 'ACTION_EXISTS') return body;
    const text = code === 'CHOICE_NEEDED' ? failureText({ ...answer, candidates: [] }) : errorText(answer);
    process.stderr.write(`${text}\n\n`);
    if (code === 'ACTION_EXISTS') {
      if (!(await confirm('Build another one?'))) throw new PromptAbortedError();
      force = true;
    } else {
      const preview = { page: { title: '', url: request.websiteUrl }, candidates: answer.candidates };
      order = await orderColumns(lookAt, preview, { goal: order.goal, guess: answer.build?.choose });
    }
  }
}

/** The answer to the request; a build that outlives the wait is waited for again, until it ends. */
async function untilEnded(
  { session, line }: Connection,
  request: Record<string, unknown>,
): Promise<ToolAnswer['body']> {
  let { body } = await session.callTool('request_build', request, line.show);
  for (;;) {
    const { error, build } = BuildAnswer.parse(body);
    if (error !== undefined || build === undefined || build.status === 'success' || build.status === 'failed')
      return body;
    ({ body } = await session.callTool(
      'list_build_requests',
      { id: build.id, wait_seconds: 600 },
      line.show,
    ));
  }
}
