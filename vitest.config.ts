import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/**
 * Long by nature: deaths and faults by the hundred, browsers, and walks through the whole program. `npm test` leaves them to
 * `npm run test:long`, and `.ci/run` runs both.
 */
const longTests = 'test/**/*.long.test.ts';
/**
 * They fill memory until a limit stops them, measure how long a thread is held, or count what a loaded machine adds to: promises of
 * a call that waits longer. So they come after the others, alone.
 */
const loneTests = 'test/**/*.alone.test.ts';

/** Names the tests that passed only when they were tried again: each is a fault of the test or of the program. */
const flakyTests: Reporter = {
  onTestRunEnd(modules) {
    const flaky = modules.flatMap(({ children, relativeModuleId }) =>
      [...children.allTests()]
        .filter((test) => test.diagnostic()?.flaky)
        .map(({ fullName }) => `${relativeModuleId} > ${fullName}`),
    );
    if (flaky.length > 0) process.stdout.write(`\nPassed only at the second try:\n${flaky.join('\n')}\n`);
  },
};

/**
 * Memory in place of the disk, where it has room: each flush of a database would cost, and nothing outlives the tests.
 */
function findTemporaryFolder(): string | undefined {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 8 * 2 ** 30 ? memory : undefined;
  } catch {
    return undefined;
  }
}

const folder = findTemporaryFolder();
if (folder !== undefined) process.env.TMPDIR ??= folder;

const options = {
  // Loading the program anew took a second for each file. So a file must leave nothing behind.
  isolate: false,
  testTimeout: 60_000,
  // As long as a loaded machine may take; a condition that holds ends the wait at once.
  expect: { poll: { timeout: 20_000, interval: 50 } },
  hookTimeout: 60_000,
  // Processes, browsers and databases share a small machine there; a test that fails twice has failed.
  retry: process.env.CI === undefined ? 0 : 1,
};

export default defineConfig({
  test: {
    globalSetup: 'test/support/run-setup.ts',
    projects: [
      {
        test: {
          ...options,
          name: 'short',
          include: ['test/**/*.test.ts'],
          exclude: [longTests, loneTests],
        },
      },
      { test: { ...options, name: 'long', include: [longTests] } },
      {
        test: { ...options, name: 'alone', include: [loneTests], sequence: { groupOrder: 1 }, maxWorkers: 1 },
      },
    ],
    // Most tests wait for processes of their own: with two files a core, two cores were idle a third of the time. A
    // percentage above 100 counts as 100. Set in a project, it would outrank the command line.
    maxWorkers: 2 * availableParallelism() + 1,
    // The long tests then need not compile again what the short ones have.
    experimental: { fsModuleCache: true },
    reporters: ['default', flakyTests],
  },
});
