/** The lightest MCP client: JSON-RPC lines over a spawned server's stdio, so that the server is what is measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Peer } from './peer.ts';
import { pinnedNode } from './process.ts';

/** Spawns a server and initializes it. */
export async function startPeer(
  args: readonly string[],
  environment: Record<string, string> = {},
  { pinned = false }: { pinned?: boolean } = {},
): Promise<Peer> {
  const [command, all] = pinned ? pinnedNode(args) : [process.execPath, args];
  const child = spawn(command, all, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...environment },
  });
  const lines = lineReader(child);
  let id = 0;
  const request = (method: string, params: object = {}) => {
    id += 1;
    const answer = lines.waitFor(id);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  };
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    request,
    pid: child.pid,
    async close() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

function lineReader(child: ChildProcess) {
  const waiting = new Map<number, (line: string) => void>();
  let pieces: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString();
      pieces = [];
      start = end + 1;
      // Only the id is read: parsing 5 MB would be the client's time, not the server's.
      const found = /"id":(\d+)/.exec(line.slice(0, 60)) ?? /"id":(\d+)[^{}[\]]*\}$/.exec(line.slice(-60));
      const id = Number(found?.[1]);
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  });
  return { waitFor: (id: number) => new Promise<string>((resolve) => waiting.set(id, resolve)) };
}
