/** A stored session as a browser takes it. */
import { expect, it } from 'vitest';
import { toStorageState } from '../../../src/service/fetch/session-state.ts';

const cookie = { key: 'sid', value: 'v', domain: 'shop.example' };

it.each<[stored: object, taken: object]>([
  [
    {},
    {
      name: 'sid',
      value: 'v',
      domain: '.shop.example',
      path: '/',
      expires: -1,
      httpOnly: false,
      secure: false,
    },
  ],
  [{ hostOnly: true }, { domain: 'shop.example' }],
  [
    { hostOnly: false, path: '/in', httpOnly: true },
    { domain: '.shop.example', path: '/in', httpOnly: true },
  ],
  [{ expires: '2030-01-01T00:00:00.000Z' }, { expires: 1_893_456_000 }],
  [{ expires: 'Infinity' }, { expires: -1 }],
  [
    { secure: true, sameSite: 'none' },
    { secure: true, sameSite: 'None' },
  ],
  [{ secure: true, sameSite: 'strict' }, { sameSite: 'Strict' }],
  [{ secure: true, sameSite: 'other' }, { sameSite: 'Lax' }],
  // A browser refuses it without `secure`.
  [{ sameSite: 'none' }, { secure: false, sameSite: 'Lax' }],
])('a cookie with %j', (stored, taken) => {
  const { cookies } = toStorageState(JSON.stringify({ cookies: [{ ...cookie, ...stored }] }));
  expect(cookies).toMatchObject([taken]);
});
