/** Final answers that were paid for, kept so that they can be read and paged later without the service. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Answer } from '../../contract/api.ts';
import { Job } from '../../contract/resources.ts';
import type { Database } from '../../store/database.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { isGzip } from '../foundation/is-gzip.ts';
import { postgresNow } from './database-time.ts';
import type { GatewaySchema } from './schema.ts';

/** Shorter answers are kept as they are. */
const shortChars = 4_096;

export class KeptResults {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  /** The answer read last: whoever pages through it asks for it again and again. */
  #last: { readonly jobId: string; readonly answer: Answer<Job> } | undefined;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  /** Keeps an answer that the service has too, as the JSON text it came in. */
  async keep(jobId: string, text: Answer<Job>['text']): Promise<void> {
    await this.#database.batch([await this.keepStatement(jobId, text)], { synced: false });
  }

  /** The statement that keeps an answer, for a batch with what else becomes true with it. */
  async keepStatement(jobId: string, text: Answer<Job>['text']): Promise<Statement> {
    const body = await compressResult(text);
    const isShared = this.#database.engine === 'postgres';
    return statement(
      `insert into gateway_result (principal, job_id, size, body, kept_at)
        values ($1, $2, $3, $4, ${isShared ? postgresNow : '$5'}) on conflict do nothing`,
      this.#principal,
      jobId,
      body.byteLength,
      body,
      ...(isShared ? [] : [Date.now()]),
    );
  }

  async read(jobId: string): Promise<Answer<Job> | undefined> {
    if (this.#last?.jobId === jobId) return this.#last.answer;
    const row = await this.readKept(jobId);
    if (row === undefined) return undefined;
    const bytes = isGzip(row.body) ? await promisify(gunzip)(row.body) : Buffer.from(row.body);
    const text = bytes.toString('utf8');
    const body = Job.parse(JSON.parse(text));
    const answer = { body, text: isGzip(row.body) ? { length: text.length, gzip: row.body } : text };
    this.#last = { jobId, answer };
    return answer;
  }

  /** An answer as it is kept, gzipped unless it is short, for whoever shows a part of it. */
  async readKept(jobId: string): Promise<{ body: Uint8Array; kept_at: number } | undefined> {
    return this.#database.query
      .selectFrom('gateway_result')
      .select(['body', 'kept_at'])
      .where('principal', '=', this.#principal)
      .where('job_id', '=', jobId)
      .executeTakeFirst();
  }
}

/** Short ones are not worth it. The fastest level: JSON compresses well at any, and the machine has other work. */
async function compressResult(text: Answer<Job>['text']): Promise<Uint8Array> {
  if (typeof text !== 'string') return text.gzip;
  return text.length < shortChars ? Buffer.from(text) : promisify(gzip)(text, { level: 1 });
}
