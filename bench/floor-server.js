/** The floor over stdio: no SDK, nothing but JSON lines and the two requests of a call. */
import { createInterface } from 'node:readline';
import { Pool } from 'undici';

const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const pool = new Pool(base);
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

async function ask(method, path, body) {
  const answer = await pool.request({ method, path: `/v1/svc${path}`, headers, body });
  return answer.body.text();
}

async function answer({ method, params }) {
  if (method === 'initialize') {
    return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}`;
  }
  if (method === 'tools/list') return `{"tools":[]}`;
  const body = JSON.stringify({ action_id: params.name, params: params.arguments });
  const { job_id } = JSON.parse(await ask('POST', '/task', body));
  const job = await ask('GET', `/jobs/${job_id}`);
  return `{"content":[{"type":"text","text":${JSON.stringify(job)}}],"structuredContent":${job}}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  void answer(message).then((result) =>
    process.stdout.write(`{"jsonrpc":"2.0","id":${message.id},"result":${result}}\n`),
  );
}
