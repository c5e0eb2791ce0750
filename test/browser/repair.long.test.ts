/** What a person sees of a repair before it is paid for: the rows before and after, side by side. */
import { afterAll, describe, expect, it } from 'vitest';
import { createBuilder } from '../../src/service/builder/builder.ts';
import { Fetcher } from '../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../src/service/recipes/runner.ts';
import { closeBrowser, hasBrowser, openPage } from '../support/browser.ts';
import { analysisPool, parsePool } from '../support/page-pools.ts';
import { type Json, startTestService } from '../support/service.ts';
import { startWebServer } from '../support/web-server.ts';

const closers: (() => Promise<unknown> | undefined)[] = [closeBrowser];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const boats = ['Albatross', 'Bittern', 'Curlew', 'Dunlin', 'Egret', 'Fulmar'];
const before = boats.map(
  (name, at) => `<li class="boat"><h3>${name}</h3><b class="price">£${at + 7}</b></li>`,
);
const after = boats.map(
  (name, at) =>
    `<li class="card"><em class="deposit">£${30 + at * 2}</em><h4>${name}</h4><i class="fee">£${at + 7}</i></li>`,
);

async function start() {
  let rows = before;
  const web = await startWebServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>Boats</title><ul>${rows.join('')}</ul>`),
  );
  const fetcher = new Fetcher({ allowOrigins: [web.origin] });
  const runner = new RecipeRunner({ fetcher, parsePool });
  const builder = createBuilder({ fetcher, runner, pool: analysisPool });
  const service = await startTestService({ runner, builder, allowedOrigins: [web.origin] });
  closers.push(
    () => web.close(),
    () => fetcher.close(),
    () => service.close(),
  );
  const builds = async () => (await service.call('GET', '/build-requests')).body.build_requests as Json[];
  await service.call('POST', '/build-request', {
    website_url: `${web.origin}/boats`,
    goal: 'List boats with name and price',
  });
  await expect.poll(async () => (await builds())[0]?.status, { timeout: 30_000 }).toBe('success');
  const id = String((await builds())[0]?.action_id);
  const { body } = await service.call('POST', '/task', { action_id: id, params: {} });
  await service.finished(body.job_id);
  return {
    service,
    id,
    builds,
    change: () => {
      rows = after;
    },
  };
}

describe.skipIf(!hasBrowser)('the repair of an action', () => {
  it('shows both versions of its rows beside each other, and below each other on a phone', async () => {
    const { service, id, builds, change } = await start();
    change();
    const page = await openPage({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(15_000);
    await page.goto(service.baseUrl);
    await page.getByLabel('API key').fill(service.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${service.baseUrl}/console/actions/${id}/repair`);
    const boxOf = async (name: string) => {
      const box = await page.getByRole('heading', { name, exact: true }).boundingBox();
      if (box === null) throw new Error(`${name} is not shown`);
      return box;
    };
    expect((await boxOf('Before')).y).toBe((await boxOf('After')).y);
    for (const caption of ['Rows before', 'Rows after']) {
      const table = page.getByRole('region', { name: caption }).or(page.getByLabel(caption)).first();
      expect(await table.textContent()).toMatch(/Albatross\s*7/);
    }
    await page.setViewportSize({ width: 400, height: 900 });
    expect((await boxOf('Before')).y).toBeLessThan((await boxOf('After')).y);
    await page.getByRole('button', { name: 'Repair for 25 credits' }).click();
    await expect.poll(async () => (await builds())[0]?.status, { timeout: 30_000 }).toBe('success');
    const { body } = await service.call('POST', '/task', { action_id: id, params: {} });
    const { data } = await service.finished(body.job_id);
    expect(data).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ name: 'Albatross', price: 7 })]),
    });
  }, 120_000);
});
