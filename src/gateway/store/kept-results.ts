/** Final answers that were paid for, kept so that they can be read and paged later without the service. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { largeBytes, withRoom } from '../../client/large-body.ts';
import { readShown } from '../../client/large-value.ts';
import type { Answer } from '../../contract/api.ts';
import { Job } from '../../contract/resources.ts';
import type { Database } from '../../store/database.ts';
import { nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { countJsonBytes, isGzip } from '../foundation/gzip.ts';
import type { GatewaySchema } from './schema.ts';

/** Shorter answers are kept as they are. */
const shortChars = 4_096;

export class KeptResults {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  /** The answer read last, kept because paging reads it again and again. */
  #last: { readonly jobId: string; readonly shownChars: number; readonly answer: Answer<Job> } | undefined;

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
    return statement(
      `insert into gateway_result (principal, job_id, size, body, kept_at)
        values ($1, $2, $3, $4, ${nowText(this.#database.engine)}) on conflict do nothing`,
      this.#principal,
      jobId,
      body.byteLength,
      body,
    );
  }

  /** Of a large result's data no more than `shownChars` characters of it need. */
  async read(jobId: string, shownChars: number): Promise<Answer<Job> | undefined> {
    const last = this.#lastRead(jobId, shownChars);
    if (last !== undefined) return last;
    const row = await this.#readRow(jobId);
    if (row === undefined) return undefined;
    const { body } = row;
    if (countJsonBytes(body) < largeBytes) return this.#parse(jobId, shownChars, body);
    // Somebody who waited for the room too may have read it.
    return withRoom(async () => this.#lastRead(jobId, shownChars) ?? this.#parse(jobId, shownChars, body));
  }

  #lastRead(jobId: string, shownChars: number): Answer<Job> | undefined {
    const last = this.#last;
    return last?.jobId === jobId && last.shownChars >= shownChars ? last.answer : undefined;
  }

  async #parse(jobId: string, shownChars: number, stored: Uint8Array): Promise<Answer<Job>> {
    const bytes = isGzip(stored) ? await promisify(gunzip)(stored) : Buffer.from(stored);
    const text = bytes.toString('utf8');
    const { value, totals } = await readShown(text, shownChars);
    const answer = {
      body: Job.parse(value),
      text: isGzip(stored) ? { length: text.length, gzip: stored } : text,
      totals,
    };
    this.#last = { jobId, shownChars, answer };
    return answer;
  }

  /** An answer as it is kept, gzipped unless it is short. */
  async #readRow(jobId: string): Promise<{ readonly body: Uint8Array } | undefined> {
    return this.#database.query
      .selectFrom('gateway_result')
      .select('body')
      .where('principal', '=', this.#principal)
      .where('job_id', '=', jobId)
      .executeTakeFirst();
  }
}

/** Compresses answers that are not short, at the fastest level: JSON compresses well at any. */
async function compressResult(text: Answer<Job>['text']): Promise<Uint8Array> {
  if (typeof text !== 'string') return text.gzip;
  return text.length < shortChars ? Buffer.from(text) : promisify(gzip)(text, { level: 1 });
}
