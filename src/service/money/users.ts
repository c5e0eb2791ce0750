import { randomUUID } from 'node:crypto';
import { AdministrationError } from '../foundation/errors.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import { lockBalance, post } from './ledger.ts';

/** The user that the embedded service is used as, who is also its operator. */
export const operatorName = 'default';

export interface User {
  readonly id: string;
  readonly name: string;
  /** Credits. */
  readonly balance: number;
  readonly createdAt: Date;
}

/** Adds a user with some credits. Rejects with an `AdministrationError` if the name is taken or empty. */
export async function addUser(database: ServiceDatabase, name: string, credits: number): Promise<User> {
  const user = await addUserIfNew(database, name, credits);
  if (user === undefined) throw new AdministrationError(`A user named "${name}" already exists`);
  return user;
}

/** Adds the user, unless the name is taken: undefined then. */
export async function addUserIfNew(
  database: ServiceDatabase,
  name: string,
  credits: number,
): Promise<User | undefined> {
  if (name.trim() === '') throw new AdministrationError('A user needs a name');
  checkCredits(credits);
  if (credits < 0) throw new AdministrationError('A user cannot start with negative credits');
  const user: User = { id: randomUUID(), name, balance: credits, createdAt: new Date() };
  return database.transaction(async (transaction) => {
    const insertedRow = await transaction
      .insertInto('users')
      .values({ id: user.id, name, balance: 0, created_at: user.createdAt.getTime(), removed_at: null })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    if (insertedRow.numInsertedOrUpdatedRows !== 1n) return undefined;
    if (credits > 0) {
      await post(transaction, { userId: user.id, kind: 'grant', amount: credits, jobId: null });
    }
    return user;
  });
}

export async function listUsers(database: ServiceDatabase): Promise<User[]> {
  const rows = await database.query
    .selectFrom('users')
    .selectAll()
    .where('removed_at', 'is', null)
    .orderBy('name')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    balance: row.balance,
    createdAt: new Date(row.created_at),
  }));
}

/** The user of this name. Rejects with an `AdministrationError` where there is none. */
export async function findUser(database: ServiceDatabase, name: string): Promise<User> {
  const user = (await listUsers(database)).find((candidate) => candidate.name === name);
  if (user === undefined)
    throw new AdministrationError(
      name === operatorName
        ? `There is no user named "${name}" yet: the first start of the service makes it, with its credits`
        : `There is no user named "${name}"; svc-mcp service users list shows all users`,
    );
  return user;
}

/**
 * Removes a user's keys, console sessions and connected accounts. Jobs, built actions and the ledger stay under a name
 * that says so; the user's own name becomes free. Returns how many keys were valid and accounts connected.
 */
export async function removeUser(
  database: ServiceDatabase,
  name: string,
): Promise<{ readonly keys: number; readonly accounts: number }> {
  const { id } = await findUser(database, name);
  if (name === operatorName)
    throw new AdministrationError(`"${name}" is the embedded service's own user and stays`);
  return database.transaction(async (transaction) => {
    // Connecting an account of the user takes the same lock.
    await lockBalance(transaction, id);
    const now = Date.now();
    const revoked = await transaction
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('user_id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    const identities = transaction.selectFrom('identities').select('id').where('user_id', '=', id);
    await transaction.deleteFrom('credentials').where('identity_id', 'in', identities).execute();
    const accounts = await transaction.deleteFrom('identities').where('user_id', '=', id).executeTakeFirst();
    await transaction.deleteFrom('console_sessions').where('user_id', '=', id).execute();
    await transaction
      .updateTable('users')
      .set({ name: `${name} (removed, ${id})`, removed_at: now })
      .where('id', '=', id)
      .execute();
    return { keys: Number(revoked.numUpdatedRows), accounts: Number(accounts.numDeletedRows) };
  });
}

/** Adds credits (negative: takes them, at most to a balance of zero) and returns the new balance. */
export async function grantCredits(database: ServiceDatabase, name: string, amount: number): Promise<number> {
  checkCredits(amount);
  const user = await findUser(database, name);
  return database.transaction(async (transaction) => {
    const balance = await lockBalance(transaction, user.id);
    if (balance + amount < 0) throw new AdministrationError(`"${name}" has only ${balance} credits`);
    await post(transaction, { userId: user.id, kind: 'grant', amount, jobId: null });
    return balance + amount;
  });
}

function checkCredits(amount: number): void {
  if (!Number.isSafeInteger(amount)) throw new AdministrationError('Credits are whole numbers');
}
