/**
 * A command line of the program, run in this process: a start of its own costs most of a second. What is about a process
 * (signals, its end, what a server of its own logs) needs `runProgram`.
 *
 *     const { code, stdout, stderr } = await runHere(['doctor', '--json'], { SVC_DATA_DIR: folder });
 */
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { cleanEnvironment, type Environment, programFile } from './program.ts';

/** Takes the place of the end that `process.exit` is. */
class Ended extends Error {}

/** One at a time. Colours are left out, which this process may have or not. */
export async function runHere(args: readonly string[], environment: Environment, cwd = process.cwd()) {
  const restore = replaceSurroundings(args, environment, cwd);
  const output = { stdout: '', stderr: '' };
  let code: number | undefined;
  const write = (name: keyof typeof output) => (chunk: string | Uint8Array) => {
    if (code === undefined) output[name] += stripVTControlCharacters(String(chunk));
    return true;
  };
  const spies = [
    // Each run would add a listener.
    vi.spyOn(process.stdout, 'on').mockReturnThis(),
    vi.spyOn(process.stdout, 'write').mockImplementation(write('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(write('stderr')),
    vi.spyOn(process, 'exit').mockImplementation((asked) => {
      code ??= Number(asked ?? process.exitCode ?? 0);
      throw new Ended();
    }),
  ];
  try {
    await runProgram(process.argv);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  } finally {
    code ??= Number(process.exitCode ?? 0);
    for (const spy of spies) spy.mockRestore();
    restore();
  }
  return { code, ...output };
}

/** Returns what puts back the arguments, the settings and the folder of this process. */
function replaceSurroundings(args: readonly string[], environment: Environment, cwd: string): () => void {
  const { argv, env } = process;
  const [exitCode, folder, mask] = [process.exitCode, process.cwd(), process.umask(0o077)];
  const settings = { ...env };
  const set = (values: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(env)) if (!(name in values)) delete env[name];
    Object.assign(env, values);
  };
  set(cleanEnvironment(environment));
  process.argv = [process.execPath, programFile, ...args];
  process.exitCode = undefined;
  process.chdir(cwd);
  return () => {
    set(settings);
    Object.assign(process, { argv, exitCode });
    process.chdir(folder);
    process.umask(mask);
  };
}
