/** Runs the commands of a document as they stand there, from top to bottom, in one shell. Needs `dist/`. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './gateway.ts';
import { expectBuilt, programFile } from './program.ts';

/** The blocks of commands in the order in which they stand there; those marked `no-test` need what a test has not. */
export async function readCommands(document: string, section?: string): Promise<string[]> {
  const text = await readFile(document, 'utf8');
  const part = section === undefined ? text : findSection(text, section);
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

/** What stands below a heading, up to the next one that is not below it. */
function findSection(text: string, title: string): string {
  const [, level = '', below = ''] = new RegExp(`^(#+) ${title}\n([\\s\\S]*)`, 'm').exec(text) ?? [];
  return below.split(new RegExp(`^#{2,${level.length}} `, 'm'))[0] ?? '';
}

/** A folder with `svc-mcp` in its `bin`, and an `npm` that does nothing. */
export async function makeShell(): Promise<string> {
  expectBuilt();
  const folder = await temporaryFolder();
  const binaries = join(folder, 'bin');
  await mkdir(binaries);
  const commands: [string, string][] = [
    ['svc-mcp', `exec '${process.execPath}' '${programFile}' "$@"`],
    // An upgrade installs a file that only a release has.
    ['npm', ''],
  ];
  for (const [name, text] of commands) {
    await writeFile(join(binaries, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(binaries, name), 0o755);
  }
  return folder;
}

/** What the commands print; rejects at the first that fails. What they left running is ended. */
export async function runCommands(
  blocks: readonly string[],
  {
    folder,
    replaced = {},
  }: { readonly folder: string; readonly replaced?: Readonly<Record<string, string>> },
): Promise<string> {
  const script = Object.entries(replaced).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    blocks.join('\n'),
  );
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-ec', `trap 'kill $(jobs -p) 2>/dev/null || :; wait' EXIT\n${script}`],
    { cwd: folder, env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder } },
  );
  return stdout;
}
