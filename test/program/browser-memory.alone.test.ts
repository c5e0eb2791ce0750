/** A page that takes all memory, through the spawned program and its own service. Needs `dist/` and Chromium. */
import { afterEach, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { connectProgram, endPrograms } from '../support/program.ts';
import { Done, Failed, openScriptShop } from '../support/script-shop.ts';

afterEach(endPrograms);

describe.skipIf(!hasBrowser)('a page that misbehaves', () => {
  it('fails its job with a refund where it takes all memory; windows it cannot open, nor close the browser', {
    timeout: 120_000,
  }, async () => {
    const { environment } = await openScriptShop({ SVC_WAIT_SECONDS: '90' });
    const { client } = await connectProgram('legacy', environment);
    const call = async (name: string) =>
      (await client.callTool({ name, arguments: {} }, { timeout: 100_000 })).structuredContent;
    expect(Failed.parse(await call('shop_memory')).error.message).toContain('too much memory');
    for (const name of ['shop_tabs', 'shop_closes'])
      expect(Done.parse(await call(name)).data.items).toMatchObject([{ name: 'lamp' }]);
    expect(Done.parse(await call('shop_first')).data.items).toHaveLength(2);
    expect(await call('get_usage')).toMatchObject({ today: { spent: 6 } });
  });
});
