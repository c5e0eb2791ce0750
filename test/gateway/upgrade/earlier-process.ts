/**
 * A process of commit af234df, as far as the database and the service can tell: its statements on a connection that it
 * opened before the migration, prepared before it, and its requests.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import pg from 'pg';
import { createHttpClient } from '../../../src/client/http-client.ts';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import type { Target } from '../../../src/store/database.ts';
import { errorCode } from '../../../src/store/errors.ts';
import type { Upstream } from '../../support/upstream.ts';
import { type EarlierStatement, earlierStatements } from './earlier-statements.ts';

type Row = Readonly<Record<string, unknown>>;
interface Connection {
  run(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export interface Call {
  readonly action_id: string;
  readonly params: { readonly q: string };
}
const price = 3;

export class EarlierProcess {
  /** A process of this machine that runs. */
  readonly owner: string = `${hostname()}:${process.ppid}:${randomUUID()}`;
  readonly principal: string;
  readonly #serviceKey: string;
  readonly #connection: Connection;
  readonly #statements: Readonly<Record<EarlierStatement, string>>;
  readonly #api: ReturnType<typeof createHttpClient>;

  private constructor(target: Target, upstream: Upstream, connection: Connection) {
    const { id, serviceKey } = createPrincipal(upstream.origin, upstream.apiKey);
    this.principal = id;
    this.#serviceKey = serviceKey;
    this.#connection = connection;
    this.#statements = earlierStatements('file' in target ? 'sqlite' : 'postgres');
    this.#api = createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey });
  }

  static async start(target: Target, upstream: Upstream): Promise<EarlierProcess> {
    const connection = 'file' in target ? openFile(target.file) : await openServer(target.url);
    return new EarlierProcess(target, upstream, connection);
  }

  run(name: EarlierStatement, ...parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.#connection.run(this.#statements[name], parameters);
  }

  /** Writes a call's intent, unless it is open or `ceiling` was spent; resolves to its id. */
  async begin(
    call: Call,
    { withinMs = 30_000, owner = this.owner, ceiling = 1_000_000 } = {},
  ): Promise<string | undefined> {
    const id = randomUUID();
    const { principal } = this;
    const values = [principal, this.#serviceKey, call.action_id, hashCall(call), price, owner];
    const written = await this.run('insert', withinMs, id, ...values, JSON.stringify(call.params), ceiling);
    return written.length === 1 ? id : undefined;
  }

  /** The state and the job of a call that is open. */
  async find(call: Call): Promise<Row | undefined> {
    await this.run('expireCall', this.principal, hashCall(call));
    return (await this.run('open', this.principal, hashCall(call)))[0];
  }

  /** Sends the request of an intent, if the store lets it; resolves to the job. */
  async send(id: string, call: Call): Promise<string | undefined> {
    const ready = await this.run('isReady', id, this.owner, 29_000);
    const claimed = ready.length > 0 ? ready : await this.run('claim', 30_000, id, this.owner);
    if (claimed.length === 0) return undefined;
    const answer = await this.#api.submitTask(call);
    return answer.kind === 'accepted' ? answer.jobId : undefined;
  }

  /** The end of a job whose result was read, with its result. */
  async finish(id: string, jobId: string, data: unknown): Promise<void> {
    const body = Buffer.from(JSON.stringify({ status: 'completed', data, credits_used: price }));
    await this.run('keepResult', this.principal, jobId, body.length, body);
    await this.run('finish', id, jobId, 'completed', price, 5);
  }

  async spent(): Promise<unknown> {
    return (await this.run('spent', this.principal, this.#serviceKey))[0]?.byPrincipal;
  }

  async addBatch(calls: readonly Call[]): Promise<string> {
    const id = `batch-${randomUUID()}`;
    const hashes = calls.map(hashCall);
    const hash = sha256(hashes.join('\n'));
    await this.run('insertBatch', id, this.principal, calls[0]?.action_id, hash, this.owner);
    for (const [position, { params }] of calls.entries()) {
      await this.run('insertInput', id, position, JSON.stringify(params), hashes[position]);
    }
    return id;
  }

  link(batch: string, call: Call, intent: string): Promise<unknown> {
    return this.run('link', intent, batch, hashCall(call));
  }

  async addHandle(source: { readonly intent?: string; readonly batch?: string }): Promise<string> {
    const id = randomBytes(18).toString('base64url');
    const now = Date.now();
    await this.run('expireHandles', now);
    const { intent = null, batch = null } = source;
    await this.run('insertHandle', id, this.principal, intent, batch, now, now + 7 * 24 * 60 * 60_000);
    return id;
  }

  async close(): Promise<void> {
    await this.#api.close();
    await this.#connection.close();
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What makes two calls the same, in every version. */
function hashCall({ action_id, params }: Call): string {
  const parts = ['run', action_id, '', JSON.stringify(params)];
  return sha256(parts.map((part) => `${part.length}:${part}`).join(''));
}

function openFile(file: string): Connection {
  const database = new Libsql(file, { timeout: 0 });
  // Kept and used again after the migration.
  const prepared = new Map(
    Object.values(earlierStatements('sqlite')).map((text) => [
      text,
      database.prepare<unknown[]>(text.replace(/\$(\d+)/g, '?$1')),
    ]),
  );
  return {
    async run(sql, parameters) {
      const statement = prepared.get(sql);
      if (statement === undefined) throw new Error('No statement of the earlier version');
      for (;;) {
        try {
          if (statement.reader) return statement.all([...parameters]).map(Object);
          statement.run([...parameters]);
          return [];
        } catch (error) {
          if (errorCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error;
          await delay(5);
        }
      }
    },
    close: async () => void database.close(),
  };
}

async function openServer(connectionString: string): Promise<Connection> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return {
    async run(sql, parameters) {
      const text = sql.replace(/\$(\d+)/g, (_, number: string) => literal(parameters[Number(number) - 1]));
      const { rows } = await client.query(text);
      return rows.map(Object);
    },
    close: () => client.end(),
  };
}

/** As the earlier version writes its parameters into the text. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return `(${value})`;
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`;
  return pg.escapeLiteral(String(value));
}
