/** Signing in through the spawned program: no secret gets out of it, whichever way it came in. Needs `dist/`. */
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { faults, filesIn } from '../support/canaries.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import {
  connectProgram,
  type Environment,
  endPrograms,
  environmentOf,
  runProgram,
  spawnProgram,
} from '../support/program.ts';
import { send, submitForm } from '../support/sign-in-pages.ts';
import { endTerminals, hasTerminal, runOnTerminal } from '../support/terminal.ts';
import type { Upstream } from '../support/upstream.ts';
import { envelope } from '../support/upstream-faults.ts';

afterEach(async () => {
  await endTerminals();
  await endPrograms();
  await closeGateways();
});

const script = {
  catalogs: [
    {
      slug: 'my-shop',
      auth_types: ['credentials'],
      login_input_schema: [
        { name: 'email', type: 'string', required: true, description: 'Email' },
        { name: 'password', type: 'password', required: true, description: 'Password' },
      ],
    },
  ],
  actions: [{ action_id: 'my-shop-buy', catalog_slug: 'my-shop', auth_mode: 'required' }],
};

async function start() {
  const upstream = await scriptedUpstream(script);
  const folder = await temporaryFolder();
  return { upstream, folder, environment: environmentOf(upstream, folder) };
}

/** A session whose every byte is kept. */
async function openRawSession(environment: Environment) {
  const program = spawnProgram(['stdio'], { ...environment, SVC_LOG_LEVEL: 'debug' });
  let lastId = 0;
  const write = (message: object) =>
    program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = async (method: string, params: object) => {
    lastId += 1;
    const id = lastId;
    write({ id, method, params });
    const answer = await vi.waitUntil(
      () =>
        program
          .out()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
          .find((message) => message.id === id),
      { timeout: 20_000 },
    );
    return z.looseObject({ result: z.looseObject({}) }).parse(answer).result;
  };
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a-test', version: '1' },
  });
  write({ method: 'notifications/initialized' });
  const login = async (args: object) => {
    const result = await request('tools/call', {
      name: 'login',
      arguments: { catalog: 'my-shop', ...args },
      _meta: { progressToken: lastId },
    });
    return z.looseObject({ status: z.string() }).parse(result.structuredContent);
  };
  return { ...program, login };
}
type RawSession = Awaited<ReturnType<typeof openRawSession>>;

type Way = (session: RawSession, secret: string, secretFile: string, seen: string[]) => Promise<void>;
const ways: Readonly<Record<string, Way>> = {
  params: async ({ login }, password) => {
    await login({ params: { email: 'a@b.example', password } });
  },
  environment: async ({ login }, secret, secretFile) => {
    await writeFile(secretFile, `${secret}\n`);
    await login({});
  },
  page: async ({ login }, secret, _, seen) => {
    const first = await login({});
    // A page that was verified is told of once; then there is a new one.
    const { login_url } = z
      .object({ login_url: z.url() })
      .parse(first.status === 'verified' ? await login({}) : first);
    await submitForm(login_url, ['a@b.example', secret]);
    await vi.waitUntil(async () => {
      const { text } = await send(login_url);
      seen.push(text);
      return !text.includes('http-equiv="refresh"');
    }, 20_000);
  },
};

const received = (upstream: Upstream) => JSON.stringify(upstream.requestsTo('login').map(({ body }) => body));

describe('a secret', () => {
  it.each(Object.entries(ways).map(([name, way], index) => ({ name, way, count: index === 0 ? 6 : 7 })))(
    'that came in by the $name is in no answer, notification, log line, file or error',
    async ({ name, way, count }) => {
      const { upstream, folder, environment } = await start();
      const secretFile = join(await temporaryFolder(), 'password');
      const session = await openRawSession({
        ...environment,
        ...(name === 'environment'
          ? { SVC_LOGIN_MY_SHOP_EMAIL: 'a@b.example', SVC_LOGIN_MY_SHOP_PASSWORD_FILE: secretFile }
          : {}),
      });
      const canaries = Array.from({ length: count }, (_, index) => `canary-${name}-${index}-q7Zk"<é`);
      const seen: string[] = [];
      for (const [index, canary] of canaries.entries()) {
        upstream.clearFaults();
        const fault = faults(canary)[index];
        if (fault !== undefined) upstream.fail('login', fault, { times: 1 });
        await way(session, canary, secretFile, seen);
      }
      session.child.stdin.end();
      await session.exited;
      const everything = [session.out(), session.err(), await filesIn(folder), ...seen].join('\n');
      for (const canary of canaries) {
        // It was sent, so it could have come back.
        expect(received(upstream)).toContain(JSON.stringify(canary).slice(1, -1));
        const needle = canary.slice(0, canary.indexOf('"'));
        expect(everything).not.toContain(needle);
      }
      expect(session.err()).not.toContain('sign-in/');
    },
  );
});

it.skipIf(!hasTerminal)('svc-mcp call waits for a person at a terminal to sign in', async () => {
  const { environment } = await start();
  const { exited, output } = runOnTerminal(['call', 'my-shop-buy', '--json'], environment);
  const url = await vi.waitUntil(() => /^Open (\S+)\s/m.exec(output())?.[1], { timeout: 20_000 });
  await submitForm(url, ['a@b.example', 'right']);
  expect(await exited).toEqual([0, null]);
  expect(output()).toContain('"status":"completed"');
});

describe('svc-mcp login', () => {
  it('takes what the environment has, and names the variables where nobody can be asked', async () => {
    const { upstream, environment } = await start();
    const without = await runProgram(['login', 'my-shop'], environment);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('SVC_LOGIN_MY_SHOP_EMAIL and SVC_LOGIN_MY_SHOP_PASSWORD');
    const values = { SVC_LOGIN_MY_SHOP_EMAIL: 'a@b.example', SVC_LOGIN_MY_SHOP_PASSWORD: 'of-env' };
    const signedIn = await runProgram(['login', 'my-shop', '--identity', 'work'], {
      ...environment,
      ...values,
      SVC_LOGIN_PARAMS: 'forbid',
    });
    expect(signedIn).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Signed in as work, until /) });
    expect(upstream.requestsTo('login')[0]?.body).toMatchObject({ identity_name: 'work' });
  });

  it.skipIf(!hasTerminal)('asks on a terminal, and shows nothing of a secret', async () => {
    const { upstream, environment } = await start();
    const { exited, output, answer } = runOnTerminal(['login', 'my-shop', '--identity', 'work'], environment);
    await answer('Email: ', 'a@b.example');
    await answer('Password: ', 'canary-typed');
    expect(await exited).toEqual([0, null]);
    expect(output()).toContain('a@b.example');
    expect(output()).toContain('Signed in as work, until ');
    expect(output()).not.toContain('canary');
    expect(received(upstream)).toContain('canary-typed');
  });

  it('says why it did not work', async () => {
    const { upstream, environment } = await start();
    upstream.fail('login', envelope(200, 'ACCOUNT_LOCKED', 'x'));
    const values = { SVC_LOGIN_MY_SHOP_EMAIL: 'a@b.example', SVC_LOGIN_MY_SHOP_PASSWORD: 'of-env' };
    const { code, stderr, stdout } = await runProgram(['login', 'my-shop'], { ...environment, ...values });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The site says that the account is locked.');
  });
});

describe('login with wait_seconds', () => {
  it('says waiting, rejected with the reason of the site, and signed in', async () => {
    const { upstream, environment } = await start();
    const { client } = await connectProgram('auto', environment);
    const login = async (wait_seconds: number) => {
      const call = { name: 'login', arguments: { catalog: 'my-shop', identity_name: 'work', wait_seconds } };
      return z
        .looseObject({ login_url: z.url().optional() })
        .parse((await client.callTool(call)).structuredContent);
    };
    const waiting = await login(1);
    expect(waiting).toMatchObject({
      status: 'sign_in_required',
      sign_in: 'waiting',
      next: expect.stringContaining('login again with wait_seconds'),
    });
    expect(waiting).not.toHaveProperty('reason');
    const page = z.url().parse(waiting.login_url);

    upstream.fail('login', envelope(200, 'ACCOUNT_LOCKED', 'x'), { times: 1 });
    await submitForm(page, ['a@b.example', 'wrong']);
    await expect.poll(() => login(0)).toMatchObject({ sign_in: 'rejected' });
    expect(await login(0)).toMatchObject({
      status: 'sign_in_required',
      sign_in: 'rejected',
      reason: expect.stringContaining('The site says that the account is locked.'),
      login_url: page,
    });

    // A call that waits meanwhile is the one that hears of it.
    const signedIn = login(20);
    await submitForm(page, ['a@b.example', 'right']);
    expect(await signedIn).toMatchObject({ status: 'verified' });
    expect(upstream.requestsTo('login')).toHaveLength(2);
  });
});

it('SVC_OPEN_BROWSER opens the page on a desktop, with its address as the only argument', async () => {
  const { folder, environment } = await start();
  const tools = await temporaryFolder();
  const opener = join(tools, 'xdg-open');
  await writeFile(
    opener,
    `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${join(tools, 'part')}' && mv '${join(tools, 'part')}' '${join(tools, 'opened')}'\n`,
  );
  await chmod(opener, 0o755);
  const { client } = await connectProgram('auto', {
    ...environment,
    SVC_OPEN_BROWSER: 'on',
    DISPLAY: ':0',
    PATH: `${tools}:${process.env.PATH}`,
  });
  const { structuredContent } = await client.callTool({
    name: 'login',
    arguments: { catalog: 'my-shop' },
  });
  const { login_url } = z.looseObject({ login_url: z.url() }).parse(structuredContent);
  await vi.waitUntil(async () => (await readdir(tools)).includes('opened'), 20_000);
  expect(await readFile(join(tools, 'opened'), 'utf8')).toBe(`1\n${login_url}\n`);
  expect(await filesIn(folder)).not.toContain(login_url);
});

it('two sign-ins of one account at once leave one identity with one credential', async () => {
  const { client } = await connectProgram('auto', { SVC_DATA_DIR: await temporaryFolder() });
  const login = () =>
    client.callTool({
      name: 'login',
      arguments: {
        catalog: 'members',
        identity_name: 'work',
        params: { username: 'demo', password: 'demo' },
      },
    });
  const answers = await Promise.all([login(), login(), login()]);
  const verified = answers.map(({ structuredContent }) =>
    z.looseObject({ status: z.literal('verified'), credential_id: z.string() }).parse(structuredContent),
  );
  expect(new Set(verified.map(({ credential_id }) => credential_id)).size).toBe(1);
  const { structuredContent } = await client.callTool({
    name: 'list_identities',
    arguments: { catalog: 'members' },
  });
  expect(structuredContent).toMatchObject({
    identities: [{ name: 'work', is_default: true, credentials: [{ status: 'active' }] }],
  });
  const { identities } = z
    .object({ identities: z.array(z.object({ credentials: z.array(z.unknown()) })) })
    .parse(structuredContent);
  expect(identities.map(({ credentials }) => credentials.length)).toEqual([1]);
});

it.each(['open', 'used'])(
  'a page leaves nothing behind: the program ends with its client (%s)',
  async (state) => {
    const { environment } = await start();
    const session = await openRawSession(environment);
    const { login_url } = z.looseObject({ login_url: z.url() }).parse(await session.login({}));
    if (state === 'used') {
      await submitForm(login_url, ['a@b.example', 'right']);
      await vi.waitUntil(async () => (await send(login_url)).text.includes('has been used'), 20_000);
    }
    expect((await send(login_url)).status).toBe(state === 'used' ? 410 : 200);
    session.child.stdin.end();
    expect((await session.exited)[0]).toBe(0);
    await expect(send(login_url)).rejects.toThrow(/ECONNREFUSED/);
  },
);
