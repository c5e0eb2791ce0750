/** Every state of a paid row and every change, written by the statements of the program on both engines. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaidRow } from '../../../src/gateway/store/schema.ts';
import { allChanges } from '../../../src/gateway/store/states.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { createCall } from '../../support/orders.ts';
import { claimRow, insertRow, openRows, planRow } from '../../support/paid-rows.ts';
import { engines } from '../../support/postgres.ts';

type Store = Awaited<ReturnType<typeof openRows>>;
/** What counts: the state, whether the same call attaches to it or is blocked by it, and the credits it counts with. */
type Shown = readonly [state: PaidRow['state'], open: number, charged: number];

const reason = { code: 'X', message: 'x' };
const ended = { jobId: 'job', outcome: 'completed', charged: 6, durationMs: 1 } as const;
const dayMs = 86_400_000;

/** How the program brings a row into each state that costs 5 credits, 7 of which are reserved. */
const paths = {
  planned: [],
  intended: [],
  submitted: ['accept'],
  finished: ['accept', 'finish'],
  delivered: ['accept', 'finish', 'deliver'],
  refused: ['refuse'],
  unknown: ['doubt'],
  lost: ['accept', 'lose'],
  'unknown, resubmitted': ['doubt', 'resubmit'],
  'submitted, resubmitted': ['doubt', 'resubmit', 'accept'],
} as const;
type Beginning = keyof typeof paths;

const found: Record<Beginning, Shown> = {
  planned: ['planned', 1, 0],
  intended: ['intended', 1, 7],
  submitted: ['submitted', 1, 7],
  finished: ['finished', 1, 6],
  delivered: ['delivered', 0, 6],
  refused: ['refused', 0, 0],
  unknown: ['unknown', 1, 7],
  lost: ['lost', 1, 7],
  'unknown, resubmitted': ['unknown', 0, 7],
  'submitted, resubmitted': ['submitted', 0, 7],
};

function callOf({ params }: Pick<PaidRow, 'params'>) {
  const { page }: { page: number } = JSON.parse(params ?? '{}');
  return createCall(page);
}

const changes = {
  claim: ({ orders }, row) => claimRow(orders, row, { reserve: 7 }),
  drop: ({ rows }, { id }) => rows.drop(id, reason),
  accept: ({ rows }, { id }) => rows.accept(id, 'job'),
  refuse: ({ rows }, row) => rows.refuse(row, reason),
  doubt: ({ rows }, row) => rows.doubt(row),
  askAgain: ({ rows }, { id }) => rows.askAgain(id, 30_000),
  finish: ({ rows }, { id }) => rows.finish(id, ended),
  lose: ({ rows }, { id }) => rows.lose(id),
  deliver: ({ rows }, { id }) => rows.deliver(id),
  // One statement tells both.
  deliverLoss: ({ rows }, { id }) => rows.deliver(id),
  takeBack: ({ rows }, { id }) => rows.takeBack(id),
  recover: ({ rows }, { id }) => rows.recover(id),
  closeLoss: ({ rows }, { id }) => rows.closeLoss(id),
  answered: ({ rows }, { id }) => rows.answered(id),
  renew: ({ rows }, row) => rows.renew(row, 30_000),
  'its sender dies': async ({ rows, database }, { id }) => {
    await database.query.updateTable('gateway_intent').set({ deadline: 0 }).where('id', '=', id).execute();
    await rows.get(id);
  },
  'a day passes': async ({ rows, database }, { id, params }) => {
    const earlier = (row: {
      created_at: number;
      submitted_at: number | null;
      finished_at: number | null;
    }) => ({
      created_at: row.created_at - dayMs - 1,
      submitted_at: row.submitted_at === null ? null : row.submitted_at - dayMs - 1,
      finished_at: row.finished_at === null ? null : row.finished_at - dayMs - 1,
    });
    const stored = await database.query
      .selectFrom('gateway_intent')
      .select(['created_at', 'submitted_at', 'finished_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await database.query.updateTable('gateway_intent').set(earlier(stored)).where('id', '=', id).execute();
    await rows.findOpen(callOf({ params }));
  },
} satisfies Record<string, (store: Store, row: PaidRow) => Promise<unknown>>;
type Named = keyof typeof changes;

/** What becomes of a row. Where nothing is said nothing changes. */
const becomes: Record<Named, Partial<Record<Beginning, Shown>>> = {
  claim: { planned: ['intended', 1, 7] },
  drop: { planned: ['refused', 0, 0] },
  accept: {
    intended: ['submitted', 1, 7],
    unknown: ['submitted', 1, 7],
    'unknown, resubmitted': ['submitted', 0, 7],
  },
  refuse: {
    intended: ['refused', 0, 0],
    unknown: ['refused', 0, 0],
    'unknown, resubmitted': ['refused', 0, 0],
  },
  doubt: { intended: ['unknown', 1, 7] },
  askAgain: { unknown: ['intended', 1, 7] },
  finish: {
    intended: ['finished', 1, 6],
    unknown: ['finished', 1, 6],
    submitted: ['finished', 1, 6],
    lost: ['finished', 1, 6],
    'unknown, resubmitted': ['finished', 0, 6],
    'submitted, resubmitted': ['finished', 0, 6],
  },
  lose: { submitted: ['lost', 1, 7], 'submitted, resubmitted': ['lost', 0, 7] },
  // A told loss stays open, so that a repeat looks once more.
  deliver: { finished: ['delivered', 0, 6], lost: ['lost', 1, 7] },
  deliverLoss: { finished: ['delivered', 0, 6], lost: ['lost', 1, 7] },
  takeBack: { delivered: ['finished', 1, 6] },
  recover: { lost: ['submitted', 1, 7] },
  closeLoss: { lost: ['lost', 0, 7] },
  // They change times only.
  answered: { finished: ['finished', 1, 6], lost: ['lost', 1, 7] },
  renew: { intended: ['intended', 1, 7] },
  'its sender dies': { intended: ['unknown', 1, 7] },
  'a day passes': {
    planned: ['refused', 0, 0],
    submitted: ['submitted', 0, 7],
    finished: ['finished', 0, 6],
    unknown: ['unknown', 0, 7],
  },
};

async function make(store: Store, row: PaidRow, change: Named | 'resubmit'): Promise<PaidRow> {
  if (change === 'resubmit') {
    await insertRow(store.orders, { call: callOf(row), replaced: row });
    return read(store, row);
  }
  await changes[change](store, row);
  return read(store, row);
}
const read = ({ database }: Store, { id }: PaidRow): Promise<PaidRow> =>
  database.query.selectFrom('gateway_intent').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const show = ({ state, open, charged }: PaidRow): Shown => [state, open, charged];

const createDatabase = useDatabases();
const names = <Name extends string>(record: Record<Name, unknown>): Name[] =>
  Object.keys(record).filter((name): name is Name => name in record);

it('every change of the table of states is tried', () => {
  expect(names(changes)).toEqual(expect.arrayContaining([...allChanges]));
});

describe.each(engines)('on %s', (engine) => {
  let store: Store;
  let page = 0;
  beforeAll(async () => {
    store = await openRows(
      engine === 'sqlite'
        ? { file: join(await temporaryFolder(), 'gateway.db') }
        : { url: await createDatabase() },
    );
  });
  afterAll(closeGateways);

  async function begin(beginning: Beginning): Promise<PaidRow> {
    page += 1;
    const more = { call: createCall(page), reserve: 7, keyed: true };
    let row = await (beginning === 'planned' ? planRow : insertRow)(store.orders, more);
    for (const change of paths[beginning]) row = await make(store, row, change);
    return row;
  }

  it.each(names(paths))('a row that is %s counts as it should', async (beginning) => {
    expect(show(await begin(beginning))).toEqual(found[beginning]);
  });

  it('a told loss whose answer was not read is told again', async () => {
    const row = await begin('lost');
    await store.rows.deliver(row.id);
    expect(await store.rows.wasLossTold(row)).toBe(true);
    await store.rows.takeBack(row.id);
    expect(await store.rows.wasLossTold(row)).toBe(false);
  });

  const cells = names(changes).flatMap((change) =>
    names(paths).map((beginning) => [change, beginning] as const),
  );

  it.each(cells)('%s of a row that is %s', async (change, beginning) => {
    const row = await begin(beginning);
    const later = await make(store, row, change);
    const expected = becomes[change][beginning];
    expect(show(later)).toEqual(expected ?? found[beginning]);
    const isOfTime = change === 'its sender dies' || change === 'a day passes';
    if (expected === undefined && !isOfTime) expect(later).toEqual(row);
  });
});
