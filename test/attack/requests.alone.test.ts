/**
 * The hostile requests, results and schemas of `npm run attack`: each is refused, and holds the thread that serves everybody for
 * at most 100 ms of processor time. Needs `dist/`.
 */
import { expect, it } from 'vitest';
import { tryFamily } from './attack.ts';
import { bodies, json, paths } from './requests.ts';
import { results, schemas } from './services.ts';

it.each([bodies, json, paths, results, schemas])(
  'every attack of the family $name is refused, and holds the process for less than 100 ms',
  { timeout: 300_000 },
  async (family) => {
    const { held, failures } = await tryFamily(family);
    expect(failures).toEqual([]);
    expect(held).toBeGreaterThan(10);
  },
);
