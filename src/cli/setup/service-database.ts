/** The embedded service's database, opened for one command. */
import type { Settings } from '../config/load.ts';
import { prepareDataFolder } from './data-folder.ts';

type Database = Awaited<ReturnType<typeof import('../../service/service.ts')['openServiceDatabase']>>;
type Administration = typeof import('../../service/money/users.ts') &
  typeof import('../../service/money/keys.ts') &
  typeof import('../../service/operations/manage-builds.ts');

export async function withServiceDatabase<Result>(
  settings: Settings,
  work: (database: Database, administration: Administration) => Promise<Result>,
): Promise<Result> {
  if (settings.databaseUrl === undefined) await prepareDataFolder(settings);
  const [{ openServiceDatabase }, users, keys, builds] = await Promise.all([
    import('../../service/service.ts'),
    import('../../service/money/users.ts'),
    import('../../service/money/keys.ts'),
    import('../../service/operations/manage-builds.ts'),
  ]);
  const database = await openServiceDatabase(settings);
  try {
    return await work(database, { ...users, ...keys, ...builds });
  } finally {
    await database.close();
  }
}
