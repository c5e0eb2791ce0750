/** Builds through the spawned program and its own service, as an agent and as a person ask for them. Needs `dist/`. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { books } from '../../src/practice/sites/books.ts';
import { CatalogFile } from '../../src/service/catalogs/definition.ts';
import { ownPages } from '../service/builder/page-sets.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import {
  connectProgram,
  type Environment,
  endPrograms,
  environmentOf,
  type Mode,
  runProgram,
} from '../support/program.ts';
import { gate } from '../support/service.ts';
import { endTerminals, hasTerminal, runOnTerminal } from '../support/terminal.ts';
import { startWebServer } from '../support/web-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await endTerminals();
  await endPrograms();
  for (const close of closers.splice(0)) await close();
  await closeGateways();
});

const eras: [string, Mode][] = [
  ['the current revision', { pin: '2026-07-28' }],
  ['the older revisions', 'legacy'],
];

const Catalogs = z.object({ catalogs: z.array(z.object({ slug: z.string(), url: z.string() })) });
const Items = z.object({ data: z.object({ items: z.array(z.record(z.string(), z.unknown())) }) });
const Handle = z.object({ build_request: z.object({ id: z.string() }) });

/** One session of an agent: what it calls, what it hears meanwhile. */
async function session(mode: Mode, environment: Environment) {
  let changes = 0;
  const { client } = await connectProgram(mode, environment, {
    listChanged: {
      tools: {
        onChanged: () => {
          changes += 1;
        },
      },
    },
  });
  const steps: string[] = [];
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { structuredContent, isError } = await client.callTool(
      { name, arguments: args },
      { onprogress: ({ message }) => message !== undefined && steps.push(message) },
    );
    return { body: structuredContent ?? {}, isError: isError ?? false };
  };
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const description = async (tool: string) =>
    (await client.listTools()).tools.find(({ name }) => name === tool)?.description;
  const before = await names();
  const { catalogs } = Catalogs.parse((await call('browse_catalogs')).body);
  return {
    call,
    names,
    description,
    before,
    steps,
    changes: () => changes,
    site: (slug: string) => catalogs.find((catalog) => catalog.slug === slug)?.url ?? '',
  };
}

describe('an agent in one session', () => {
  it.each(eras)('asks for an action, sees it built, finds its tool and calls it (%s)', async (_, mode) => {
    const { call, names, before, steps, changes, site } = await session(mode, {
      SVC_DATA_DIR: await temporaryFolder(),
    });
    const request = {
      website_url: site('bookshop'),
      goal: 'List all books with title, author and price',
    };
    expect(await call('request_build', request)).toMatchObject({
      isError: true,
      body: { error: { code: 'ACTION_EXISTS' }, next: expect.stringContaining('force: true') },
    });
    const { body, isError } = await call('request_build', { ...request, force: true });
    const truth = books.map(({ title, author, price }) => ({ title, author, price }));
    expect(body).toMatchObject({
      status: 'success',
      credits_used: 25,
      build_request: { status: 'success', sample: truth.slice(0, 3) },
      params: { type: 'object', properties: { max_pages: { type: 'integer' } } },
    });
    expect(isError).toBe(false);
    // A client may drop what comes together with the answer: of a quick build not every step is heard.
    expect(steps).toContainEqual(
      expect.stringMatching(
        /^(Fetching the page|\d+ candidates? found|Testing the recipe|Publishing the action)$/,
      ),
    );
    const { tool } = z.object({ tool: z.string() }).parse(body);
    expect(before).not.toContain(tool);
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 5_000);
    expect(await names()).toContain(tool);
    expect(Items.parse((await call(tool)).body).data.items).toMatchObject(truth.slice(0, 10));
    expect(Items.parse((await call(tool, { max_pages: 2 })).body).data.items).toMatchObject(
      truth.slice(0, 20),
    );
    expect((await call('get_job')).body).toMatchObject({ credits_spent_today: 27 });
  });

  it.each(eras)('asks for what is not clear and follows "next" to the letter (%s)', async (_, mode) => {
    const { call, site } = await session(mode, { SVC_DATA_DIR: await temporaryFolder() });
    const failed = await call('request_build', {
      website_url: site('stations'),
      goal: 'List all stations with station, temperature and phone number',
    });
    expect(failed).toMatchObject({
      isError: true,
      body: {
        status: 'failed',
        error: { code: 'CHOICE_NEEDED' },
        credits_used: 0,
        error_type: 'CHOICE_NEEDED',
        candidates: expect.any(Array),
        build_request: { credits_charged: 0 },
        next: expect.stringContaining('refunded'),
      },
    });
    expect((await call('get_job')).body).toMatchObject({ credits_spent_today: 0 });

    const { next } = z.object({ next: z.string() }).parse(failed.body);
    const again = z.record(z.string(), z.unknown()).parse(JSON.parse(/\{.*\}/.exec(next)?.[0] ?? ''));
    const built = await call('request_build', again);
    expect(built.body).toMatchObject({
      status: 'success',
      build_request: { sample: [{ station: 'Holm Lighthouse', temperature: 8.4 }, {}, {}] },
    });
    const { choose } = z
      .object({ choose: z.object({ candidate: z.string(), fields: z.record(z.string(), z.string()) }) })
      .parse(again);
    const corrected = { ...choose, fields: { place: choose.fields.station } };
    expect((await call('request_build', { ...again, choose: corrected, force: true })).body).toMatchObject({
      status: 'success',
      build_request: { sample: [{ place: 'Holm Lighthouse' }, {}, {}] },
    });
  });

  it.each(eras)('looks at a page for free, chooses its columns and calls the tool (%s)', async (_, mode) => {
    const { call, site } = await session(mode, { SVC_DATA_DIR: await temporaryFolder() });
    const website_url = site('stations');
    const Preview = z.object({
      candidates: z.array(
        z.object({
          id: z.string(),
          columns: z.array(z.object({ id: z.string(), samples: z.array(z.string()) })),
        }),
      ),
      next: z.string(),
    });
    const seen = await call('request_build', { website_url, preview: true });
    expect(seen).toMatchObject({ isError: false, body: { page: { url: website_url } } });
    expect(JSON.stringify(seen.body).length).toBeLessThan(4_000);
    const { candidates, next } = Preview.parse(seen.body);
    const [first] = candidates;
    const detail = await call('request_build', { website_url, preview: { candidate: first?.id } });
    const [whole] = Preview.parse(detail.body).candidates;
    expect(whole?.columns.length).toBeGreaterThanOrEqual(first?.columns.length ?? 0);

    // The call that "next" names is complete; correcting it is enough.
    const example = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(/\{"website_url.*\}/.exec(next)?.[0] ?? ''));
    expect((await call('request_build', { ...example, force: true })).body).toMatchObject({
      status: 'success',
    });
    const column = whole?.columns.find(({ samples }) => samples.includes('Holm Lighthouse'))?.id ?? '';
    const fields = { place: column, initial: { column, match: '^(\\S)' } };
    const choose = { candidate: first?.id, fields };
    const chosen = await call('request_build', { website_url, preview: true, choose });
    expect(chosen.body).toMatchObject({ sample: [{ place: 'Holm Lighthouse', initial: 'H' }, {}, {}] });
    const wrong = { ...choose, fields: { place: 'c99' } };
    expect(await call('request_build', { website_url, preview: true, choose: wrong })).toMatchObject({
      isError: true,
      body: { error: { code: 'CHOICE_NEEDED', message: expect.stringContaining('no column c99') } },
    });
    const built = await call('request_build', {
      ...{ website_url, goal: 'Places by name', force: true, choose },
    });
    expect(built.body).toMatchObject({ status: 'success', credits_used: 25 });
    const { tool } = z.object({ tool: z.string() }).parse(built.body);
    expect(Items.parse((await call(tool)).body).data.items[0]).toEqual({
      place: 'Holm Lighthouse',
      initial: 'H',
    });
    // Two builds and one run were paid, no preview.
    expect((await call('get_job')).body).toMatchObject({ credits_spent_today: 51 });
    expect(await call('request_build', { website_url })).toMatchObject({
      isError: true,
      body: { error: { code: 'INVALID_PARAMS', issues: [{ path: 'goal' }] } },
    });
    expect(await call('request_build', { website_url, preview: { candidate: 'none' } })).toMatchObject({
      isError: true,
      body: { error: { code: 'NO_DATA_FOUND' } },
    });
  });

  it.each(eras)('is told what a service without previews and choices cannot do (%s)', async (_, mode) => {
    const upstream = await scriptedUpstream();
    const { call } = await session(mode, environmentOf(upstream, await temporaryFolder()));
    const website_url = 'https://new.example';
    const choose = { candidate: 't1', fields: { name: 'c1' } };
    for (const request of [{ preview: true }, { goal: 'List names', choose }])
      expect(await call('request_build', { website_url, ...request })).toMatchObject({
        isError: true,
        body: { error: { code: 'NOT_SUPPORTED' } },
      });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
  });

  it.each(eras)('gets a handle where its wait ends first, and goes on with it (%s)', async (_, mode) => {
    const { wait, open } = gate();
    const { server, environment } = await boats(wait);
    const { call, names, changes } = await session(mode, { ...environment, SVC_WAIT_SECONDS: '1' });
    const { body, isError } = await call('request_build', { website_url: server.origin, goal });
    expect(isError).toBe(false);
    expect(body).toMatchObject({
      status: 'pending',
      build_request: { steps: ['Fetching the page'] },
      next: expect.stringContaining('list_build_requests'),
    });
    const { id } = Handle.parse(body).build_request;
    open();
    const ended = await call('list_build_requests', { id, wait_seconds: 50 });
    expect(ended.body).toMatchObject({
      build_requests: [{ id, status: 'success', credits_charged: 25, sample: [{}, {}, {}] }],
      tool: expect.any(String),
      params: { type: 'object' },
    });
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 5_000);
    expect(await names()).toContain(z.object({ tool: z.string() }).parse(ended.body).tool);
  });
});

/** A site of the test's own, and a data folder whose service may fetch it. */
async function boats(ready: () => Promise<void> = async () => undefined) {
  const page = await readFile(join(ownPages, 'boats.html'));
  const server = await startWebServer(async ({ path }, response) => {
    if (path === '/robots.txt') return response.writeHead(404).end();
    await ready();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  closers.push(() => server.close());
  const folder = await temporaryFolder();
  const environment = { SVC_DATA_DIR: folder, SVC_SERVICE_ALLOW_ORIGINS: server.origin };
  return {
    server,
    folder,
    environment,
    build: (...args: string[]) => runProgram(['build', server.origin, ...args], environment),
  };
}
const goal = 'List all boats with name and price';

describe('svc-mcp build', { timeout: 90_000 }, () => {
  it('shows steps, sample rows, the tool, its price and its params; the tool runs', async () => {
    const { build, environment } = await boats();
    const { code, stdout, stderr } = await build(goal);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Requesting a build \(25 credits\)\n(.+\n)+/);
    expect(stdout).toMatch(/NAME +PRICE/);
    expect(stdout).toMatch(/Albatross +10/);
    expect(stdout).toContain('Paid: 25 credits');
    const tool = /^Built (\S+), 1 credit a call/m.exec(stdout)?.[1] ?? '';
    expect(stdout).toContain(`svc-mcp call ${tool}`);
    const called = await runProgram(['call', tool, '--json'], environment);
    expect(JSON.parse(called.stdout)).toMatchObject({
      data: { count: 4, items: [{ name: 'Albatross' }, {}, {}, {}] },
    });
    const exists = await build('Get the boats: name, price');
    expect(exists).toMatchObject({ code: 1, stdout: '' });
    expect(exists.stderr).toContain(tool);
    expect(exists.stderr).toContain('--force');
    const json = await build(goal, '--force', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'success', tool: expect.any(String) });
  });

  it('says that a choice is needed, that it cost nothing and how to choose', async () => {
    const { build, environment } = await boats();
    const { code, stdout, stderr } = await build('List all boats with engine power, owner and berth');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('CHOICE_NEEDED');
    expect(stderr).toContain('25 credits were refunded');
    expect(stderr).toMatch(/^c\d+ .*Albatross/m);
    const guess = /--choose '(.*)'$/m.exec(stderr)?.[1] ?? '';
    const { candidate } = z.object({ candidate: z.string() }).parse(JSON.parse(guess));
    const column = /^(c\d+) .*Albatross/m.exec(
      stderr.slice(stderr.search(new RegExp(`^${candidate}: `, 'm'))),
    )?.[1];
    const choice = JSON.stringify({ candidate, fields: { vessel: column } });
    const chosen = await build('List all boats with engine power', '--choose', choice);
    expect(chosen).toMatchObject({ code: 0, stdout: expect.stringMatching(/VESSEL\s+Albatross/) });
    expect(await build(goal, '--choose', '{candidate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--choose is not JSON'),
    });
    const json = await build('List all boats with engine power, owner and berth', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'failed',
      credits_used: 0,
      candidates: expect.any(Array),
      build_request: { choose: { candidate: expect.any(String) } },
    });
    expect((await runProgram(['jobs'], environment)).stdout).toContain('25 credits spent today');
  });

  it('saves recipes of a site in one file, which another data folder runs', async () => {
    const { build, folder, environment } = await boats();
    const file = join(folder, 'boats.json');
    expect(await build(goal, '--save', file)).toMatchObject({ code: 0 });
    expect(await build('List all boats with link and price', '--save', file, '--force')).toMatchObject({
      code: 0,
    });
    const { actions } = CatalogFile.parse(JSON.parse(await readFile(file, 'utf8')));
    expect(actions.map(({ name }) => name)).toEqual([goal, 'List all boats with link and price']);
    const other = { ...environment, SVC_DATA_DIR: await temporaryFolder() };
    await mkdir(join(other.SVC_DATA_DIR, 'catalogs'));
    await rename(file, join(other.SVC_DATA_DIR, 'catalogs', 'boats.json'));
    const run = { action_id: actions[0]?.action_id, params: {} };
    const { stdout, code } = await runProgram(['call', 'run_action', JSON.stringify(run), '--json'], other);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      data: { items: [{ name: 'Albatross', price: 10 }, {}, {}, {}] },
    });
  });

  it('refuses a file it could not write before anything is paid', async () => {
    const { build, folder, environment, server } = await boats();
    await writeFile(join(folder, 'notes.json'), '{"my": "notes"}');
    await writeFile(
      join(folder, 'other.json'),
      JSON.stringify({
        ...{ slug: 'other', name: 'Other', url: 'https://other.example', category: 'x', description: '' },
        actions: [
          {
            ...{ action_id: 'a', name: 'A', credits_per_call: 1 },
            parameters: { type: 'object', properties: {} },
            recipe: { request: { url: 'https://other.example/' }, extract: { kind: 'article' } },
          },
        ],
      }),
    );
    for (const [file, reason] of [
      ['notes.json', 'is not a catalog'],
      ['other.json', 'a catalog is one site'],
      ['no/such/folder.json', 'cannot be written'],
    ]) {
      const refused = await build(goal, '--save', join(folder, file ?? ''));
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason ?? '') });
    }
    const upstream = await scriptedUpstream();
    const remote = await runProgram(
      ['build', server.origin, goal, '--save', join(folder, 'new.json')],
      environmentOf(upstream, folder),
    );
    expect(remote).toMatchObject({ code: 2, stderr: expect.stringContaining('embedded service') });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
    expect((await runProgram(['jobs'], environment)).stdout).toContain('0 credits spent today');
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('{"my": "notes"}');
  });

  it('works with a remote service, and waits on where it takes longer than one call', async () => {
    const upstream = await scriptedUpstream();
    const environment = { ...environmentOf(upstream, await temporaryFolder()), SVC_WAIT_SECONDS: '1' };
    const running = runProgram(
      ['build', 'https://new.example', 'List prices', '--visibility', 'public'],
      environment,
    );
    await upstream.waitForRequests('listBuildRequests', 9);
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '', {
      action_id: 'new-prices',
      catalog_slug: 'new',
      credits: 2,
    });
    expect(await running).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Built new-prices, 2 credits a call.'),
    });
    expect(upstream.requestsTo('requestBuild')[0]?.body).toMatchObject({ visibility: 'public' });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });
});

describe('svc-mcp build --preview', { timeout: 90_000 }, () => {
  it('shows what the page offers, all columns of one and the rows of a choice, for free', async () => {
    const { build, environment } = await boats();
    const overview = await build('--preview');
    expect(overview.code).toBe(0);
    expect(overview.stdout).toMatch(/^Boats \(http:/);
    expect(overview.stdout).toMatch(/^r1: repeated records .*4 rows\nCOLUMN +LABEL +KIND +SAMPLES\nc1 /m);
    expect(overview.stdout).not.toContain('\u001b');
    const choose = /--choose '(.*)'$/m.exec(overview.stdout)?.[1] ?? '';
    expect(JSON.parse(choose)).toMatchObject({ candidate: 'r1' });

    const one = await build('List boats', '--preview', 'p1', '--json');
    expect(JSON.parse(one.stdout)).toMatchObject({ candidates: [{ id: 'p1' }] });
    const rows = await build('--preview', '--choose', '{"candidate": "r1", "fields": {"boat": "c1"}}');
    expect(rows.stdout).toMatch(/^BOAT\nAlbatross\nBarnacle\nCormorant$/m);
    const wrong = await build('--preview', '--choose', '{"candidate": "r1", "fields": {"boat": "c9"}}');
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no column c9') });
    expect((await runProgram(['jobs'], environment)).stdout).toContain('0 credits spent today');
  });

  it('asks nothing without a terminal, and says what is wrong with the command', async () => {
    const { build } = await boats();
    expect(await build()).toMatchObject({ code: 2, stderr: expect.stringContaining('a goal is missing') });
    expect(await build('--preview', 'List boats')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('put the goal before it'),
    });
    expect(await build(goal, '--choose', '{"candidate": "r1"}')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose.fields'),
    });
  });

  it('says that a remote service has none', async () => {
    const upstream = await scriptedUpstream();
    const environment = environmentOf(upstream, await temporaryFolder());
    const { code, stderr } = await runProgram(['build', 'https://new.example', '--preview'], environment);
    expect(code).toBe(1);
    expect(stderr).toContain('NOT_SUPPORTED: This service has no previews');
  });
});

const price = 'Build it for 25 credits, refunded if the build fails? [y/N] ';

describe.skipIf(!hasTerminal)('svc-mcp build on a terminal', { timeout: 90_000 }, () => {
  it('shows the candidates, asks for columns and names, shows rows, and builds after the price', async () => {
    const { server, environment } = await boats();
    const person = runOnTerminal(['build', server.origin], environment);
    await person.answer('Which candidate? [r1] ', 'r7');
    await person.answer('There is no candidate r7', '');
    await person.answer('Columns (b: back to the candidates) [c1=c1 c2=c2 price=c3] ', 'boat=c1 cost=c44');
    await person.answer('candidate r1 has no such column', 'boat!=c1');
    await person.answer('is not a field name; use up to 64 letters, digits and _', 'boat=c1, c3');
    await person.answer('What does the action do? [List boat, price] ', 'Boats for sale');
    await person.answer(price, 'n');
    await person.answer('Choose other columns? [y/N] ', 'y');
    await person.answer('Which candidate? [r1] ', 'r1');
    await person.answer('Columns (b: back to the candidates) [boat=c1 price=c3] ', 'vessel=c1');
    await person.answer(price, 'y');
    expect(await person.exited).toEqual([0, null]);
    const shown = person.output();
    expect(shown).toMatch(/COLUMN +LABEL +KIND +SAMPLES/);
    expect(shown).toMatch(/BOAT +PRICE +PRICE_CURRENCY\s+Albatross +10 +GBP\s/);
    expect(shown).toMatch(
      /Publishing the action[\s\S]*VESSEL\s+Albatross\s[\s\S]*Built \S+, 1 credit a call\./,
    );
    expect((await runProgram(['jobs'], environment)).stdout).toContain('25 credits spent today');
  });

  it('lets the service match a goal, then offers its guess, and builds beside a similar action', async () => {
    const { server, environment } = await boats();
    const words = 'List all boats with name and engine power';
    const person = runOnTerminal(['build', server.origin, words], environment);
    await person.answer('Enter: let the service match the goal) ', '');
    await person.answer(price, 'y');
    await person.answer('CHOICE_NEEDED', '');
    await person.answer('Columns (b: back to the candidates) ', 'name=c1');
    await person.answer(price, 'yes');
    expect(await person.exited).toEqual([0, null]);
    expect(person.output()).toContain('Paid: nothing. The 25 credits were refunded.');

    const again = runOnTerminal(['build', server.origin, 'List boats with name'], environment);
    await again.answer('Enter: let the service match the goal) ', '');
    await again.answer(price, 'y');
    await again.answer('Build another one? [y/N] ', 'y');
    expect(await again.exited).toEqual([0, null]);
    expect((await runProgram(['jobs'], environment)).stdout).toContain('50 credits spent today');
  });

  it('pays nothing where the person says no or leaves; a whole order and --yes ask nothing', async () => {
    const { server, environment } = await boats();
    const refused = runOnTerminal(['build', server.origin, goal], environment);
    await refused.answer('Enter: let the service match the goal) ', '');
    await refused.answer(price, '');
    expect(await refused.exited).toEqual([1, null]);
    const left = runOnTerminal(['build', server.origin], environment);
    await left.answer('Which candidate? ', '\u0003');
    expect(await left.exited).toEqual([1, null]);
    expect(left.output()).toContain('Stopped: nothing was sent');
    expect((await runProgram(['jobs'], environment)).stdout).toContain('0 credits spent today');

    const choose = '{"candidate": "r1", "fields": {"boat": "c1"}}';
    const whole = runOnTerminal(['build', server.origin, goal, '--choose', choose], environment);
    expect(await whole.exited).toEqual([0, null]);
    const yes = runOnTerminal(['build', server.origin, goal, '--force', '--yes'], environment);
    expect(await yes.exited).toEqual([0, null]);
  });
});
