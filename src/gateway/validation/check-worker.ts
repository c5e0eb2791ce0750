/** Runs checks that may stall in a thread of their own, which the parent ends at the deadline. */
import { parentPort } from 'node:worker_threads';
import * as z from 'zod';
import { checkParams } from './check.ts';

const Task = z.object({
  schema: z.record(z.string(), z.unknown()),
  params: z.record(z.string(), z.unknown()),
});

parentPort?.on('message', (message: unknown) => {
  const { schema, params } = Task.parse(message);
  parentPort?.postMessage(checkParams(schema, params));
});
parentPort?.postMessage('ready');
