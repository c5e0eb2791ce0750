/** A process that serves a gateway in memory over its own stdin and stdout; `shop_slow` runs until it is cancelled. */
import { serveStdioTransport } from '../../src/mcp/transports/stdio.ts';
import { completed, FakeGateway, listedTool } from './fake-gateway.ts';
import { recordingLogger } from './mcp-pipe.ts';

const gateway = new FakeGateway(listedTool('shop_a'), listedTool('shop_slow'));
gateway.onRun = ({ input, context }) => {
  if (!('name' in input) || input.name !== 'shop_slow') return Promise.resolve({ body: completed });
  context.progress({ progress: 1, message: 'running' });
  return new Promise((resolve) =>
    context.signal.addEventListener('abort', () => resolve({ body: completed })),
  );
};

await serveStdioTransport({ gateway, logger: recordingLogger(), version: '0.0.0-test' });
// No exit: the process ends only if nothing was left behind.
process.stderr.write(`closed ${gateway.closedWith.length}, listeners ${gateway.listeners}\n`);
