/** Cancelled requests on a stream that stays open, as `npm run attack` tries them. Needs `dist/`. */
import { expect, it } from 'vitest';
import { tryFamily } from './attack.ts';
import { streams } from './streams.ts';

it('the program keeps nothing of cancelled requests', { timeout: 300_000 }, async () => {
  expect(await tryFamily(streams)).toEqual({ held: 1, failures: [] });
});
