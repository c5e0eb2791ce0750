/**
 * The hostile requests, results, schemas and words of `npm run attack`: each is refused, and holds the thread that serves everybody for
 * at most 100 ms of processor time. Needs `dist/`.
 */
import { expect, it } from 'vitest';
import { tryFamily } from './attack.ts';
import { names } from './names.ts';
import { bodies, json, paths } from './requests.ts';
import { results, schemas } from './services.ts';
import { wire } from './wire.ts';
import { words } from './words.ts';

it.each([bodies, json, paths, wire, results, schemas, words, names])(
  'every attack of the family $name is refused, and holds the process for less than 100 ms',
  { timeout: 300_000 },
  async (family) => {
    const { held, failures } = await tryFamily(family);
    expect(failures).toEqual([]);
    expect(held).toBeGreaterThan(10);
  },
);
