/** Precision and recall of the builder over the page sets, field value by field value, and its speed. */
import type { Analysis, AnalysisTask } from '../src/service/builder/analyze.ts';
import { createPagePool } from '../src/service/recipes/page-pool.ts';
import { answers } from '../test/service/builder/corpus/answers.ts';
import { cards } from '../test/service/builder/corpus/cards.ts';
import { embedded } from '../test/service/builder/corpus/embedded.ts';
import { everyday } from '../test/service/builder/corpus/everyday.ts';
import { everywhere } from '../test/service/builder/corpus/everywhere.ts';
import { fresh } from '../test/service/builder/corpus/fresh.ts';
import { grouped } from '../test/service/builder/corpus/grouped.ts';
import { headed } from '../test/service/builder/corpus/headed.ts';
import { heldOut } from '../test/service/builder/corpus/held-out.ts';
import {
  f1Of,
  type Judgement,
  precisionOf,
  recallOf,
  startJudge,
} from '../test/service/builder/corpus/judge.ts';
import { labelled } from '../test/service/builder/corpus/labelled.ts';
import { linkedData } from '../test/service/builder/corpus/linked-data.ts';
import type { PageSet } from '../test/service/builder/corpus/page-set.ts';
import { pieces } from '../test/service/builder/corpus/pieces.ts';
import { platforms } from '../test/service/builder/corpus/platforms.ts';
import { regional } from '../test/service/builder/corpus/regional.ts';
import { standards } from '../test/service/builder/corpus/standards.ts';
import { tuning } from '../test/service/builder/corpus/tuning.ts';
import { variety } from '../test/service/builder/corpus/variety.ts';
import { median, ms, print } from './statistics.ts';

const share = (value: number) => value.toFixed(3);

async function report(title: string, sets: readonly PageSet[]): Promise<void> {
  const judgements: Judgement[] = [];
  for (const set of sets) judgements.push(await judge.judge(set));
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

const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index));

const pages = {
  list: {
    goal: 'List all products with name, price and image',
    body: `<ul>${times(
      1_150,
      (index) =>
        `<li class="product card"><a href="/p/${index}"><img src="/i/${index}.jpg" alt=""></a><h3><a href="/p/${index}">Product number ${index}</a></h3><p class="price">£${index}.50</p><p class="text">${'A fine thing for every home and garden. '.repeat(5)}</p><span class="stock">In stock</span></li>`,
    ).join('')}</ul>`,
  },
  table: {
    goal: 'All stocks with symbol, company, price, change, volume and date',
    body: `<table><thead><tr><th>Symbol<th>Company<th>Price<th>Change<th>Volume<th>Date</thead><tbody>${times(
      3_200,
      (index) =>
        `<tr><td class="symbol"><a href="/q/S${index}">S${index}</a></td><td>Company number ${index} Limited</td><td>${index}.25</td><td>${(index % 7) - 3}.5%</td><td>${index * 1_000}</td><td>2026-11-${10 + (index % 20)}</td></tr>`,
    ).join('')}</table>`,
  },
};

/** The time of the processor, milliseconds, for reading a page of 500 kB in a new process and in a warm one. */
async function speed(): Promise<void> {
  const results = [];
  for (const [name, { goal, body }] of Object.entries(pages)) {
    const pool = createPagePool<AnalysisTask, Analysis>('#worker/service/builder/analyze-worker', {
      workers: 1,
    });
    const html = Buffer.from(`<!doctype html><title>Page</title><body><main><h1>All</h1>${body}</main>`);
    const used: number[] = [];
    for (let round = 0; round < 6; round++) {
      const start = process.cpuUsage();
      const page = {
        url: 'http://site.example/',
        status: 200,
        contentType: 'text/html',
        link: '',
        body: html,
      };
      await pool.parse({ page, goal }, new AbortController().signal);
      const { user, system } = process.cpuUsage(start);
      used.push((user + system) / 1_000);
    }
    await pool.close();
    const [cold = 0, ...warm] = used;
    results.push({
      page: `${name}, ${Math.round(html.length / 1_000)} kB`,
      'new process': ms(cold),
      'warm process': ms(median(warm)),
    });
  }
  print('Time of the processor for a large page', results);
}

const judge = await startJudge();
await report('Page sets that the rules were tuned on', tuning);
await report('Page sets that were held out', heldOut);
await report('Page sets of the second check', fresh);
await report('Page sets in the markup of platforms', platforms);
await report('Page sets of further kinds of sites', variety);
await report('Page sets with data in standard forms', standards);
await report('Page sets with labels of all kinds', labelled);
await report('Page sets with rows in groups', grouped);
await report('Page sets with texts of several parts', pieces);
await report('Page sets of cards, and of pages about one thing', cards);
await report('Page sets of labels, headers and dates around what they name', headed);
await report('Page sets with data as frameworks embed it', [...embedded, ...answers, ...linkedData]);
await report('Page sets in further languages, and drawn ratings', [...everywhere, ...regional]);
await report('Page sets of everyday sites', everyday);
await judge.close();
await speed();
