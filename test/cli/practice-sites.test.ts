/** What was built on the practice sites: at the next start, and while their port is taken. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { loadSettings } from '../../src/cli/config/load.ts';
import { startEmbeddedService } from '../../src/cli/setup/embedded.ts';
import { practicePortCheck, servePracticeSites } from '../../src/cli/setup/practice-sites.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { recordingLogger } from '../support/mcp-pipe.ts';
import { callerOf, finished } from '../support/service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await closeGateways();
});

async function start(dataDir: string) {
  const service = await startEmbeddedService(
    loadSettings({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: 'error' }, {}, { ownKeys: true }),
  );
  const close = async () => {
    closers.splice(closers.indexOf(close), 1);
    await service.close();
  };
  closers.push(close);
  const call = callerOf(service);
  const run = async (actionId: string) => {
    const { body } = await call('POST', '/task', { action_id: actionId, params: {} });
    return finished(call, body.job_id);
  };
  return { practiceUrl: service.practiceUrl ?? '', call, run, close };
}

const Build = z.looseObject({ id: z.string(), status: z.string(), action_id: z.string().nullish() });

type Started = Awaited<ReturnType<typeof start>>;

async function build({ call, practiceUrl }: Started, path: string): Promise<string> {
  const goal = 'All books with title and price';
  const asked = await call('POST', '/build-request', { website_url: practiceUrl + path, goal, force: true });
  const { id } = Object(asked.body.build_request);
  const own = async () => {
    const { body } = await call('GET', '/build-requests');
    return z
      .array(Build)
      .parse(body.build_requests)
      .find((one) => one.id === id);
  };
  await expect.poll(async () => (await own())?.status, { timeout: 60_000 }).not.toBe('pending');
  const built = await own();
  expect(built).toMatchObject({ status: 'success' });
  return built?.action_id ?? '';
}

/** Another program on the port of the address. */
async function occupy(url: string): Promise<() => string[]> {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url ?? '');
    answer.end('<h1>Something else</h1>');
  });
  await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), '127.0.0.1', resolve));
  closers.push(async () => void server.close());
  return () => asked;
}

it('an action that was built on a practice page works after a restart, in a second process, and while another program has the port', async () => {
  const folder = await temporaryFolder();
  const first = await start(folder);
  const action = await build(first, '/bookshop/');
  const before = await first.run(action);
  expect(before).toMatchObject({ status: 'completed' });

  // A second one, while the first one has the port; it goes on alone.
  const beside = await start(folder);
  expect(beside.practiceUrl).toBe(first.practiceUrl);
  await first.close();
  expect(await beside.run(action)).toMatchObject({ status: 'completed', data: before.data });
  await beside.close();

  const again = await start(folder);
  expect((await fetch(again.practiceUrl)).ok).toBe(true);
  expect(await again.run(action)).toMatchObject({ data: before.data });
  await again.close();

  const asked = await occupy(first.practiceUrl);
  const moved = await start(folder);
  expect(await moved.run(action)).toMatchObject({ status: 'completed', data: before.data });
  expect(await moved.run('bookshop_list_books')).toMatchObject({ status: 'completed' });
  // What is built meanwhile stays, too.
  const second = await build(moved, '/bookshop/?category=Novel');
  expect(asked()).toEqual([]);
  await moved.close();
  for (const close of closers.splice(0)) await close();
  expect(await (await start(folder)).run(second)).toMatchObject({ status: 'completed' });
}, 180_000);

it.each(['', 'abc\n', '70000', '0', '-1', '8080 9090'])(
  'a kept port of %j is replaced once: the next start has the same address, and the log and the doctor say it',
  async (text) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'practice-port');
    await writeFile(file, text);
    expect(await practicePortCheck(folder)).toMatchObject({
      ok: true,
      note: true,
      detail: expect.stringContaining(file),
    });
    const log = recordingLogger();
    const first = await servePracticeSites(folder, log);
    await first.close();
    expect(await readFile(file, 'utf8')).toBe(`${first.port}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('held no valid port') }),
    ]);
    expect(await practicePortCheck(folder)).toMatchObject({ ok: true, detail: `on port ${first.port}` });
    const again = await servePracticeSites(folder, log);
    await again.close();
    expect(again.origin).toBe(first.origin);
    expect(log.lines).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['practice-port']);
  },
);

it('a folder in place of the kept port stops the start, and the doctor says what to do', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'practice-port'));
  await expect(servePracticeSites(folder, recordingLogger())).rejects.toThrow('remove it');
  expect(await practicePortCheck(folder)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/practice-port is not a regular file: remove it/),
  });
});
