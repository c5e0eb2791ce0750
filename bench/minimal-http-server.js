/** The baseline over HTTP, behind the SDK's own handler. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMinimalServer } from './minimal.js';

const server = createServer(toNodeHandler(createMcpHandler(createMinimalServer)));
server.listen(0, '127.0.0.1', () => {
  const listening_on = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${JSON.stringify({ listening_on })}\n`);
});
