/**
 * How a client starts this program again: with absolute paths that last, because a desktop program has no shell's PATH.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { programPath } from '../setup/session.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** What the user should know about these paths. */
  readonly note?: string;
}

const NpxPackage = z.object({ dependencies: z.record(z.string(), z.string()) });

/** A copy in the cache of npx may be deleted at any time: npx is named instead, with the package as it was given to it. */
export function thisProgram(path = programPath(), node = process.execPath): Program {
  const cache = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(path)?.[1];
  if (cache === undefined) {
    const folder = resolve(path, '..', '..', '..');
    // A checkout, which people move and delete more readily than an installed package.
    const note = `The entry starts the program in ${folder}: run this command again if you move that folder.`;
    return { command: node, args: [path], ...(existsSync(join(folder, 'src', 'cli')) ? { note } : {}) };
  }
  const spec = readPackage(cache);
  const npx = findNpx(node);
  if (spec === undefined || npx === undefined) {
    const note =
      'This copy is in the cache of npx, which may be emptied. Install svc-mcp, then run this command again.';
    return { command: node, args: [path], note };
  }
  const isFile = spec.startsWith('/') || /^[A-Za-z]:/.test(spec);
  const note = isFile
    ? `This copy is in the cache of npx, so the entry starts it by npx from ${spec}: keep that file.`
    : `This copy is in the cache of npx, so the entry starts it by npx as ${spec}.`;
  return { command: node, args: [npx, '--yes', '--package', spec, 'svc-mcp'], note };
}

/** The package as it was given to npx: the absolute path of a file or folder, else name and version in a registry. */
function readPackage(cache: string): string | undefined {
  try {
    const text = readFileSync(join(cache, 'package.json'), 'utf8');
    const spec = NpxPackage.parse(JSON.parse(text)).dependencies['svc-mcp'];
    if (spec === undefined) return undefined;
    return spec.startsWith('file:') ? resolve(cache, spec.slice('file:'.length)) : `svc-mcp@${spec}`;
  } catch {
    return undefined;
  }
}

/** npx of the Node that runs this, as a script. */
function findNpx(node: string): string | undefined {
  const folder = dirname(node);
  const places = [join(folder, '..', 'lib'), folder].map((place) =>
    join(place, 'node_modules', 'npm', 'bin', 'npx-cli.js'),
  );
  return places.find((place) => existsSync(place));
}
