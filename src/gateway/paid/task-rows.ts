/** What clients poll in place of a result: one small row each. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../store/database.ts';
import { databaseNow, nowText } from '../../store/database-time.ts';
import { statement } from '../../store/statement.ts';
import type { GatewaySchema, TaskRow } from '../store/schema.ts';

const idBytes = 18;
/** The form of our ids. Other texts are not looked up, because a database does not take every text. */
const idForm = /^[\w-]{24}$/;
/** The life of a task, in milliseconds. */
const lifetimeMs = 7 * 24 * 60 * 60_000;

/** Its times and `now` are the database's. */
export type CurrentTask = TaskRow & { readonly now: number };

export class TaskRows {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  /** Inserts a task and deletes expired ones. */
  async add(source: Pick<TaskRow, 'row_id' | 'group_id' | 'view'>): Promise<CurrentTask> {
    const now = nowText(this.#database.engine);
    const [, { rows }] = await this.#database.batch([
      statement(`delete from gateway_task where expires_at <= ${now}`),
      statement<TaskRow>(
        `insert into gateway_task (id, principal, row_id, group_id, view, cancelled_at, created_at, expires_at)
          select $1, $2, $3, $4, $5, null, ${now}, ${now} + ${lifetimeMs} returning *`,
        randomBytes(idBytes).toString('base64url'),
        this.#principal,
        source.row_id,
        source.group_id,
        source.view,
      ),
    ]);
    const [task] = rows;
    if (task === undefined) throw new Error('The task was not written');
    return { ...task, now: task.created_at };
  }

  /** Undefined: no such task, an expired one, or another principal's. */
  async find(id: string): Promise<CurrentTask | undefined> {
    if (!idForm.test(id)) return undefined;
    return this.#database.query
      .selectFrom('gateway_task')
      .selectAll()
      .select(this.#now.as('now'))
      .where('id', '=', id)
      .where('principal', '=', this.#principal)
      .where('expires_at', '>', this.#now)
      .executeTakeFirst();
  }

  /** Ends what this task wants. The call or group itself stays. */
  async cancel(id: string): Promise<void> {
    await this.#database.query
      .updateTable('gateway_task')
      .set({ cancelled_at: this.#now })
      .where('id', '=', id)
      .where('principal', '=', this.#principal)
      .where('cancelled_at', 'is', null)
      .execute();
  }

  /** Whether any of these tasks still wants its answer. */
  async areWanted(ids: readonly string[]): Promise<boolean> {
    const task = await this.#database.query
      .selectFrom('gateway_task')
      .select('id')
      .where('id', 'in', ids)
      .where('cancelled_at', 'is', null)
      .executeTakeFirst();
    return task !== undefined;
  }

  get #now() {
    return databaseNow(this.#database.engine);
  }
}
