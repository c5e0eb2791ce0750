/** The baseline over HTTP: `minimal-server.js` behind the SDK's own handler. No principals, checks, limits or store. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { request } from 'undici';

const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };

async function get(path) {
  const answer = await request(`${base}/v1/svc${path}`, { headers });
  return answer.body.json();
}

async function run(action_id, params) {
  const body = JSON.stringify({ action_id, params });
  const answer = await request(`${base}/v1/svc/task`, { method: 'POST', headers, body });
  const { job_id } = await answer.body.json();
  for (;;) {
    const job = await get(`/jobs/${job_id}`);
    if (job.status !== 'processing') return job;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'minimal', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => {
    const { results } = await get('/search');
    return {
      tools: results.map(({ action_id, description, params }) => ({
        name: action_id,
        description,
        inputSchema: { type: 'object', ...params },
      })),
    };
  });
  server.setRequestHandler('tools/call', async ({ params }) => {
    const job = await run(params.name, params.arguments ?? {});
    return { content: [{ type: 'text', text: JSON.stringify(job) }], structuredContent: job };
  });
  return server;
});

const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => {
  const listening_on = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${JSON.stringify({ listening_on })}\n`);
});
