/**
 * The floor with the two promises that cost most: the intent is on the disk before the request is sent, on a connection of
 * its own, and the job's id before the caller hears of it. Nothing else: no SDK, no checks, no kept result, one index.
 */
import { fdatasync, openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Libsql from 'libsql';
import { Pool } from 'undici';
import { ask, serve } from './floor.js';

const { SVC_BASE_URL: base, SVC_DATA_DIR: folder } = process.env;
const kept = new Pool(base);
const own = new Pool(base, { keepAliveTimeout: 1 });

const file = join(folder, 'floor.db');
const database = new Libsql(file);
database.pragma('journal_mode = wal');
database.pragma('synchronous = normal');
database.exec('create table intent (id integer primary key, call text unique, state text, job_id text)');
const insert = database.prepare("insert into intent (call, state) values (?, 'intended')");
const accept = database.prepare("update intent set state = 'submitted', job_id = ? where id = ?");
const log = openSync(`${file}-wal`, 'r+');
const flush = promisify(fdatasync);

await serve(async (body) => {
  const { lastInsertRowid: id } = insert.run([body]);
  await flush(log);
  const { job_id } = JSON.parse(await ask(own, 'POST', '/task', { body, reset: true }));
  accept.run([job_id, id]);
  const [job] = await Promise.all([ask(kept, 'GET', `/jobs/${job_id}`), flush(log)]);
  return job;
});
