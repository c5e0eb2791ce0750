/** Where the servers cannot listen, as a person at a terminal reads it. Needs `dist/`. */
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { endPrograms, runProgram } from '../support/program.ts';

const holder = createServer();
afterEach(async () => {
  await endPrograms();
  await closeGateways();
  if (holder.listening) await new Promise((resolve) => holder.close(resolve));
});

const remote = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'k' };

it.each([
  ['service', {}],
  ['http', remote],
])('%s names a taken port and the option for another one', async (command, environment) => {
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  const port = String(Object(address).port);
  const settings = { SVC_DATA_DIR: await temporaryFolder(), ...environment };
  expect(await runProgram([command, '--port', port], settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: `svc-mcp: Port ${port} is taken by another program: choose another --port, or 0 for any free one\n`,
  });
});

it.each(['192.0.2.1', '300.1.1.1'])(
  'a host that is no address of this machine is named: %s',
  async (host) => {
    const settings = { SVC_DATA_DIR: await temporaryFolder(), SVC_HTTP_TOKEN: 't'.repeat(32), ...remote };
    expect(await runProgram(['http', '--host', host, '--port', '0'], settings)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `svc-mcp: ${host} is no address of this machine: choose another --host, such as 127.0.0.1\n`,
      ),
    });
  },
);
