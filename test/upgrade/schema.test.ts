/** Each kept folder has a schema from which this version knows the way to its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { migrations as serviceMigrations } from '../../src/service/store/migrations.ts';
import { schemaHashes } from '../../src/store/schema-hash.ts';
import { databases, keptVersions } from './kept-folder.ts';

const migrations = { gateway: gatewayMigrations, service: serviceMigrations };
const versions = await keptVersions();

it('the folder of this version is kept', () => {
  expect(versions).toContain(manifest.version);
});

it.each(versions.flatMap((version) => databases.map((name) => ({ version, name }))))(
  'a schema of $version is one that this version brings up to date ($name)',
  async ({ version, name }) => {
    const statements = await readFile(join(import.meta.dirname, version, `${name}.sql`), 'utf8');
    const hash = Number(/^pragma user_version = (\d+);$/m.exec(statements)?.[1]);
    // Before a release: npm run keep:folder. After it, an upgrade is missing (CONTRIBUTING.md, "A table or column").
    expect(schemaHashes(migrations[name], 'sqlite')).toContain(hash);
  },
);
