import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';

/**
 * Long by nature: deaths and faults by the hundred, browsers, and walks through the whole program. `npm test` leaves them to
 * `npm run test:long`, and `.ci/run` runs both. The longest come first, so that none is left alone at the end.
 */
const longTests = [
  'test/service/browser/renderer.test.ts',
  'test/program/browser.test.ts',
  'test/program/build.test.ts',
  'test/service/crash.test.ts',
  'test/program/gallery.test.ts',
  'test/program/build-agent.test.ts',
  'test/browser/sign-in.test.ts',
  'test/program/config.test.ts',
  'test/attack/requests.test.ts',
  'test/chaos/gateway.test.ts',
  'test/program/oauth.test.ts',
  'test/gateway/paid/crash-points.test.ts',
  'test/program/service-builds.test.ts',
  'test/browser/views.test.ts',
  'test/browser/console.test.ts',
  'test/chaos/service-database.test.ts',
  'test/service/hostile-builds.test.ts',
  'test/program/tasks.test.ts',
  'test/program/team.test.ts',
  'test/browser/connect.test.ts',
  'test/program/output-schemas.test.ts',
  'test/program/http-sign-in.test.ts',
  'test/service/recipes/hostile-pages.test.ts',
  'test/program/service-users.test.ts',
  'test/program/replicas.test.ts',
  'test/program/sign-in.test.ts',
  'test/gateway/paid/batches-crash.test.ts',
  'test/gateway/paid/builds-crash.test.ts',
];

/** They fill memory until a limit stops them, which takes minutes beside other tests. So they come after those, alone. */
const loneTests = ['test/program/browser-memory.test.ts', 'test/service/browser/memory.test.ts'];

/** The slowest of the others come first too: one that comes last would keep one core busy and leave the rest idle. */
const slowTests = [
  'test/program/commands.test.ts',
  'test/service/tasks.test.ts',
  'test/program/stdio.test.ts',
  'test/program/doctor.test.ts',
  'test/mcp/tasks/tasks.test.ts',
  'test/gateway/batches.test.ts',
  'test/gateway/silent-store.test.ts',
  'test/packaging/bundle.test.ts',
  'test/service/builder/pages.test.ts',
];
const order = [...longTests, ...slowTests];

class ListedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = order.findIndex((path) => moduleId.endsWith(path));
      return index === -1 ? order.length : index;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

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

const options = {
  // Loading the program anew took a second for each file. So a file must leave nothing behind.
  isolate: false,
  testTimeout: 60_000,
  // As long as a loaded machine may take; a condition that holds ends the wait at once.
  expect: { poll: { timeout: 20_000, interval: 20 } },
  hookTimeout: 60_000,
  // Processes, browsers and databases share a small machine there; a test that fails twice has failed.
  retry: process.env.CI === undefined ? 0 : 1,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...options,
          name: 'short',
          include: ['test/**/*.test.ts'],
          exclude: [...longTests, ...loneTests],
        },
      },
      { test: { ...options, name: 'long', include: longTests } },
      { test: { ...options, name: 'alone', include: loneTests, sequence: { groupOrder: 1 }, maxWorkers: 1 } },
    ],
    // Most tests wait for processes of their own: with two files a core, two cores were idle a third of the time. A
    // percentage above 100 counts as 100. Set in a project, it would outrank the command line.
    maxWorkers: 2 * availableParallelism() + 1,
    // The long tests then need not compile again what the short ones have.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: ListedOrder },
    reporters: ['default', flakyTests],
  },
});
