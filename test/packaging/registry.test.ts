/** `server.json` against the registry's schema of 2025-12-11 and its further requirements, and one version everywhere. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { bundleManifest } from '../../packaging/bundle-manifest.ts';
import { serverJson } from '../../packaging/server-json.ts';
import { settings } from '../../src/cli/config/settings.ts';
import { runProgram } from '../support/program.ts';

const written: unknown = JSON.parse(readFileSync('server.json', 'utf8'));

/** What the schema says of the members that this file has; it has no others. */
const input = z.strictObject({
  name: z.string(),
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
});
const version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/, 'a version, no range');
const ServerJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  packages: z
    .array(
      z.strictObject({
        registryType: z.enum(['npm', 'pypi', 'oci', 'nuget', 'mcpb']),
        identifier: z.string(),
        version,
        runtimeHint: z.string(),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(input),
      }),
    )
    .length(1),
});

it('server.json is what the code makes (npm run readme writes it), and what the schema takes', () => {
  expect(written).toEqual(serverJson());
  expect(ServerJson.safeParse(written)).toMatchObject({ success: true });
});

it('the registry finds its name in the package', () => {
  const { name, packages } = ServerJson.parse(written);
  expect(name).toBe(manifest.mcpName);
  expect(packages[0]).toMatchObject({ registryType: 'npm', identifier: manifest.name });
});

it('every secret is marked as one', () => {
  const variables = ServerJson.parse(written).packages[0]?.environmentVariables ?? [];
  const secrets = Object.values(settings).flatMap((one) => ('secret' in one ? [one.env] : []));
  expect(variables.length).toBeGreaterThan(10);
  for (const { name, isSecret } of variables)
    expect([name, isSecret]).toEqual([name, secrets.includes(name)]);
});

it('the changelog begins with that version, documents install it, and only its tag is released', async () => {
  const { version } = manifest;
  expect(/^## (\S+)/m.exec(await readFile('CHANGELOG.md', 'utf8'))?.[1]).toBe(version);
  const below = ['docs', 'examples'].map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
  );
  const documents = ['README.md', ...(await Promise.all(below)).flat()].filter((name) =>
    name.endsWith('.md'),
  );
  const texts = await Promise.all(documents.map((path) => readFile(path, 'utf8')));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/svc-mcp-(\d[\d.]*\d)\.tgz/g)].map(([, one]) => one),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(new Set(named)).toEqual(new Set([version]));
  expect(await readFile('.github/workflows/release.yml', 'utf8')).toContain(
    'test "$GITHUB_REF_NAME" = "v$(node -p "require(\'./package.json\').version")"',
  );
});

it('the package, its registry entry, its bundle and its command are of one version', async () => {
  const { version: listed, packages } = ServerJson.parse(written);
  const { stdout } = await runProgram(['--version'], {});
  const versions = [listed, packages[0]?.version, bundleManifest('linux', 'x64').version, stdout.trim()];
  expect(new Set(versions)).toEqual(new Set([manifest.version]));
});
