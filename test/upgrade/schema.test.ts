/** Each kept folder has a schema from which this version knows the way to its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { migrations as serviceMigrations } from '../../src/service/store/migrations.ts';
import { schemaHashes } from '../../src/store/schema-hash.ts';
import { databases, keptVersions, postgresFile } from './kept-folder.ts';

const migrations = { gateway: gatewayMigrations, service: serviceMigrations };
const versions = await keptVersions();

it('the folder of this version is kept', () => {
  expect(versions).toContain(manifest.version);
});

const places = {
  sqlite: (name: string) => ({ file: `${name}.sql`, hash: /^pragma user_version = (\d+);$/m }),
  postgres: (name: string) => ({
    file: postgresFile,
    hash: new RegExp(`^INSERT INTO public\\.${name}_schema_version VALUES \\((\\d+)\\);$`, 'm'),
  }),
};
const engines = ['sqlite', 'postgres'] as const;
const schemas = versions.flatMap((version) =>
  databases.flatMap((name) => engines.map((engine) => ({ version, name, engine }))),
);

it.each(schemas)(
  'a schema of $version is one that this version brings up to date ($name, $engine)',
  async ({ version, name, engine }) => {
    const { file, hash } = places[engine](name);
    const statements = await readFile(join(import.meta.dirname, version, file), 'utf8');
    // Before a release: npm run keep:folder. After it, an upgrade is missing (CONTRIBUTING.md, "A table or column").
    expect(schemaHashes(migrations[name], engine)).toContain(Number(hash.exec(statements)?.[1]));
  },
);
