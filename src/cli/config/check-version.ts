/** A data folder of another version is refused by every command, before anything in it is changed. */
import { join } from 'node:path';
import { gatewayMigrations } from '../../gateway/store/migrations.ts';
import { migrations as serviceMigrations } from '../../service/store/migrations.ts';
import { countApplied, readFileHash, schemaHashes } from '../../store/schema-hash.ts';

/** Throws a `StoreError` of kind `other-schema`. */
export function checkVersion(dataDir: string): void {
  for (const { name, migrations } of [
    { name: 'gateway.db', migrations: gatewayMigrations },
    { name: 'service.db', migrations: serviceMigrations },
  ]) {
    const file = join(dataDir, name);
    countApplied(readFileHash(file), schemaHashes(migrations, 'sqlite'), { file });
  }
}
