/** `svc-mcp service keys`: API keys of the embedded service's users. */

import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { withServiceDatabase } from '../setup/service-database.ts';
import { table } from '../terminal/table.ts';

export async function addKey(user: string, flags: Flags): Promise<void> {
  await withServiceDatabase(
    loadSettings(process.env, flags, { ownKeys: true }),
    async (database, { addKey: add }) => {
      const { id, key } = await add(database, user, String(flags.label ?? ''));
      process.stdout.write(flags.json === true ? `${JSON.stringify({ id, key })}\n` : `${key}\n`);
      if (flags.json !== true)
        process.stderr.write(`Key ${id} of ${user}. It is shown only now: store it.\n`);
    },
  );
}

export async function listKeys(flags: Flags): Promise<void> {
  await withServiceDatabase(
    loadSettings(process.env, flags, { ownKeys: true }),
    async (database, { listKeys: list }) => {
      const keys = (await list(database)).map((key) => ({
        id: key.id,
        user: key.userName,
        label: key.label,
        prefix: key.prefix ?? null,
        created_at: key.createdAt.toISOString(),
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
        revoked_at: key.revokedAt?.toISOString() ?? null,
      }));
      const rows = keys.map((key) => [
        key.id,
        key.user,
        key.revoked_at === null ? 'valid' : 'revoked',
        key.prefix === null ? '' : `${key.prefix}…`,
        key.created_at,
        key.last_used_at ?? 'never',
        key.label,
      ]);
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify({ keys })}\n`
          : `${table(['KEY', 'USER', 'STATE', 'BEGINS', 'ADDED', 'LAST USED', 'LABEL'], rows)}\n`,
      );
    },
  );
}

export async function revokeKey(given: string | undefined, flags: Flags): Promise<void> {
  const { user, label } = flags;
  if ((given === undefined) === (user === undefined || label === undefined))
    throw new SettingsError('Name the key by its id, or by --user and --label');
  await withServiceDatabase(
    loadSettings(process.env, flags, { ownKeys: true }),
    async (database, { listKeys: list, revokeKey: revoke }) => {
      const id = given ?? idOfOnly(await list(database), String(user), String(label));
      await revoke(database, id);
      process.stdout.write(`Revoked ${id}.\n`);
    },
  );
}

interface NamedKey {
  readonly id: string;
  readonly userName: string;
  readonly label: string;
  readonly revokedAt: Date | undefined;
}

/** The wrong key must not be revoked: several of one label are named by their ids. */
function idOfOnly(keys: readonly NamedKey[], user: string, label: string): string {
  const found = keys.filter(
    (key) => key.userName === user && key.label === label && key.revokedAt === undefined,
  );
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.id;
  throw new SettingsError(
    only === undefined
      ? `${user} has no valid key with the label ${JSON.stringify(label)}; svc-mcp service keys list shows all keys`
      : `${user} has ${found.length} valid keys with that label: ${found.map(({ id }) => id).join(', ')}. Name one by its id`,
  );
}
