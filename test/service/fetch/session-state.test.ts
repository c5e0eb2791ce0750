/** A session as it is stored, and as a browser gives and takes it. */
import fc from 'fast-check';
import { CookieJar } from 'tough-cookie';
import { describe, expect, it } from 'vitest';
import {
  fromStorageState,
  type StorageState,
  toStorageState,
} from '../../../src/service/fetch/session-state.ts';
import { BrowserError } from '../../../src/service/foundation/errors.ts';
import { browserCookie } from '../../support/sign-in-browser.ts';

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

const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
const addresses = ['https://www.shop.example/', 'https://www.shop.example/sign-in'];
const stateOf = (cookies: StorageState['cookies'], origins: StorageState['origins'] = []) => ({
  cookies,
  origins,
});
/** The `Cookie` header that a site would get. */
const sentTo = (cookies: string, address: string) =>
  CookieJar.deserializeSync(cookies).getCookieStringSync(address);

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
const arbitraryCookie = fc.record({
  name: fc
    .string({ unit: fc.constantFrom(...letters, ..."-_.!#$%&'*+^`|~"), minLength: 1, maxLength: 30 })
    .filter((text) => !/^__(Host|Secure)-/i.test(text)),
  value: fc.string({ unit: fc.constantFrom(...letters, ...'-_.=/+:%!"{}[]()<>@?,'), maxLength: 60 }),
  domain: fc.constantFrom('shop.example', '.shop.example', 'www.shop.example', 'login.shop.example'),
  path: fc.constantFrom('/', '/account', '/a/b'),
  secure: fc.boolean(),
  httpOnly: fc.boolean(),
  expires: fc.oneof(fc.constant(-1), fc.integer({ min: tomorrow, max: tomorrow + 10 ** 7 })),
  sameSite: fc.constant('Lax' as const),
});
/** Of two cookies of the same place only one can be in a browser. */
const arbitraryCookies = fc.uniqueArray(arbitraryCookie, {
  minLength: 1,
  maxLength: 20,
  selector: ({ name, domain, path }) => [name, domain.replace(/^\./, ''), path].join(' '),
});

describe('what a browser has of the site', () => {
  it('is kept and given back as it was: each cookie with its value, its reach and its end', () => {
    fc.assert(
      fc.property(arbitraryCookies, (cookies) => {
        const kept = fromStorageState(stateOf(cookies), addresses);
        expect([kept.count, kept.leftOut]).toEqual([cookies.length, 0]);
        const given = toStorageState(kept.cookies).cookies;
        expect(given).toHaveLength(cookies.length);
        expect(given).toEqual(expect.arrayContaining(cookies));
      }),
      { numRuns: 60 },
    );
  });

  it('is kept without what other sites set', () => {
    const set = (domain: string, value: string) => browserCookie(domain, value);
    const kept = fromStorageState(
      stateOf([
        set('.shop.example', 'a'),
        set('.bank.example', 'money'),
        set('shop.example.evil.example', 'trap'),
        set('.example', 'everywhere'),
        set('notshop.example', 'near'),
        browserCookie('shop.example', 'nameless', { name: '' }),
        browserCookie('shop.example/x', 'no-host'),
      ]),
      addresses,
    );
    expect([kept.count, kept.leftOut]).toEqual([1, 6]);
    expect(kept.cookies).not.toMatch(/money|trap|everywhere|near|nameless|no-host/);
    expect(sentTo(kept.cookies, 'https://www.shop.example/')).toBe('sid=a');
    expect(sentTo(kept.cookies, 'https://bank.example/')).toBe('');
  });

  it('is kept without the local storage of others, which alone is a session too', () => {
    const stored = (origin: string) => ({ origin, localStorage: [{ name: 'token', value: origin }] });
    const own = ['https://shop.example', 'https://login.shop.example'].map(stored);
    const others = ['https://bank.example', 'https://shop.example.evil.example', 'https://notshop.example'];
    const kept = fromStorageState(stateOf([], [...own, ...others.map(stored)]), addresses);
    expect([kept.count, kept.lastsUntil, toStorageState(kept.cookies).origins]).toEqual([0, undefined, own]);
    expect(() => fromStorageState(stateOf([], others.map(stored)), addresses)).toThrow(BrowserError);
  });

  it('lasts until its last cookie ends, and as long as a service allows where one ends with the browser', () => {
    const named = (name: string, expires: number) => browserCookie('shop.example', 'v', { name, expires });
    const ending = [named('old', 1), named('one', tomorrow), named('two', tomorrow + 5)];
    const kept = fromStorageState(stateOf(ending), addresses);
    expect([kept.count, kept.leftOut, kept.lastsUntil?.getTime()]).toEqual([2, 1, (tomorrow + 5) * 1000]);
    expect(fromStorageState(stateOf([...ending, named('three', -1)]), addresses).lastsUntil).toBeUndefined();
  });

  it.each(['127.0.0.1', 'localhost'])('is kept of a site on %s', (host) => {
    const state = stateOf([browserCookie(host, 'a', { secure: false })]);
    const { cookies } = fromStorageState(state, [`http://${host}:8080/`]);
    expect(sentTo(cookies, `http://${host}:8080/`)).toBe('sid=a');
  });

  it.each<[string, StorageState['cookies']]>([
    ['nothing', []],
    ['another site only', [browserCookie('.bank.example', 'canary')]],
  ])('is no session where it is %s', (_, cookies) => {
    expect(() => fromStorageState(stateOf(cookies), addresses)).toThrow(
      'Nobody signed in: the browser has no session of shop.example',
    );
  });
});
