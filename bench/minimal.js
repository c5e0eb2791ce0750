/**
 * The baseline: the least MCP server on the same SDK that does the job. It lists the actions, submits, polls once
 * a second and returns the whole answer. No store, no principals, no checks, no limits.
 */
import { Server } from '@modelcontextprotocol/server';
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

export function createMinimalServer() {
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
}
