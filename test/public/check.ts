/**
 * Tries the actions over public sites for real, with the examples of their params: `npm run check:public`.
 * Not part of the tests, which never depend on the internet. Exits with 1 where an action failed or found nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { publicCatalogs } from '../../src/service/catalog/source.ts';
import { Fetcher } from '../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../src/service/recipes/runner.ts';
import { parsePool } from '../support/page-pools.ts';

const Parameters = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ examples: z.array(z.unknown()).optional() })),
  required: z.array(z.string()).optional(),
});

const fetcher = new Fetcher({ allowOrigins: [] });
const runner = new RecipeRunner({ fetcher, parsePool });
let failures = 0;
for (const catalog of publicCatalogs()) {
  for (const action of catalog.actions) {
    const { properties, required = [] } = Parameters.parse(action.parameters);
    const params = Object.fromEntries(required.map((name) => [name, properties[name]?.examples?.[0]]));
    const started = performance.now();
    const limits = { signal: new AbortController().signal, timeoutMs: 90_000 };
    let outcome: string;
    try {
      const { data } = await runner.run({ recipe: action.recipe, params }, limits);
      const filled = Object.values(data).filter((value) => value !== null).length;
      outcome = Array.isArray(data.items)
        ? `${data.items.length} items`
        : `${filled} of ${Object.keys(data).length} fields`;
      if (Array.isArray(data.items) && data.items.length === 0) failures += 1;
    } catch (error) {
      failures += 1;
      outcome = `FAILED: ${error instanceof Error ? error.message : 'unknown'}`;
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${action.action_id.padEnd(28)} ${seconds.padStart(5)} s  ${outcome}\n`);
    await delay(1_000);
  }
}
await fetcher.close();
process.exitCode = failures === 0 ? 0 : 1;
