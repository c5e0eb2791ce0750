/** `svc-mcp build` without a terminal, through the spawned program and its own service. Needs `dist/`. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CatalogFile } from '../../src/service/catalog/definition.ts';
import { closeBoats, goal, startBoats } from '../support/boats.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { endPrograms, environmentOf, runProgram } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(async () => {
  await endPrograms();
  await closeBoats();
  await closeGateways();
});

describe('svc-mcp build', { timeout: 90_000 }, () => {
  it('shows steps, sample rows, the tool, its price and its params; the tool runs', async () => {
    const { build, environment } = await startBoats();
    const { code, stdout, stderr } = await build(goal);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Requesting a build \(25 credits\)\n(.+\n)+/);
    expect(stdout).toMatch(/NAME +PRICE/);
    expect(stdout).toMatch(/Albatross +10/);
    expect(stdout).toContain('Paid: 25 credits');
    const tool = /^Built (\S+), 1 credit a call/m.exec(stdout)?.[1] ?? '';
    expect(stdout).toContain(`svc-mcp call ${tool}`);
    const called = await runHere(['call', tool, '--json'], environment);
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
    const { build, environment } = await startBoats();
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
    const json = await build('List all boats with engine power, owner and berth', '--force', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'failed',
      credits_used: 0,
      candidates: expect.any(Array),
      // No column speaks for these words, so nothing is guessed.
      build_request: expect.not.objectContaining({ choose: expect.anything() }),
    });
    expect((await runHere(['jobs'], environment)).stdout).toContain('25 credits spent today');
  });

  it('saves recipes of a site in one file, which another data folder runs', async () => {
    const { build, folder, environment } = await startBoats();
    const file = join(folder, 'boats.json');
    expect(await build(goal, '--save', file)).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('Run it'),
      stderr: expect.stringContaining('boats.json, and nowhere else'),
    });
    expect(await build('List all boats with link and price', '--save', file, '--force')).toMatchObject({
      code: 0,
    });
    const { actions } = CatalogFile.parse(JSON.parse(await readFile(file, 'utf8')));
    // The file is their only home.
    const list = await runHere(['service', 'builds', 'list', '--json'], environment);
    expect(JSON.parse(list.stdout)).toEqual({ builds: [] });
    expect(actions.map(({ name }) => name)).toEqual([
      expect.stringMatching(/name, price$/),
      expect.stringMatching(/link, price$/),
    ]);
    const other = { ...environment, SVC_DATA_DIR: await temporaryFolder() };
    await mkdir(join(other.SVC_DATA_DIR, 'catalogs'));
    await rename(file, join(other.SVC_DATA_DIR, 'catalogs', 'boats.json'));
    const run = { action_id: actions[0]?.action_id, params: {} };
    const { stdout, code } = await runHere(['call', 'run_action', JSON.stringify(run), '--json'], other);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      data: { items: [{ name: 'Albatross', price: 10 }, {}, {}, {}] },
    });
  });

  it('refuses a file it could not write before anything is paid', async () => {
    const { build, folder, environment, server } = await startBoats();
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
    expect((await runHere(['jobs'], environment)).stdout).toContain('0 credits spent today');
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
    const { build, environment } = await startBoats();
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
    expect((await runHere(['jobs'], environment)).stdout).toContain('0 credits spent today');
  });

  it('asks nothing without a terminal, and says what is wrong with the command', async () => {
    const { build } = await startBoats();
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
    const { code, stderr } = await runHere(['build', 'https://new.example', '--preview'], environment);
    expect(code).toBe(1);
    expect(stderr).toContain('NOT_SUPPORTED: This service has no previews');
  });
});
