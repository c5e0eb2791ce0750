/** Precision and recall of the builder over the page sets, field value by field value, and its speed. */
import type { Analysis, AnalysisTask } from '../src/service/builder/analyze.ts';
import { createThreadPool } from '../src/service/recipes/thread-pool.ts';
import { everyday } from '../test/service/builder/corpus/everyday.ts';
import { fresh } from '../test/service/builder/corpus/fresh.ts';
import { heldOut } from '../test/service/builder/corpus/held-out.ts';
import { f1Of, type Judgement, judge, precisionOf, recallOf } from '../test/service/builder/corpus/judge.ts';
import type { PageSet } from '../test/service/builder/corpus/page-set.ts';
import { platforms } from '../test/service/builder/corpus/platforms.ts';
import { standards } from '../test/service/builder/corpus/standards.ts';
import { tuning } from '../test/service/builder/corpus/tuning.ts';
import { variety } from '../test/service/builder/corpus/variety.ts';
import { median, ms, print } from './statistics.ts';

const share = (value: number) => value.toFixed(3);

async function report(title: string, sets: readonly PageSet[]): Promise<void> {
  const judgements: Judgement[] = [];
  for (const set of sets) judgements.push(await judge(set));
  print(
    title,
    judgements.map((one) => ({
      'page set': one.set.name,
      result: one.outcome.built ? 'published' : one.outcome.errorType,
      precision: one.set.truth === undefined ? '' : share(precisionOf([one])),
      recall: one.set.truth === undefined ? '' : share(recallOf([one])),
      build: ms(one.buildMs),
    })),
  );
  const data = judgements.filter(({ set }) => set.truth !== undefined);
  const published = judgements.filter(({ set, outcome }) => set.truth === undefined && outcome.built).length;
  process.stdout.write(
    `  with data: precision ${share(precisionOf(data))}, recall ${share(recallOf(data))}, F1 ${share(f1Of(data))}; ` +
      `published without data: ${published} of ${judgements.length - data.length}\n`,
  );
}

/** A page of 500 kB is analyzed in a warm and in a new thread. */
async function speed(): Promise<void> {
  const card = (index: number) =>
    `<li class="product card"><a href="/p/${index}"><img src="/i/${index}.jpg" alt=""></a><h3><a href="/p/${index}">Product number ${index}</a></h3><p class="price">£${index}.50</p><p class="text">${'A fine thing for every home and garden. '.repeat(5)}</p><span class="stock">In stock</span></li>`;
  const cards = Array.from({ length: 1_150 }, (_, index) => card(index)).join('');
  const body = Buffer.from(
    `<!doctype html><title>Shop</title><body><main><h1>Products</h1><ul>${cards}</ul></main>`,
  );
  const pool = createThreadPool<AnalysisTask, Analysis>('#worker/service/builder/analyze-worker', {
    threads: 1,
  });
  const times: number[] = [];
  for (let round = 0; round < 6; round++) {
    const start = performance.now();
    const page = { url: 'http://shop.example/', status: 200, contentType: 'text/html', link: '', body };
    await pool.parse(
      { page, goal: 'List all products with name, price and image' },
      new AbortController().signal,
    );
    times.push(performance.now() - start);
  }
  await pool.close();
  const [cold = 0, ...warm] = times;
  print(`A page of ${Math.round(body.length / 1000)} kB`, [
    { 'new thread': ms(cold), 'warm thread': ms(median(warm)) },
  ]);
}

await report('Page sets that the rules were tuned on', tuning);
await report('Page sets that were held out', heldOut);
await report('Page sets of the second check', fresh);
await report('Page sets in the markup of platforms', platforms);
await report('Page sets of further kinds of sites', variety);
await report('Page sets with data in standard forms', standards);
await report('Page sets of everyday sites', everyday);
await speed();
