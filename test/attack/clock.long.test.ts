/** A PostgreSQL whose clock is wrong, as `npm run attack` tries it. Needs `dist/`. */
import { expect, it } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { tryFamily } from './attack.ts';
import { clock } from './clock.ts';

it.skipIf(!hasPostgres)(
  'a wrong clock of the database loses nothing and is paid for by nobody',
  { timeout: 300_000 },
  async () => {
    const { held, failures } = await tryFamily(clock);
    expect(failures).toEqual([]);
    expect(held).toBe(6);
  },
);
