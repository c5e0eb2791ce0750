/**
 * `npm run mcpb [file]`: the bundle that desktop clients install with a double click (`svc-mcp.mcpb`). libsql is a
 * native addon, so a bundle runs on the system and processor that it was made on; its manifest names the system.
 */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb';
import { bundleManifest } from './bundle-manifest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** libsql and what it loads. */
const packages = ['libsql', '@neon-rs/load', 'detect-libc'];

const output = process.argv[2] ?? join(root, 'svc-mcp.mcpb');
const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-bundle-'));
try {
  const platform = `${process.platform}-${process.arch}`;
  const addons = (await readdir(join(root, 'node_modules/@libsql'))).filter((name) =>
    name.startsWith(platform),
  );
  if (addons.length === 0) throw new Error(`There is no libsql for ${platform}: run npm ci`);
  for (const name of [...packages, ...addons.map((addon) => `@libsql/${addon}`)]) {
    const target = join(folder, 'node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(root, 'node_modules', name), target, { recursive: true });
  }
  for (const name of ['dist', 'package.json', 'README.md', 'LICENSE']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify(bundleManifest(process.platform, process.arch), undefined, 2),
  );
  // Validates the manifest, and says what it packs.
  if (!(await packExtension({ extensionPath: folder, outputPath: output }))) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
