/** What the two floors share: an MCP server over stdio without an SDK, and requests to the service. */
import { createInterface } from 'node:readline';

const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

/** The text of the service's answer. `options` are undici's. */
export async function ask(pool, method, path, options) {
  const answer = await pool.request({ origin: base, method, path: `/v1/svc${path}`, headers, ...options });
  return answer.body.text();
}

/** `call` takes the body of a submission and resolves to the text of the job's answer. */
export async function serve(call) {
  const answer = async ({ method, params }) => {
    if (method === 'initialize') {
      return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}`;
    }
    if (method === 'tools/list') return `{"tools":[]}`;
    const job = await call(JSON.stringify({ action_id: params.name, params: params.arguments }));
    return `{"content":[{"type":"text","text":${JSON.stringify(job)}}],"structuredContent":${job}}`;
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    void answer(message).then((result) =>
      process.stdout.write(`{"jsonrpc":"2.0","id":${message.id},"result":${result}}\n`),
    );
  }
}
