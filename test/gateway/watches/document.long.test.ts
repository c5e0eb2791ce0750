/** The examples of docs/watches.md, on the practice sites of an embedded service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { watch } from '../../../src/mcp/tools/watch.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { endPrograms } from '../../support/program.ts';
import { runHere } from '../../support/run-here.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const Made = z.looseObject({
  watch_id: z.string(),
  state: z.literal('active'),
  compared_by: z.string(),
  next_run_at: z.string(),
  first: z.looseObject({ rows: z.number(), job_id: z.string() }),
});

it('the examples of docs/watches.md make watches of the practice sites', async () => {
  const text = await readFile('docs/watches.md', 'utf8');
  const examples = [...text.matchAll(/```json\n(.*?)\n```/gs)].map(([, example = '']) => example);
  expect(examples).toHaveLength(3);
  const environment = { SVC_DATA_DIR: await temporaryFolder() };
  const made: z.infer<typeof Made>[] = [];
  for (const example of examples) {
    expect(watch.input.safeParse(JSON.parse(example)).success).toBe(true);
    const { stdout, code } = await runHere(['call', 'watch', example, '--json'], environment);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    made.push(Made.parse(JSON.parse(stdout)));
  }
  expect(made.map(({ compared_by, first }) => [compared_by, first.rows > 0])).toEqual([
    ['url', true],
    ['id', true],
    ['fields', true],
  ]);
  const listed = await runHere(['watches'], environment);
  for (const { watch_id } of made) expect(listed.stdout).toContain(watch_id);
  const [first] = made;
  // Each command starts the practice sites at ports of their own: that is no change.
  const ran = await runHere(['watches', 'run', first?.watch_id ?? ''], environment);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('has ended') });
  const unchanged = await runHere(['watches', 'show', first?.watch_id ?? ''], environment);
  expect(unchanged.stdout).toContain('Nothing has changed yet.\nactive; 2 credits');
  const ended = await runHere(['watches', 'end', first?.watch_id ?? ''], environment);
  expect(ended.stdout).toContain('ended');
  const shown = await runHere(['watches', 'show', first?.watch_id ?? ''], environment);
  expect(shown.stdout).toMatch(/ended: It was ended by a caller/);
  // What it told was read, and nothing is due yet.
  expect((await runHere(['watches', 'run-due'], environment)).stdout).toBe('Nothing new.\n');
  // It is what writes the feeds where no server runs.
  const feed = join(environment.SVC_DATA_DIR, 'watches', `${first?.watch_id}.atom`);
  expect(await readFile(feed, 'utf8')).toContain('ended');
}, 180_000);
