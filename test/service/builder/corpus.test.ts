/** Every page set: what has data is built and right, what has none is refused for the right reason. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers } from './corpus/answers.ts';
import { cards } from './corpus/cards.ts';
import { conventions } from './corpus/conventions.ts';
import { embedded } from './corpus/embedded.ts';
import { everyday } from './corpus/everyday.ts';
import { everywhere } from './corpus/everywhere.ts';
import { fresh } from './corpus/fresh.ts';
import { grouped } from './corpus/grouped.ts';
import { headed } from './corpus/headed.ts';
import { heldOut } from './corpus/held-out.ts';
import { f1Of, type Judge, recallOf, startJudge } from './corpus/judge.ts';
import { labelled } from './corpus/labelled.ts';
import { linkedData } from './corpus/linked-data.ts';
import { pieces } from './corpus/pieces.ts';
import { platforms } from './corpus/platforms.ts';
import { regional } from './corpus/regional.ts';
import { registers } from './corpus/registers.ts';
import { standards } from './corpus/standards.ts';
import { technical } from './corpus/technical.ts';
import { tuning } from './corpus/tuning.ts';
import { variety } from './corpus/variety.ts';

const sets = [
  ...technical,
  ...tuning,
  ...heldOut,
  ...fresh,
  ...platforms,
  ...variety,
  ...everyday,
  ...standards,
  ...labelled,
  ...embedded,
  ...grouped,
  ...pieces,
  ...cards,
  ...headed,
  ...answers,
  ...linkedData,
  ...everywhere,
  ...regional,
  ...registers,
  ...conventions,
];
const withData = sets.filter(({ truth }) => truth !== undefined);
const without = sets.filter(({ truth }) => truth === undefined);

let judge: Judge;
beforeAll(async () => {
  judge = await startJudge();
});
afterAll(() => judge.close());

test.each(withData)('$name', async (set) => {
  const judgement = await judge.judge(set);
  expect(judgement.outcome).toMatchObject({ built: true });
  expect(judgement.wrong).toEqual([]);
  expect([recallOf([judgement]), f1Of([judgement])]).toEqual([1, 1]);
});

test.each(without)('$name', async (set) => {
  const { outcome } = await judge.judge(set);
  expect(outcome).toMatchObject({ built: false });
  if (!outcome.built) {
    expect(set.failure).toContain(outcome.errorType);
    expect(outcome.message.length).toBeLessThanOrEqual(1_000);
  }
});
