/**
 * `upgrade/gateway-af234df.db.gz` was written by commit af234df (`upgrade/write-folder.ts`): runs, builds, batches and
 * tasks in every state. Whatever the current version makes of it, every id answers as it did, and nothing is paid twice.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/gateway/interface/gateway.ts';
import type { Outcome } from '../../src/gateway/interface/outcomes.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { useDatabases } from '../support/databases.ts';
import { callContext, closeGateways, deliver } from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';
import type { Upstream } from '../support/upstream.ts';
import {
  batchAnswers,
  begunRows,
  buildAnswers,
  inputAnswers,
  jobAnswers,
  keptJobs,
  leftInputs,
  taskAnswers,
} from './upgrade/answers.ts';
import * as calls from './upgrade/calls.ts';
import { earlierVersion, openCurrent, openEarlierFolder } from './upgrade/earlier-folder.ts';
import * as ids from './upgrade/issued-ids.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

const signal = new AbortController().signal;
const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(table).filter((name): name is Name => name in table);

/** The answers by the names of what was asked for, in this order and one by one. */
async function ask<Name extends string>(
  names: readonly Name[],
  answer: (name: Name) => Promise<unknown>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const name of names) answers[name] = await answer(name);
  return answers;
}

const bodyOf = async (outcome: Promise<Outcome>) => (await outcome).body;
const jobOf = (gateway: Gateway, job_id: string) => bodyOf(gateway.getJob({ job_id }, callContext()));
/** The name of each input that was paid for. */
const paid = ({ requestsTo }: Upstream) =>
  requestsTo('submitTask').map(({ body }) => Object(Object(body).params).q);

describe.each(engines)('on %s', (engine) => {
  const open = () => openEarlierFolder(engine === 'postgres' ? createDatabase : undefined);

  it('every job id answers as it did, and kept results are not asked for again', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const answers = await ask(namesOf(ids.jobs), (name) => jobOf(gateway, ids.jobs[name]));
    expect(answers).toMatchObject(jobAnswers);
    expect(await ask(namesOf(ids.inputJobs), (name) => jobOf(gateway, ids.inputJobs[name]))).toMatchObject(
      inputAnswers,
    );
    const asked = earlier.upstream.requestsTo('getJob').map(({ url }) => url);
    for (const name of keptJobs) expect(asked).not.toContainEqual(expect.stringContaining(ids.jobs[name]));
    expect(await jobOf(gateway, ids.jobOfOther)).toMatchObject({ error: { code: 'JOB_NOT_FOUND' } });
    expect(paid(earlier.upstream)).toEqual([]);
  });

  it('every batch id answers as it did, and reading pays nothing', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const answers = await ask(namesOf(ids.batches), (name) => jobOf(gateway, ids.batches[name]));
    expect(answers).toMatchObject(batchAnswers);
    expect(paid(earlier.upstream)).toEqual([]);
  });

  it('every build id answers as it did, and the one in doubt is found in the list of the service', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const context = callContext({ waitMs: 0 });
    const answers = await ask(namesOf(ids.builds), (name) =>
      bodyOf(gateway.listBuildRequests({ id: ids.builds[name] }, context)),
    );
    expect(answers).toMatchObject(buildAnswers);
    const settled = { kind: 'build', build_requests: [{ id: ids.builds.inDoubt }] };
    for (const id of [ids.buildInDoubt, ids.builds.inDoubt]) {
      expect(await bodyOf(gateway.getJob({ job_id: id }, context))).toMatchObject(settled);
    }
    const again = await ask(namesOf(calls.builds), (name) =>
      bodyOf(gateway.requestBuild(calls.builds[name], context)),
    );
    expect(again).toMatchObject({
      finished: { status: 'success', attached: true, build_request: { id: ids.builds.finished } },
      pending: { status: 'pending', attached: true, build_request: { id: ids.builds.pending } },
      inDoubt: { status: 'pending', attached: true, build_request: { id: ids.builds.inDoubt } },
    });
    expect(earlier.upstream.requestsTo('requestBuild')).toEqual([]);
  });

  it('every task answers as it did, and looking pays nothing', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const look = (id: string) => gateway.tasks.look(id, { signal, waitMs: 10_000 });
    const buildTask = gateway.tasks.look(ids.tasks.build, { signal, waitMs: 0 });
    expect(await buildTask).toMatchObject({ task: { state: 'under-way' } });
    earlier.upstream.service.finishBuild(ids.builds.pending, { action_id: 'pending-prices' });
    expect(await ask(namesOf(ids.tasks), (name) => look(ids.tasks[name]))).toMatchObject(taskAnswers);
    expect(paid(earlier.upstream)).toEqual([]);
  });

  it('the list shows every paid call, build and batch once, with what it cost', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const body = await bodyOf(gateway.getJob({ limit: 100 }, callContext()));
    const { finished, pending } = ids.builds;
    const all = [
      ...Object.values(ids.jobs),
      finished,
      pending,
      ids.buildInDoubt,
      ...Object.values(ids.batches),
    ];
    expect(body).toMatchObject({ total: all.length, credits_spent_today: 169.5 });
    const jobs: readonly { readonly job_id: string }[] = Object(body).jobs;
    expect(jobs.map(({ job_id }) => job_id).sort()).toEqual(all.sort());
    expect(jobs).toContainEqual(
      expect.objectContaining({
        job_id: ids.jobs.finishedOfAccount,
        params: '{"q":"finished"}',
        account: 'work',
        status: 'completed',
        credits: 5,
      }),
    );
    expect(jobs).toContainEqual(
      expect.objectContaining({
        job_id: ids.jobs.refused,
        status: 'refused',
        credits: 0,
        error: expect.objectContaining({ code: 'INSUFFICIENT_CREDITS' }),
      }),
    );
    expect(jobs).toContainEqual(
      expect.objectContaining({ job_id: ids.batches.halfDone, rows_total: 12, credits: 14 }),
    );
  });

  it('the figures of the day are the same, and limits count them', async () => {
    const earlier = await open();
    const limited = openCurrent(earlier, { maxCreditsPerDay: 1000, maxCreditsPerDayPerKey: 500 });
    expect(await bodyOf(limited.getUsage(callContext()))).toMatchObject({
      today: { spent: 169.5, budget_left: 500 - 172.5 },
      by_action: [
        { build_for: 'https://doubt.example/', runs: 1, spent: 25, spent_today: 25 },
        { build_for: 'https://finished.example/', runs: 1, spent: 25 },
        { build_for: 'https://pending.example/', runs: 1, spent: 25 },
        { action_id: 'list', runs: 8, spent: 24, last_costs: [3, 3, 3, 3] },
        { action_id: 'mixed', runs: 13, spent: 24, last_costs: [2, 2, 2, 2, 2] },
        { action_id: 'slow', runs: 5, spent: 20 },
        { action_id: 'inline', runs: 2, spent: 12, last_costs: [6, 6] },
        { action_id: 'large', runs: 1, spent: 7 },
        { action_id: 'private', runs: 1, spent: 5 },
        { action_id: 'computed', runs: 1, spent: 2.5, last_costs: [2.5] },
      ],
      by_day: [{ runs: 34, spent: 169.5 }],
      balance: 1,
    });
    const call = { action_id: 'list', params: { q: 'new' } };
    const refused = openCurrent(earlier, { maxCreditsPerDay: 172 });
    expect(await bodyOf(refused.runAction(call, callContext()))).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED' },
    });
    expect(paid(earlier.upstream)).toEqual([]);
    const admitted = openCurrent(earlier, { maxCreditsPerDay: 173 });
    expect(await bodyOf(admitted.runAction(call, callContext()))).toMatchObject({ status: 'completed' });
  });
});

it('the file is copied once before the first migration that cannot be undone', async () => {
  const earlier = await openEarlierFolder();
  await jobOf(openCurrent(earlier), ids.jobs.delivered);
  const marked = gatewayMigrations.findIndex(
    ({ copiesFile }, index) => copiesFile && index >= earlierVersion,
  );
  const copies = (await readdir(earlier.folder)).filter((name) => name.includes('.before-'));
  expect(copies).toEqual(marked === -1 ? [] : [`gateway.db.before-${marked + 1}`]);
  for (const name of copies) {
    const target = { file: join(earlier.folder, name) };
    // The earlier version opens it.
    await (await openDatabase(target, gatewayMigrations.slice(0, earlierVersion), 'gateway')).close();
  }
});

describe.each(engines)('the same call again on %s', (engine) => {
  const open = () => openEarlierFolder(engine === 'postgres' ? createDatabase : undefined);

  it('joins what is open, and is a new call where the answer was delivered or the call refused', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const run = (name: keyof typeof calls.runs) => bodyOf(gateway.runAction(calls.runs[name], callContext()));
    const { delivered, deliveredInline, lostAndTold, refused, ...others } = jobAnswers;
    const answers = await ask(namesOf(others), run);
    expect(answers).toMatchObject(others);
    for (const name of [...keptJobs.slice(2), 'underWay', 'underWayByTask', 'givenUp'] as const) {
      expect(answers[name]).toMatchObject({ attached: true, job_id: ids.jobs[name] });
    }
    expect(paid(earlier.upstream)).toEqual([]);

    const again = ['delivered', 'deliveredInline', 'refused'] as const;
    for (const body of Object.values(await ask(again, run))) {
      expect(body).toMatchObject({ status: 'completed' });
      expect(body).not.toHaveProperty('attached');
    }
    expect(paid(earlier.upstream)).toEqual(['delivered', 'delivered', 'refused']);
  });

  it('asks about a doubt by the key that it was sent with', async () => {
    const earlier = await open();
    earlier.upstream.service.extensions = 'idempotency';
    const gateway = openCurrent(earlier);
    const names = ['unknown', 'intended', 'unknownWithKey', 'intendedWithKey'] as const;
    const run = (name: keyof typeof calls.runs) => bodyOf(gateway.runAction(calls.runs[name], callContext()));
    expect(await ask(names, run)).toMatchObject({
      unknown: jobAnswers.unknown,
      intended: jobAnswers.intended,
      unknownWithKey: { status: 'completed' },
      intendedWithKey: { status: 'completed' },
    });
    const keys = earlier.upstream.requestsTo('submitTask').map(({ headers }) => headers['idempotency-key']);
    const { unknownWithKey, intendedWithKey } = ids.jobs;
    expect(keys).toEqual([unknownWithKey, intendedWithKey].map((id) => id.replace('local-', '')));
    // What local ids stood for is found by them and by the ids of the service.
    expect(await jobOf(gateway, unknownWithKey)).toMatchObject({ status: 'completed' });
  });

  it('joins a batch whose answer was not delivered, and is a new batch after the delivery', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    const ended = await bodyOf(deliver(gateway.runBatch(calls.batches.ended, callContext())));
    expect(ended).toMatchObject(batchAnswers.ended);
    expect(paid(earlier.upstream)).toEqual([]);
    for (const name of ['delivered', 'ended'] as const) {
      const body = await bodyOf(gateway.runBatch(calls.batches[name], callContext()));
      expect(body).toMatchObject({ status: 'completed', credits_used: 4 });
      expect(body.batch_id).not.toBe(ids.batches[name]);
    }
    const inputs = ['delivered 1', 'delivered 2', 'ended 1', 'ended 2'];
    expect(paid(earlier.upstream).sort()).toEqual(inputs);
  });

  it('goes on with a batch whose process died: two processes pay once for what was not begun', async () => {
    const earlier = await open();
    const gateways = [openCurrent(earlier), openCurrent(earlier)];
    const bodies = await Promise.all(
      gateways.map((gateway) => bodyOf(deliver(gateway.runBatch(calls.batches.halfDone, callContext())))),
    );
    const left = leftInputs.map((q) => ({ params: { q }, status: 'completed', data: { params: { q } } }));
    for (const body of bodies) {
      expect(body).toMatchObject({
        batch_id: ids.batches.halfDone,
        rows_completed: 9,
        rows: [...begunRows, ...left],
      });
    }
    expect(paid(earlier.upstream).sort()).toEqual(leftInputs);
  });

  it('finds an input that was begun without being linked to its batch', async () => {
    const earlier = await open();
    const gateway = openCurrent(earlier);
    for (const q of ['slow 3', 'linked 1', 'slow 1'] as const) {
      const run = gateway.runAction({ action_id: 'mixed', params: { q } }, callContext());
      expect(await bodyOf(run)).toMatchObject({
        ...inputAnswers[q],
        attached: true,
        job_id: ids.inputJobs[q],
      });
    }
    expect(paid(earlier.upstream)).toEqual([]);
  });
});
