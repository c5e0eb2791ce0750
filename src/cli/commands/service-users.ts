/** `svc-mcp service users`: users of the embedded service and their credits. */

import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { withServiceDatabase } from '../setup/service-database.ts';
import { table } from '../terminal/table.ts';
import { countText, shellWord } from '../terminal/text.ts';

export async function addUser(name: string, flags: Flags): Promise<void> {
  const credits = wholeNumber(String(flags.credits ?? '0'), '--credits');
  const settings = readSettings(flags);
  await withServiceDatabase(settings, async (database, { addUser: add }) => {
    const user = await add(database, name, credits);
    process.stdout.write(
      `Added ${user.name} with ${user.balance} credits. Make a key: svc-mcp service keys add ${shellWord(user.name)}\n`,
    );
  });
}

export async function listUsers(flags: Flags): Promise<void> {
  await withServiceDatabase(readSettings(flags), async (database, { listUsers: list }) => {
    const users = await list(database);
    const rows = users.map(({ name, balance, createdAt }) => ({
      name,
      credits: balance,
      created_at: createdAt.toISOString(),
    }));
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ users: rows })}\n`
        : `${table(
            ['USER', 'CREDITS', 'ADDED'],
            rows.map((user) => [user.name, String(user.credits), user.created_at]),
          )}\n`,
    );
  });
}

export async function giveCredits(name: string, amount: string, flags: Flags): Promise<void> {
  const credits = wholeNumber(amount, 'The amount');
  await withServiceDatabase(readSettings(flags), async (database, { grantCredits }) => {
    const balance = await grantCredits(database, name, credits);
    process.stdout.write(`${name} now has ${balance} credits.\n`);
  });
}

export async function removeUser(name: string, flags: Flags): Promise<void> {
  await withServiceDatabase(readSettings(flags), async (database, { removeUser: remove }) => {
    const { keys, accounts } = await remove(database, name);
    process.stdout.write(
      `Removed ${name}: ${countText(keys, 'key')} revoked, ${countText(accounts, 'account')} disconnected. The ledger and the jobs stay.\n`,
    );
  });
}

const readSettings = (flags: Flags): Settings => loadSettings(process.env, flags, { ownKeys: true });

function wholeNumber(text: string, name: string): number {
  if (!/^-?\d{1,12}$/.test(text)) throw new SettingsError(`${name} must be a whole number, not ${text}`);
  return Number(text);
}
