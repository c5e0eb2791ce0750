/** An agent's errands on the practice sites, with the characters that it reads for each. Needs `dist/`. */
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms } from '../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const Completed = z.looseObject({
  status: z.literal('completed'),
  job_id: z.string(),
  credits_used: z.number(),
  data: z.unknown(),
});
const Usage = z.looseObject({
  today: z.looseObject({ spent: z.number(), budget_left: z.number() }),
  balance: z.number(),
});
const lastPart = (address: string) => new URL(address).pathname.split('/').at(-1) ?? '';

/** An agent that sees nothing but the text of answers. */
async function startAgent() {
  const { client } = await connectProgram('auto', {
    SVC_DATA_DIR: await temporaryFolder(),
    SVC_MAX_CREDITS_PER_DAY: '100',
    // What a person would type on the sign-in page.
    SVC_LOGIN_PARAMS: 'allow',
  });
  let charsRead = 0;
  const ask = async (name: string, args: object) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const { text } = z.looseObject({ text: z.string() }).parse(Object(content)[0]);
    expect(isError ?? false, text).toBe(false);
    const answer: unknown = JSON.parse(text);
    charsRead += text.length;
    return { answer, chars: text.length };
  };
  /** One paid call whose data has the form. */
  const run = async <Data>(tool: string, args: object, form: z.ZodType<Data>) => {
    const { answer, chars } = await ask(tool, args);
    const { data, ...job } = Completed.parse(answer);
    return { ...job, data: form.parse(data), chars };
  };
  return { ask, run, charsRead: () => charsRead };
}

it('an agent gets eight answers from the practice sites in few characters', async () => {
  const { ask, run, charsRead } = await startAgent();
  const everything = { max_pages: 5 };

  const cheapest = await run(
    'bookshop_list_books',
    {
      ...everything,
      category: 'Travel',
      select: 'sort_by(items[?in_stock], &price)[0].{title: title, price: price, currency: currency}',
    },
    z.object({ title: z.string(), price: z.number(), currency: z.string() }),
  );
  expect(cheapest.data).toEqual({ title: 'The Voyage of the Beagle', price: 6.5, currency: 'GBP' });
  expect(cheapest).toMatchObject({ credits_used: 1 });
  expect(cheapest.chars).toBeLessThan(400);

  const shelf = await run(
    'bookshop_list_books',
    {
      ...everything,
      select: '{books: length(items), good: length(items[?rating >= `4`]), mean: avg(items[].price)}',
    },
    z.object({ books: z.number(), good: z.number(), mean: z.number() }),
  );
  expect(shelf.data).toMatchObject({ books: 43, good: 17 });
  expect(shelf.data.mean).toBeCloseTo(19.23, 2);
  expect(shelf.credits_used).toBe(1);
  expect(shelf.chars).toBeLessThan(1_000);

  const windiest = await run(
    'stations_latest',
    { select: 'max_by(items, &wind_kmh)' },
    z.looseObject({ station: z.string(), wind_kmh: z.number(), url: z.url() }),
  );
  expect(windiest.data).toMatchObject({ station: 'Kestrel Crag', wind_kmh: 88.3 });
  const warmest = await run(
    'stations_readings',
    { station: lastPart(windiest.data.url), select: 'max_by(items, &high).{date: date, high: high}' },
    z.object({ date: z.iso.date(), high: z.number() }),
  );
  expect(windiest.chars + warmest.chars).toBeLessThan(800);
  const days = await ask('get_job', { job_id: warmest.job_id, select: 'items[].high' });
  const { data: highs } = Completed.extend({ data: z.array(z.number()) }).parse(days.answer);
  expect(warmest.data.high).toBe(Math.max(...highs));

  const accounts = { home: 'demo', club: 'demo2' };
  for (const [identity_name, username] of Object.entries(accounts)) {
    const params = { username, password: 'demo' };
    await ask('login', { catalog: 'members', identity_name, params });
  }
  const Orders = z.object({ orders: z.array(z.string()), total: z.number() });
  const select = '{orders: items[].order, total: sum(items[].total)}';
  const home = await run('members_orders', { identity: 'home', select }, Orders);
  const club = await run('members_orders', { identity: 'club', select }, Orders);
  expect(home).toMatchObject({
    account: 'home',
    data: { orders: ['R-1042', 'R-1017', 'R-1066'], total: 62.6 },
  });
  expect(club).toMatchObject({ account: 'club', data: { orders: ['R-1051', 'R-1070'], total: 75 } });
  // Without a choice the answer names the account it is of.
  const byDefault = await run('members_orders', { select }, Orders);
  expect(byDefault).toMatchObject({ account: 'home', data: home.data });
  expect(home.chars + club.chars).toBeLessThan(500);

  const usage = await ask('get_usage', {});
  const spent = Usage.parse(usage.answer);
  // A repeat within 100 ms of its answer joins it: then the third run of members_orders cost nothing.
  expect([11, 9]).toContain(spent.today.spent);
  expect(spent.today.spent + spent.today.budget_left).toBe(100);
  expect(usage.chars).toBeLessThan(850);

  // The first answer is lost: found in the list, and read whole.
  const list = await ask('get_job', { limit: 10 });
  const { jobs } = z
    .looseObject({ jobs: z.array(z.looseObject({ job_id: z.string(), account: z.string().optional() })) })
    .parse(list.answer);
  expect(jobs.map(({ job_id }) => job_id)).toContain(cheapest.job_id);
  expect(jobs.find(({ job_id }) => job_id === club.job_id)).toMatchObject({ account: 'club', credits: 2 });
  expect(list.chars).toBeLessThan(2_500);
  const again = Completed.parse((await ask('get_job', { job_id: cheapest.job_id })).answer);
  expect(again).toMatchObject({
    credits_used: 0,
    data: { items: expect.any(Array), total: expect.any(Number) },
  });

  const shown = await ask('get_job', { job_id: shelf.job_id, select: 'items[:20].url' });
  const { data: addresses } = Completed.extend({ data: z.array(z.url()).length(20) }).parse(shown.answer);
  const looked = await ask('run_action', {
    action_id: 'bookshop_book_details',
    batch: addresses.map((address) => ({ book: lastPart(address) })),
    select: '{title: title, price: price}',
  });
  const { rows } = z
    .looseObject({
      credits_used: z.literal(20),
      rows: z
        .array(
          z.looseObject({
            status: z.literal('completed'),
            params: z.object({ book: z.string() }),
            data: z.object({ title: z.string(), price: z.number() }),
          }),
        )
        .length(20),
    })
    .parse(looked.answer);
  expect(rows.map(({ params }) => params.book)).toEqual(addresses.map(lastPart));
  expect(looked.chars).toBeLessThan(5_000);

  // Reading was free; what is spent and what is left add up.
  const after = Usage.parse((await ask('get_usage', {})).answer);
  const { today } = spent;
  expect(after.today).toMatchObject({ spent: today.spent + 20, budget_left: today.budget_left - 20 });
  expect(after.balance).toBe(spent.balance - 20);
  expect(charsRead()).toBeLessThan(15_000);
}, 60_000);
