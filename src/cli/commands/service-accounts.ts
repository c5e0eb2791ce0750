/** `svc-mcp service accounts`: accounts at other sites that are connected to the embedded service. */
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { withServiceDatabase } from '../setup/service-database.ts';
import { oneLine, table } from '../terminal/table.ts';

export async function showAccounts(flags: Flags): Promise<void> {
  const { listAccounts } = await import('../../service/operations/identities.ts');
  await withServiceDatabase(loadSettings(process.env, flags, { ownKeys: true }), async (database) => {
    const accounts = (await listAccounts(database)).map(({ id, user, catalog, name }) => ({
      id,
      user,
      catalog,
      name,
    }));
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ accounts })}\n`
        : `${table(['ID', 'USER', 'CATALOG', 'ACCOUNT'], accounts.map(Object.values))}\n`,
    );
  });
}

export async function disconnectAccount(id: string, flags: Flags): Promise<void> {
  const [{ listAccounts, disconnectIdentity }, { AdministrationError }] = await Promise.all([
    import('../../service/operations/identities.ts'),
    import('../../service/foundation/errors.ts'),
  ]);
  await withServiceDatabase(loadSettings(process.env, flags, { ownKeys: true }), async (database) => {
    const account = (await listAccounts(database)).find((candidate) => candidate.id === id);
    if (account === undefined)
      throw new AdministrationError(
        `There is no account with the id ${id}; svc-mcp service accounts list shows them`,
      );
    await disconnectIdentity(database, account.userId, id);
    process.stdout.write(
      `Disconnected ${oneLine(account.name)} of ${account.catalog}; its session is deleted.\n`,
    );
  });
}
