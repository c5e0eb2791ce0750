/** The lightest client of the current revision over HTTP: every request stands alone, connections are kept. */
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { startHttpProcess } from './http-process.ts';
import type { Peer } from './peer.ts';

const protocolVersion = '2026-07-28';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function startHttpPeer(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: { pinned?: boolean } = {},
): Promise<Peer> {
  const { child, origin } = await startHttpProcess(args, environment, options);
  const dispatcher = new Agent({ connections: 64 });
  let id = 0;
  return {
    pid: child.pid,
    async request(method, params = {}) {
      id += 1;
      const answer = await request(`${origin}/mcp`, {
        method: 'POST',
        dispatcher,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': protocolVersion,
          'mcp-method': method,
          ...('name' in params && { 'mcp-name': String(params.name) }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || !text.includes('"result"')) throw new Error(text.slice(0, 500));
      return text;
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.all([ended, dispatcher.destroy()]);
    },
  };
}
