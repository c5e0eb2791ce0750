import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { books } from '../../src/practice/sites/books.ts';
import { closeBoats, goal, startBoats } from '../support/boats.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import {
  connectProgram,
  type Environment,
  endPrograms,
  environmentOf,
  type Mode,
} from '../support/program.ts';
import { gate } from '../support/service.ts';

afterEach(async () => {
  await endPrograms();
  await closeBoats();
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
    await expect.poll(() => changes()).toBeGreaterThan(0);
    expect(await names()).toContain(tool);
    expect(Items.parse((await call(tool)).body).data.items).toMatchObject(truth.slice(0, 10));
    expect(Items.parse((await call(tool, { max_pages: 2 })).body).data.items).toMatchObject(
      truth.slice(0, 20),
    );
    expect((await call('get_job')).body).toMatchObject({ credits_spent_today: 27 });
  });

  it.each(eras)('is told what a page lacks, and builds what "next" found of it (%s)', async (_, mode) => {
    const { call, site } = await session(mode, { SVC_DATA_DIR: await temporaryFolder() });
    const failed = await call('request_build', {
      website_url: site('stations'),
      goal: 'List all stations with station, temperature and phone number',
      // An action of the practice sites reads this page.
      force: true,
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
    expect(failed.body).toMatchObject({ unmatched: ['phone_number'] });
    const guess = z.record(z.string(), z.unknown()).parse(JSON.parse(/\{.*\}/.exec(next)?.[0] ?? ''));
    // No call is ready, because the page has no phone numbers: the caller decides to do without them.
    const goal = 'List all stations with station and temperature';
    const again = { website_url: site('stations'), goal, choose: guess };
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
    const detail = await call('request_build', {
      website_url,
      preview: true,
      choose: { candidate: first?.id },
    });
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
    expect(
      await call('request_build', { website_url, preview: true, choose: { candidate: 'none' } }),
    ).toMatchObject({
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
    const { server, environment } = await startBoats(wait);
    const { call, names, changes } = await session(mode, { ...environment, SVC_WAIT_SECONDS: '5' });
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
    await expect.poll(() => changes()).toBeGreaterThan(0);
    expect(await names()).toContain(z.object({ tool: z.string() }).parse(ended.body).tool);
  });
});
