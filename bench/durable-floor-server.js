/**
 * The floor with the two promises that cost most: the intent is on the disk before the request is sent, on a connection of
 * its own, and the job's id before the caller hears of it. Nothing else: no SDK, no checks, no kept result, one index.
 */
import { fdatasync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import Libsql from 'libsql';
import { Pool } from 'undici';

const { SVC_BASE_URL: base, SVC_API_KEY: key, SVC_DATA_DIR: folder } = process.env;
const kept = new Pool(base);
const own = new Pool(base, { keepAliveTimeout: 1 });
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

const file = join(folder, 'floor.db');
const database = new Libsql(file);
database.pragma('journal_mode = wal');
database.pragma('synchronous = normal');
database.exec('create table intent (id integer primary key, call text unique, state text, job_id text)');
const insert = database.prepare("insert into intent (call, state) values (?, 'intended')");
const accept = database.prepare("update intent set state = 'submitted', job_id = ? where id = ?");
const log = openSync(`${file}-wal`, 'r+');
const flush = promisify(fdatasync);

async function ask(pool, method, path, body) {
  const answer = await pool.request({
    method,
    path: `/v1/svc${path}`,
    headers,
    body,
    reset: pool === own,
  });
  return answer.body.text();
}

async function answer({ method, params }) {
  if (method === 'initialize') {
    return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}`;
  }
  if (method === 'tools/list') return `{"tools":[]}`;
  const body = JSON.stringify({ action_id: params.name, params: params.arguments });
  const { lastInsertRowid: id } = insert.run([body]);
  await flush(log);
  const { job_id } = JSON.parse(await ask(own, 'POST', '/task', body));
  accept.run([job_id, id]);
  const [job] = await Promise.all([ask(kept, 'GET', `/jobs/${job_id}`), flush(log)]);
  return `{"content":[{"type":"text","text":${JSON.stringify(job)}}],"structuredContent":${job}}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  void answer(message).then((result) =>
    process.stdout.write(`{"jsonrpc":"2.0","id":${message.id},"result":${result}}\n`),
  );
}
