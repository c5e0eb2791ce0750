/** What the client's tests share. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { type ApiError, isApiError } from '../../src/client/errors.ts';
import type { Answer, Api } from '../../src/contract/api.ts';
import type { Job } from '../../src/contract/resources.ts';

/** The error of a call that must fail; of the closed tree, and without any of the secrets anywhere in it. */
export async function failure(call: Promise<unknown>, secrets: readonly string[] = []): Promise<ApiError> {
  const error = await call.then(
    () => expect.fail('The call should have failed'),
    (reason: unknown) => reason,
  );
  if (!isApiError(error)) return expect.fail(`Not an ApiError: ${inspect(error)}`);
  const everything = inspect(error, { depth: 10, showHidden: true });
  for (const secret of secrets) expect(everything).not.toContain(secret);
  return error;
}

/** The answer of a job that is small enough to be read at once. */
export async function getSmallJob(api: Api, jobId: string): Promise<Answer<Job>> {
  const answer = await api.getJob(jobId);
  return 'gzip' in answer ? expect.fail('The answer is large') : answer;
}

export interface RawServer {
  readonly port: number;
  readonly connections: readonly Socket[];
  close(): Promise<void>;
}

/** A TCP server for what no HTTP server would say. */
export async function startRawServer(onConnection: (socket: Socket) => void): Promise<RawServer> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return {
    port: address.port,
    connections,
    async close() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
