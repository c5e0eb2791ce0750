import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream } from '../../../bench/start-upstream.ts';

const names = ['transactions', 'statements', 'flushes', 'looks', 'timers', 'promises'] as const;
/** As `test/support/counting.js` counts. */
type Counts = Readonly<Record<(typeof names)[number], number>>;

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let program: ChildProcess;
let request: (method: string, params?: object) => Promise<string>;
let page = 0;

beforeAll(async () => {
  upstream = await startUpstream(3);
  program = spawn(process.execPath, ['--import', './test/support/counting.js', 'dist/cli/main.js'], {
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      SVC_BASE_URL: upstream.origin,
      SVC_API_KEY: 'counted',
      SVC_DATA_DIR: await mkdtemp(join(tmpdir(), 'svc-counts-')),
    },
  });
  const { stdin, stdout } = program;
  if (stdin === null || stdout === null) throw new Error('The program has no pipes');
  const lines = createInterface(stdout);
  let id = 0;
  request = async (method, params = {}) => {
    id += 1;
    const sent = `"id":${id}`;
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const [line]: string[] = await once(lines, 'line');
      if (line?.includes(sent)) return line;
    }
  };
  const clientInfo = { name: 'test', version: '1' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await request('tools/list');
});

afterAll(async () => {
  const ended = once(program, 'exit');
  program.stdin?.end();
  await ended;
  await upstream.close();
});

async function call(action: string, q: string): Promise<void> {
  page += 1;
  const answer = await request('tools/call', { name: action, arguments: { q, page } });
  expect(answer).toContain('"status":"completed"');
}

/** Resolves to the counts since it was called last. */
async function takeCounts(): Promise<Counts> {
  program.send('counts');
  const [counts]: Counts[] = await once(program, 'message');
  if (counts === undefined) throw new Error('No counts came');
  return counts;
}

/** The least that a call did in a round: on a busy machine an answer may come later than its record waits for it. */
async function countRounds(rounds: number, calls: number, work: () => Promise<void>): Promise<Counts> {
  const least = { ...(await takeCounts()) };
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < calls; count += 1) await work();
    const counts = await takeCounts();
    for (const name of names)
      least[name] = Math.min(round === 0 ? Number.POSITIVE_INFINITY : least[name], counts[name] / calls);
  }
  return least;
}

// A change that adds one raises its figure here, and says why.
describe('what a warm call does is no more than before', () => {
  it('for a job that is done at the first look', async () => {
    const work = () => call('site_action_1', '1000');
    for (let warm = 0; warm < 30; warm += 1) await work();
    // A message 100 ms after their answers shows that these were read: then their deliveries are written.
    await delay(150);
    await request('tools/list');
    const counts = await countRounds(12, 10, work);
    expect(counts.looks).toBe(1);
    expect(counts.flushes).toBe(2);
    expect(counts.transactions).toBeLessThanOrEqual(3);
    // One of them writes what is usual of the action, with the end.
    expect(counts.statements).toBeLessThanOrEqual(6);
    // Two requests, and the record that waits for the first look; the others come with time.
    expect(counts.timers).toBeLessThanOrEqual(5);
    expect(counts.promises).toBeLessThanOrEqual(255);
  });

  it('for a job of two seconds', async () => {
    const work = () => call('site_action_2', '1000 after 2000');
    await work();
    const counts = await countRounds(2, 1, work);
    expect(counts.looks).toBeLessThanOrEqual(3);
    expect(counts.flushes).toBeLessThanOrEqual(3);
    expect(counts.transactions).toBeLessThanOrEqual(4);
  });
});
