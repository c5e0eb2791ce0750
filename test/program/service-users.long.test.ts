/** `svc-mcp service users` and `keys`, through the spawned program. Needs `dist/`. */
import { afterEach, expect, it } from 'vitest';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { endPrograms, spawnProgram } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

it('svc-mcp service has users with keys of their own, which can be revoked', async () => {
  const environment = { SVC_DATA_DIR: await temporaryFolder() };
  const run = (...args: string[]) => runHere(['service', ...args], environment);
  expect(await run('users', 'add', 'anna', '--credits', '50')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('anna with 50 credits'),
  });
  expect((await run('users', 'add', 'anna')).code).toBe(1);
  expect((await run('users', 'credits', 'anna', '-20')).stdout).toContain('30 credits');
  expect((await run('users', 'credits', 'anna', 'many')).code).toBe(2);
  const { id, key } = JSON.parse((await run('keys', 'add', 'anna', '--label', 'laptop', '--json')).stdout);
  expect(JSON.parse((await run('users', 'list', '--json')).stdout).users).toContainEqual(
    expect.objectContaining({ name: 'anna', credits: 30 }),
  );
  const listed = await run('keys', 'list', '--json');
  expect(listed.stdout).not.toContain(key);
  expect(JSON.parse(listed.stdout).keys).toContainEqual(
    expect.objectContaining({
      ...{ id, user: 'anna', label: 'laptop', revoked_at: null },
      ...{ prefix: key.slice(0, 8), last_used_at: null },
    }),
  );

  const serving = spawnProgram(['service'], environment);
  await expect.poll(() => serving.out()).toMatch(/\n$/);
  const { base_url } = JSON.parse(serving.out());
  const status = async () =>
    (await fetch(`${base_url}/v1/svc/catalog`, { headers: { 'x-api-key': key } })).status;
  expect(await status()).toBe(200);
  expect((await run('keys', 'list')).stdout).toMatch(
    new RegExp(`${id}  anna +valid  ${key.slice(0, 8)}…  \\S+Z  \\S+Z +laptop`),
  );
  const another = JSON.parse((await run('keys', 'add', 'anna', '--label', 'laptop', '--json')).stdout);
  const byLabel = (label: string) => run('keys', 'revoke', '--user', 'anna', '--label', label);
  const both = await byLabel('laptop');
  expect([both.code, both.stderr]).toEqual([
    2,
    expect.stringContaining('anna has 2 valid keys with that label'),
  ]);
  for (const one of [id, another.id]) expect(both.stderr).toContain(one);
  expect((await run('keys', 'revoke', another.id)).code).toBe(0);
  expect(await status()).toBe(200);
  const unknown = await byLabel('phone');
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('no valid key with the label "phone"'),
  ]);
  expect((await run('keys', 'revoke', '--user', 'anna')).stderr).toContain(
    'by its id, or by --user and --label',
  );
  expect(await byLabel('laptop')).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n` });
  await expect.poll(() => status()).toBe(401);
  serving.child.kill('SIGTERM');
  await serving.exited;
});

it('a user who is removed has no keys and no accounts, and the name is free again', async () => {
  // What an operator of `svc-mcp http` has exported does not concern the service's own database.
  const environment = { SVC_DATA_DIR: await temporaryFolder(), SVC_BASE_URL: 'http://127.0.0.1:9' };
  const run = (...args: string[]) => runHere(['service', ...args], environment);
  expect((await run('users', 'credits', 'default', '5')).stderr).toContain('the first start of the service');
  await run('users', 'add', 'bob', '--credits', '5');
  expect(await run('keys', 'add', 'bob')).toMatchObject({ code: 0 });
  expect(await run('users', 'remove', 'bob')).toMatchObject({
    code: 0,
    stdout: 'Removed bob: 1 key revoked, 0 accounts disconnected. The ledger and the jobs stay.\n',
  });
  expect((await run('users', 'list')).stdout).not.toContain('bob');
  expect((await run('keys', 'list')).stdout).toMatch(/bob \(removed, \S+\) {2}revoked/);
  expect(await run('users', 'remove', 'bob')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no user named "bob"'),
  });
  expect((await run('users', 'add', 'bob')).stdout).toContain('Added bob with 0 credits');
});
