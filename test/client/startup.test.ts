/** What the client costs a start that sends nothing. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('undici is not loaded before the first request', async () => {
  const script = `
    import { createRequire } from 'node:module';
    const { createHttpClient } = await import('./src/client/http-client.ts');
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('undici'));
    const api = createHttpClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
    const before = loaded();
    await api.search({}).catch(() => undefined);
    process.stdout.write(JSON.stringify({ before, after: loaded() }));
  `;
  const node = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, node);
  expect(JSON.parse(stdout)).toEqual({ before: false, after: true });
});
