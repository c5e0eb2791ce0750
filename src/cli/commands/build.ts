/** `svc-mcp build <url> "<goal>"`: asks for a new action and waits until it is built, or cannot be. */
import { BuildAnswer, errorText, failureText, successText } from '../build-text.ts';
import { loadSettings, SettingsError } from '../config/load.ts';
import { type Flags, settingArguments } from '../flags.ts';
import { progressLine } from '../progress-line.ts';
import { recipeFile } from '../recipe-file.ts';
import { openSession, type Session, type ToolAnswer } from '../session.ts';

export async function build(address: string, goal: string, flags: Flags): Promise<void> {
  // People write example.com.
  const websiteUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const choose = typeof flags.choose === 'string' ? parseChoice(flags.choose) : undefined;
  const settings = loadSettings(process.env, flags);
  const file =
    typeof flags.save === 'string' ? await recipeFile(flags.save, websiteUrl, settings) : undefined;
  const session = await openSession(settingArguments(flags));
  const line = progressLine();
  try {
    const { catalog, visibility, force } = flags;
    const request = {
      website_url: websiteUrl,
      goal,
      ...(typeof catalog === 'string' ? { catalog_id: catalog } : {}),
      ...(typeof visibility === 'string' ? { visibility } : {}),
      ...(force === true ? { force } : {}),
      ...(choose === undefined ? {} : { choose }),
    };
    const body = await untilEnded(session, request, line.show);
    line.clear();
    const answer = BuildAnswer.parse(body);
    const isBuilt = (answer.build?.status ?? answer.status) === 'success';
    if (!isBuilt) process.exitCode = 1;
    if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
    else if (isBuilt) process.stdout.write(`${successText(answer)}\n`);
    else
      process.stderr.write(
        `${answer.build?.status === 'failed' ? failureText(answer) : errorText(answer)}\n`,
      );
    if (isBuilt && file !== undefined) {
      await file.save(answer.action_id ?? '');
      process.stderr.write(`Saved the recipe to ${flags.save}\n`);
    }
  } finally {
    line.clear();
    await session.close();
  }
}

/** Checked further by the tool, which sends nothing that is wrong. */
function parseChoice(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SettingsError('--choose is not JSON, such as {"candidate": "t1", "fields": {"price": "c3"}}');
  }
}

/** The answer to the request; a build that outlives the wait is waited for again, until it ends. */
async function untilEnded(
  session: Session,
  request: Record<string, unknown>,
  onProgress: (message: string) => void,
): Promise<ToolAnswer['body']> {
  let { body } = await session.callTool('request_build', request, onProgress);
  for (;;) {
    const { error, build } = BuildAnswer.parse(body);
    if (error !== undefined || build === undefined || build.status === 'success' || build.status === 'failed')
      return body;
    ({ body } = await session.callTool(
      'list_build_requests',
      { id: build.id, wait_seconds: 600 },
      onProgress,
    ));
  }
}
