import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream as startMeasured } from '../../../bench/start-upstream.ts';
import { startUpstream } from '../../support/upstream.ts';

const names = ['transactions', 'statements', 'sums', 'flushes', 'looks', 'timers', 'promises'] as const;
/** As `test/support/counting.js` counts. */
type Counts = Readonly<Record<(typeof names)[number], number>>;

/** A server that counts what it does, after its first list of tools. */
class CountedProgram {
  readonly #program: ChildProcess;
  readonly #lines: Interface;
  #id = 0;
  #page = 0;

  private constructor(program: ChildProcess, lines: Interface) {
    this.#program = program;
    this.#lines = lines;
  }

  static async start(
    origin: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<CountedProgram> {
    const program = spawn(process.execPath, ['--import', './test/support/counting.js', 'dist/cli/main.js'], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
      env: {
        ...process.env,
        SVC_BASE_URL: origin,
        SVC_API_KEY: 'counted',
        SVC_DATA_DIR: await mkdtemp(join(tmpdir(), 'svc-counts-')),
        ...settings,
      },
    });
    if (program.stdout === null) throw new Error('The program has no pipes');
    const counted = new CountedProgram(program, createInterface(program.stdout));
    const clientInfo = { name: 'test', version: '1' };
    await counted.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    program.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    await counted.request('tools/list');
    return counted;
  }

  async request(method: string, params: object = {}): Promise<string> {
    this.#id += 1;
    const sent = `"id":${this.#id}`;
    this.#program.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params })}\n`);
    for (;;) {
      const [line]: string[] = await once(this.#lines, 'line');
      if (line?.includes(sent)) return line;
    }
  }

  async call(action: string, q: string): Promise<void> {
    this.#page += 1;
    const answer = await this.request('tools/call', { name: action, arguments: { q, page: this.#page } });
    expect(answer).toContain('"status":"completed"');
  }

  /** Resolves to the counts since it was called last. */
  async takeCounts(): Promise<Counts> {
    this.#program.send('counts');
    const [counts]: Counts[] = await once(this.#program, 'message');
    if (counts === undefined) throw new Error('No counts came');
    return counts;
  }

  async end(): Promise<void> {
    const ended = once(this.#program, 'exit');
    this.#program.stdin?.end();
    await ended;
  }
}

/** The least that a call did in a round: on a busy machine an answer may come later than its record waits for it. */
async function countRounds(
  program: CountedProgram,
  rounds: number,
  calls: number,
  work: () => Promise<void>,
): Promise<Counts> {
  const least = { ...(await program.takeCounts()) };
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < calls; count += 1) await work();
    const counts = await program.takeCounts();
    for (const name of names)
      least[name] = Math.min(round === 0 ? Number.POSITIVE_INFINITY : least[name], counts[name] / calls);
  }
  return least;
}

// A change that adds one raises its figure here, and says why.
describe('what a warm call does is no more than before', () => {
  let upstream: Awaited<ReturnType<typeof startMeasured>>;
  let program: CountedProgram;
  beforeAll(async () => {
    upstream = await startMeasured(3);
    program = await CountedProgram.start(upstream.origin);
  });
  afterAll(async () => {
    await program.end();
    await upstream.close();
  });

  // Beside other suites all rounds of a try may have four promises more, it is not known why. A change that adds one fails each.
  it('for a job that is done at the first look', async () => {
    const work = () => program.call('site_action_1', '1000');
    for (let warm = 0; warm < 30; warm += 1) await work();
    // A message 100 ms after their answers shows that these were read: then their deliveries are written.
    await delay(150);
    await program.request('tools/list');
    const counts = await countRounds(program, 40, 4, work);
    expect(counts.looks).toBe(1);
    expect(counts.flushes).toBe(2);
    expect(counts.transactions).toBeLessThanOrEqual(3);
    // What is usual of the action is written once a second.
    expect(counts.statements).toBeLessThanOrEqual(5.2);
    // Two requests, and the record that waits for the first look; the others come with time.
    expect(counts.timers).toBeLessThanOrEqual(5);
    expect(counts.promises).toBeLessThanOrEqual(150);
  });

  it('for a job of two seconds', async () => {
    const work = () => program.call('site_action_2', '1000 after 2000');
    await work();
    const counts = await countRounds(program, 2, 1, work);
    expect(counts.looks).toBeLessThanOrEqual(3);
    expect(counts.flushes).toBeLessThanOrEqual(3);
    expect(counts.transactions).toBeLessThanOrEqual(4);
  });
});

it('a warm call under a daily limit sums what the day cost once', async () => {
  const upstream = await startUpstream({
    apiKey: 'counted',
    actions: [{ action_id: 'site_action_1', catalog_slug: 'site' }],
  });
  const program = await CountedProgram.start(upstream.origin, { SVC_MAX_CREDITS_PER_DAY: '1000000' });
  const work = () => program.call('site_action_1', '1000');
  await work();
  const counts = await countRounds(program, 1, 10, work);
  await program.end();
  await upstream.close();
  expect(counts.sums).toBe(1);
});
