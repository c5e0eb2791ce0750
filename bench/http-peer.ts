/** The lightest client of the current revision over HTTP: every request stands alone, connections are kept. */
import { once } from 'node:events';
import { Agent } from 'undici';
import { startHttpProcess } from './http-process.ts';
import type { Peer } from './peer.ts';
import { postMessage } from './post-message.ts';

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
      const message = { id, method, params: { ...params, _meta } };
      const { text } = await postMessage({ origin, dispatcher }, message, {
        'mcp-protocol-version': protocolVersion,
        'mcp-method': method,
        ...('name' in params && { 'mcp-name': String(params.name) }),
      });
      return text;
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.all([ended, dispatcher.destroy()]);
    },
  };
}
