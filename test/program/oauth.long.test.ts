/** `svc-mcp http` as an OAuth resource server: a real authorization server, real clients of both lines of packages. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  closeAuthorizationServers,
  OAuthPerson,
  startAuthorizationServer,
} from '../support/authorization-server.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { standalone } from '../support/http.ts';
import { closeIssuers, startIssuer } from '../support/issuer.ts';
import { hasPostgres } from '../support/postgres.ts';
import { type Environment, endPrograms, runProgram, spawnProgram } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(async () => {
  await closeAuthorizationServers();
  await endPrograms();
  await closeGateways();
  await closeIssuers();
});

const aliceKey = 'svc_canary-of-alice';
const bobKey = 'svc_canary-of-bob';
const script = {
  apiKey: aliceKey,
  otherKeys: [bobKey],
  catalogs: [
    {
      slug: 'members',
      auth_types: ['credentials' as const],
      login_input_schema: [{ name: 'password', type: 'string', required: true, description: 'Password' }],
    },
  ],
  actions: [{ action_id: 'list', catalog_slug: 'shop', data: { rows: [1] } }],
};

async function startHttp(environment: Environment, args: readonly string[] = []) {
  const program = spawnProgram(['http', '--port', '0', ...args], { SVC_LOG_LEVEL: 'debug', ...environment });
  await expect.poll(() => program.out()).toContain('\n');
  const { url, sse_url } = z
    .object({ url: z.string(), sse_url: z.string() })
    .parse(JSON.parse(program.out()));
  return { ...program, url, sseUrl: sse_url };
}

async function addKey(subject: string, key: string, environment: Environment) {
  const { child, exited, out, err } = spawnProgram(['http', 'keys', 'add', subject], environment);
  child.stdin.end(`${key}\n`);
  const [code] = await exited;
  expect([code, err()]).toEqual([0, '']);
  expect(out()).toContain('It was not checked: the first call shows');
  expect(out()).not.toContain(key);
}

async function everyFile(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

async function place() {
  const upstream = await scriptedUpstream(script);
  const server = await startAuthorizationServer();
  const folder = await temporaryFolder();
  const environment = {
    SVC_BASE_URL: upstream.origin,
    SVC_DATA_DIR: folder,
    SVC_OAUTH_ISSUER: server.issuer,
    // Builds of the scripted service end when a test says so.
    SVC_WAIT_SECONDS: '1',
  };
  return { upstream, server, folder, environment };
}

const Body = z.looseObject({ status: z.string() });

describe('a client that knows the address only', () => {
  it.each(['stateless', 'stateful'] as const)(
    'of the current packages (%s) finds the issuer, signs its person in, runs an action and steps up when it must',
    async (era) => {
      const { upstream, server, folder, environment } = await place();
      const program = await startHttp(environment);
      await addKey('alice', aliceKey, environment);
      const alice = new OAuthPerson(server, 'alice');
      const { client, steppingUp } = await alice.connect(program.url, era);
      expect(server.askedScopes).toEqual(['actions:read actions:run']);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('shop_list');
      const ran = await client.callTool({ name: 'shop_list', arguments: {} });
      expect(ran.structuredContent).toMatchObject({ status: 'completed' });
      const before = alice.accessToken;
      const built = await steppingUp(() =>
        client.callTool({
          name: 'request_build',
          arguments: { website_url: 'https://new.example', goal: 'all' },
        }),
      );
      expect(Body.parse(built.structuredContent).status).not.toBe('error');
      expect(alice.grantedScope.split(' ').sort()).toEqual(['actions:read', 'actions:run', 'builds:write']);

      const tokens = [before, alice.accessToken];
      expect(new Set(tokens).size).toBe(2);
      expect(new Set(upstream.requests.map(({ headers }) => headers['x-api-key']))).toEqual(
        new Set([aliceKey]),
      );
      expect(new Set(upstream.requests.map(({ headers }) => headers.authorization))).toEqual(
        new Set([undefined]),
      );
      program.child.kill('SIGTERM');
      await program.exited;
      const kept = [
        program.out() + program.err(),
        await everyFile(folder),
        JSON.stringify([tools, ran, built]),
        JSON.stringify(upstream.requests.map(({ body, headers }) => ({ body, ...headers, 'x-api-key': '' }))),
      ];
      for (const text of kept) {
        for (const secret of [...tokens, aliceKey]) expect(text.includes(secret)).toBe(false);
      }
    },
  );

  it.each(['streamable', 'sse'] as const)(
    'of the first line of packages (%s) does too',
    async (transport) => {
      const { server, environment } = await place();
      const program = await startHttp(environment);
      await addKey('alice', aliceKey, environment);
      const alice = new OAuthPerson(server, 'alice');
      const address = transport === 'sse' ? program.sseUrl : program.url;
      const client = await alice.connectFirstLine(address, transport);
      const ran = await client.callTool({ name: 'shop_list', arguments: {} });
      expect(ran.structuredContent).toMatchObject({ status: 'completed' });
      await expect(
        client.callTool({
          name: 'request_build',
          arguments: { website_url: 'https://new.example', goal: 'all' },
        }),
      ).rejects.toThrow(/403|Unauthorized/);
    },
  );
});

describe('subjects', () => {
  const list = standalone('tools/list');
  const call = standalone('tools/call', { name: 'shop_list', arguments: {} });
  const jobs = standalone('tools/call', { name: 'get_job', arguments: {} });
  const ask = async (url: string, token: string, { headers, ...init } = list) => {
    const answer = await fetch(url, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } });
    return { status: answer.status, text: await answer.text() };
  };

  async function issued(scope = 'actions:read actions:run') {
    const issuer = await startIssuer();
    const upstream = await scriptedUpstream(script);
    const folder = await temporaryFolder();
    const environment = {
      SVC_BASE_URL: upstream.origin,
      SVC_DATA_DIR: folder,
      SVC_OAUTH_ISSUER: issuer.url,
      SVC_OAUTH_AUDIENCE: 'svc',
    };
    return {
      upstream,
      folder,
      environment,
      tokenOf: (sub: string) => issuer.token({ sub, aud: 'svc', scope }),
    };
  }

  it('act with the keys they were given, see nothing of each other, and stop when the key is revoked', async () => {
    const { upstream, environment, tokenOf } = await issued();
    const program = await startHttp(environment);
    const alice = await tokenOf('alice');
    const missing = await ask(program.url, alice);
    expect([missing.status, missing.text]).toEqual([
      403,
      expect.stringContaining('svc-mcp http keys add alice'),
    ]);
    await addKey('alice', aliceKey, environment);
    // With the same key, and all the same apart.
    await addKey('bob', aliceKey, environment);
    expect((await ask(program.url, alice, call)).text).toContain('completed');
    expect((await ask(program.url, alice, jobs)).text).toContain('shop');
    expect((await ask(program.url, await tokenOf('bob'), jobs)).text).not.toContain('list');

    await addKey('bob', bobKey, environment);
    await ask(program.url, await tokenOf('bob'), call);
    expect(upstream.requestsTo('submitTask').map(({ headers }) => headers['x-api-key'])).toEqual([
      aliceKey,
      bobKey,
    ]);
    const shown = await runHere(['http', 'keys', 'list', '--json'], environment);
    const issuer = environment.SVC_OAUTH_ISSUER;
    expect(JSON.parse(shown.stdout)).toEqual({
      subjects: ['alice', 'bob'].map((subject) => ({ subject, issuer, added_at: expect.any(String) })),
    });
    expect((await runHere(['http', 'keys', 'revoke', 'alice'], environment)).code).toBe(0);
    expect((await ask(program.url, alice, call)).status).toBe(403);
    expect((await ask(program.url, await tokenOf('bob'))).status).toBe(200);
    const again = await runHere(['http', 'keys', 'revoke', 'alice'], environment);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has no key here')]);
  });

  it('each have the sign-in pages that they asked for, and find no others', async () => {
    const { environment, tokenOf } = await issued('actions:read accounts:write');
    await addKey('alice', aliceKey, environment);
    await addKey('bob', aliceKey, environment);
    const program = await startHttp(environment);
    const login = standalone('tools/call', { name: 'login', arguments: { catalog: 'members' } });
    const { text } = await ask(program.url, await tokenOf('alice'), login);
    const page = /"login_url":"([^"]+)"/.exec(text)?.[1] ?? '';
    const open = async (sub: string) => {
      const headers = { authorization: `Bearer ${await tokenOf(sub)}` };
      return (await fetch(page, { headers })).status;
    };
    expect([await open('bob'), await open('alice')]).toEqual([404, 200]);
    const greeting = await fetch(page, { redirect: 'manual' });
    const cookie = greeting.headers.get('set-cookie')?.split(';')[0] ?? '';
    const inBrowser = async () => (await fetch(page, { headers: { cookie } })).status;
    expect(await inBrowser()).toBe(200);
    await runHere(['http', 'keys', 'revoke', 'alice'], environment);
    expect(await open('alice')).toBe(404);
    // The browser has no token, and a moment later no page.
    await expect.poll(inBrowser, { timeout: 15_000 }).toBe(410);
  });

  it('are given keys from a file or stdin, and nothing that no header can carry', async () => {
    const { environment, folder } = await issued();
    const wrong = [
      [['http', 'keys', 'add', 'alice'], ''],
      [['http', 'keys', 'add', 'alice'], 'two words'],
      [['http', 'keys', 'add', 'alice', '--key-file', join(folder, 'none')], ''],
      [['http', 'keys', 'add', ''], aliceKey],
      [['http', 'keys', 'add', 'a\u202eb'], aliceKey],
    ] as const;
    for (const [args, input] of wrong) {
      const { child, exited, err } = spawnProgram(args, environment);
      child.stdin.end(input);
      expect([(await exited)[0], err()]).toEqual([2, expect.stringMatching(/^svc-mcp: /)]);
    }
    const { SVC_OAUTH_ISSUER: _, ...without } = environment;
    const { code, stderr } = await runHere(['http', 'keys', 'revoke', 'alice'], without);
    expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_OAUTH_ISSUER')]);
    expect(
      JSON.parse((await runHere(['http', 'keys', 'list', '--json'], environment)).stdout).subjects,
    ).toEqual([]);
  });

  it('have the old key or the new one, whole, wherever the command that gives it is killed', async () => {
    const { environment, upstream, tokenOf } = await issued();
    const program = await startHttp(environment);
    const token = await tokenOf('alice');
    const keys = [aliceKey, bobKey];
    const seen = new Set<unknown>();
    const addKey = async (subject: string, round: number, killAfterMs?: number) => {
      const { child, exited } = spawnProgram(['http', 'keys', 'add', subject], environment);
      child.stdin.end(keys[round % 2]);
      const timer =
        killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      await exited;
      clearTimeout(timer);
    };
    // The moments of the kills are spread over what one whole run takes on this machine.
    const startedAt = performance.now();
    await addKey('bob', 1);
    const wholeMs = performance.now() - startedAt;
    for (let round = 0; round < 12; round += 1) {
      // The last one is not killed.
      await addKey('alice', round, round === 11 ? undefined : wholeMs * (0.3 + round * 0.08));
      const { status } = await ask(program.url, token, call);
      expect([200, 403]).toContain(status);
      const sent = upstream.requestsTo('submitTask').at(-1)?.headers['x-api-key'];
      if (status === 200) expect(keys).toContain(sent);
      seen.add(status);
    }
    expect(seen).toContain(200);
  });
});

describe('svc-mcp http with an issuer', () => {
  it('does not start with settings that contradict each other', async () => {
    const folder = await temporaryFolder();
    const base = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_DATA_DIR: folder };
    for (const [settings, reason] of [
      [{ SVC_OAUTH_ISSUER: 'https://as.example', SVC_API_KEY: 'k' }, 'SVC_API_KEY'],
      [{ SVC_OAUTH_AUDIENCE: 'svc' }, 'SVC_OAUTH_AUDIENCE'],
      [{ SVC_OAUTH_ISSUER: 'http://as.example' }, 'https'],
      [{ SVC_OAUTH_ISSUER: 'https://as.example?x' }, 'https'],
      [{ SVC_OAUTH_ISSUER: 'as.example' }, 'https'],
    ] as const) {
      const { code, stderr } = await runProgram(['http', '--port', '0'], { ...base, ...settings });
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
  });

  it('may listen on every address, and never lends the key of the embedded service', async () => {
    const issuer = await startIssuer();
    const environment = {
      SVC_DATA_DIR: await temporaryFolder(),
      SVC_OAUTH_ISSUER: issuer.url,
      SVC_OAUTH_AUDIENCE: 'svc',
    };
    const program = await startHttp(environment, ['--host', '0.0.0.0']);
    const bearer = await issuer.token({ sub: 'alice', aud: 'svc', scope: 'actions:read' });
    const init = standalone('tools/call', { name: 'list_identities', arguments: {} });
    const headers = { ...init.headers, authorization: `Bearer ${bearer}` };
    expect((await fetch(program.url, { ...init, headers })).status).toBe(403);
    const added = await runHere(['service', 'users', 'add', 'alice', '--credits', '9'], environment);
    expect(added.code).toBe(0);
    const { stdout: key } = await runHere(['service', 'keys', 'add', 'alice'], environment);
    await addKey('alice', key.trim(), environment);
    expect((await fetch(program.url, { ...init, headers })).status).toBe(200);
  });

  it('is checked by the doctor', async () => {
    const { environment, server } = await place();
    const given = { ...environment, SVC_API_KEY: aliceKey };
    const check = async (issuer: string) => {
      const { stdout } = await runHere(['doctor', '--json'], { ...given, SVC_OAUTH_ISSUER: issuer });
      const checks = z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() }));
      return checks.parse(JSON.parse(stdout).checks).find(({ name }) => name === 'issuer');
    };
    expect(await check(server.issuer)).toMatchObject({ ok: true });
    const keyless = await runHere(['doctor', '--json'], environment);
    expect([keyless.code, JSON.parse(keyless.stdout).ok]).toEqual([0, true]);
    expect(await check(`${server.issuer}/`)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('spelling'),
    });
  });
});

describe.skipIf(!hasPostgres)('replicas on one PostgreSQL', () => {
  const createDatabase = useDatabases();

  it('share the keys of subjects with one key file, and say so where a replica has another', async () => {
    const issuer = await startIssuer();
    const upstream = await scriptedUpstream(script);
    const folder = await temporaryFolder();
    const shared = {
      SVC_BASE_URL: upstream.origin,
      SVC_DATABASE_URL: await createDatabase(),
      SVC_OAUTH_ISSUER: issuer.url,
      SVC_OAUTH_AUDIENCE: 'svc',
    };
    const replica = (name: string, keys: string) => ({
      ...shared,
      SVC_DATA_DIR: join(folder, name),
      SVC_OAUTH_KEYS_FILE: join(folder, keys),
    });
    const [one, two, stranger] = [replica('one', 'a'), replica('two', 'a'), replica('three', 'b')];
    const programs = await Promise.all([one, two, stranger].map((environment) => startHttp(environment)));
    await addKey('alice', aliceKey, one);
    const bearer = await issuer.token({ sub: 'alice', aud: 'svc', scope: 'actions:read' });
    const init = standalone('tools/list');
    const statuses = async () =>
      Promise.all(
        programs.map(async ({ url }) => {
          const answer = await fetch(url, {
            ...init,
            headers: { ...init.headers, authorization: `Bearer ${bearer}` },
          });
          await answer.text();
          return answer.status;
        }),
      );
    expect(await statuses()).toEqual([200, 200, 503]);
    expect(programs[2]?.err()).toContain('SVC_OAUTH_KEYS_FILE');
    // A second key file would leave every replica without some of the keys.
    const { child, exited, err } = spawnProgram(['http', 'keys', 'add', 'bob'], stranger);
    child.stdin.end(bobKey);
    expect([(await exited)[0], err()]).toEqual([1, expect.stringContaining('SVC_OAUTH_KEYS_FILE')]);
    expect((await runHere(['http', 'keys', 'revoke', 'alice'], two)).code).toBe(0);
    expect(await statuses()).toEqual([403, 403, 403]);
  });
});
