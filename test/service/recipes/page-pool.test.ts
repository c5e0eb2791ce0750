/** The processes in which pages are read, shared by users and by kinds of work. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  createPageProcesses,
  type PageProcesses,
  type ParsePool,
} from '../../../src/service/recipes/page-pool.ts';

const toPage = (html: string) => ({
  url: 'http://x.example/',
  status: 200,
  contentType: 'text/html',
  link: '',
  body: Buffer.from(html),
});
const fine = { page: toPage('<p>fine</p>'), tests: [{ select: 'p' }] };
/** Ends by a deadline only. */
const endless = {
  page: toPage(`<p>${'a'.repeat(60)}!</p>`),
  extract: { kind: 'html', fields: { a: { type: 'text', select: 'p', match: '^(?=a)(a+)+$' } } },
} as const;

let processes: PageProcesses;
afterEach(() => processes.close());

describe('a user whose pages never end', () => {
  it("holds up neither another user's pages nor more than a bounded number of its own", async () => {
    processes = createPageProcesses({ deadlineMs: 60_000 });
    const pool: ParsePool = processes.for('extract');
    const callers = Array.from({ length: 60 }, () => new AbortController());
    const outcomes = callers.map((caller) =>
      pool.parse(endless, caller.signal, 'greedy').catch((error: Error) => error.message),
    );
    expect(await Promise.race(outcomes)).toContain('Too many pages of this user');
    const { signal } = new AbortController();
    expect((await pool.parse(fine, signal, 'other')).tests).toEqual([true]);
    for (const caller of callers) caller.abort(new Error('left'));
    const messages = await Promise.all(outcomes);
    expect(messages.filter((message) => message === 'left')).toHaveLength(52);
  });
});

it('the pages of builds take one process at a time, so that runs go on', async () => {
  processes = createPageProcesses();
  const builds = processes.for<object, object>('candidates');
  const runs: ParsePool = processes.for('extract');
  const page = toPage(`<ul>${'<li><a href="/a">A name</a> <b>3 €</b></li>'.repeat(20)}</ul>`);
  const { signal } = new AbortController();
  const analyses = ['one', 'two', 'three'].map((user) => builds.parse({ page, goal: 'names' }, signal, user));
  expect((await runs.parse(fine, signal, 'one')).tests).toEqual([true]);
  expect(await Promise.all(analyses)).toHaveLength(3);
});
