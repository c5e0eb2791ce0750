/** Final answers that were paid for, kept so that they can be read and paged later without the service. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { largeBytes } from '../../client/large-body.ts';
import type { Answer, JobAnswer } from '../../contract/api.ts';
import { parseJson } from '../../contract/exact-json.ts';
import { readers } from '../../contract/reading.ts';
import type { Job } from '../../contract/resources.ts';
import type { Database } from '../../store/database.ts';
import { nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { FairTurns } from '../../workers/fair-turns.ts';
import { countJsonBytes, isGzip } from '../foundation/gzip.ts';
import type { GatewaySchema } from './schema.ts';

/** Shorter answers are kept as they are. */
const shortChars = 4_096;

/** Of every principal of this process. Node calls back for all that are unpacked in one turn, before anything else runs. */
const unpacking = new FairTurns(4, Number.POSITIVE_INFINITY);

export class KeptResults {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  /** Keeps an answer that the service has too, as the JSON text it came in. */
  async keep(key: string, text: Answer<Job>['text']): Promise<void> {
    await this.#database.batch([await this.keepStatement(key, text)], { synced: false });
  }

  /** The statement that keeps an answer, for a batch with what else becomes true with it. */
  async keepStatement(key: string, text: Answer<Job>['text']): Promise<Statement> {
    const body =
      typeof text !== 'string'
        ? text.gzip
        : text.length < shortChars
          ? Buffer.from(text)
          : // The fastest level: JSON compresses well at any.
            await promisify(gzip)(text, { level: 1 });
    return statement(
      `insert into gateway_result (principal, job_id, size, body, kept_at)
        values ($1, $2, $3, $4, ${nowText(this.#database.engine)}) on conflict do nothing`,
      this.#principal,
      key,
      body.byteLength,
      body,
    );
  }

  /** `key`: a row's id, or a job's without a row. */
  async read(key: string): Promise<JobAnswer | undefined> {
    const body = await this.readBytes(key);
    if (body === undefined) return undefined;
    if (isGzip(body) && countJsonBytes(body) >= largeBytes) return { gzip: body };
    const text = isGzip(body) ? await this.#unpack(body) : Buffer.from(body).toString('utf8');
    return { body: readers.job.parse(parseJson(text)), text };
  }

  async #unpack(body: Uint8Array): Promise<string> {
    await unpacking.enter(this.#principal, undefined);
    try {
      return (await promisify(gunzip)(body)).toString('utf8');
    } finally {
      unpacking.leave(this.#principal);
    }
  }

  /** An answer as it is kept, gzipped unless it is short. */
  async readBytes(key: string): Promise<Uint8Array | undefined> {
    const row = await this.#database.query
      .selectFrom('gateway_result')
      .select('body')
      .where('principal', '=', this.#principal)
      .where('job_id', '=', key)
      .executeTakeFirst();
    return row?.body;
  }
}
