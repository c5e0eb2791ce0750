/** Cookie files as people paste them: what is understood, what is kept, what is refused. */
import fc from 'fast-check';
import { CookieJar } from 'tough-cookie';
import { describe, expect, it } from 'vitest';
import { readCookieFile } from '../../../src/service/fetch/cookie-file.ts';
import { CookieFileError } from '../../../src/service/foundation/errors.ts';

const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
const hosts = ['www.shop.example'];
const line = (...fields: (string | number)[]) => fields.join('\t');

/** The `Cookie` header that a site would get. */
const sentTo = (cookies: string, address: string) =>
  CookieJar.deserializeSync(cookies).getCookieStringSync(address);

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
const name = fc.string({
  unit: fc.constantFrom(...letters, ..."-_.!#$%&'*+^`|~"),
  minLength: 1,
  maxLength: 30,
});
const value = fc.string({ unit: fc.constantFrom(...letters, ...'-_.=/+:%!"{}[]()<>@?,'), maxLength: 60 });
const cookie = fc.record({
  name: name.filter((text) => !text.startsWith('#') && !/^__(Host|Secure)-/i.test(text)),
  value,
  domain: fc.constantFrom('shop.example', 'www.shop.example', 'login.shop.example'),
  hostOnly: fc.boolean(),
  path: fc.constantFrom('/', '/account', '/a/b'),
  secure: fc.boolean(),
  httpOnly: fc.boolean(),
  expires: fc.option(fc.integer({ min: tomorrow, max: tomorrow + 10 ** 7 }), { nil: undefined }),
});
type Example = typeof cookie extends fc.Arbitrary<infer Value> ? Value : never;
/** Of two cookies of the same place only one can be in a browser. */
const cookies = fc.uniqueArray(cookie, {
  minLength: 1,
  maxLength: 20,
  selector: (one) => [one.name, one.domain, one.path].join(' '),
});

const asNetscape = (all: readonly Example[]) =>
  [
    '# Netscape HTTP Cookie File',
    '',
    ...all.map((one) =>
      line(
        `${one.httpOnly ? '#HttpOnly_' : ''}${one.hostOnly ? '' : '.'}${one.domain}`,
        one.hostOnly ? 'FALSE' : 'TRUE',
        one.path,
        one.secure ? 'TRUE' : 'FALSE',
        one.expires ?? 0,
        one.name,
        one.value,
      ),
    ),
  ].join('\n');
const asExtension = (all: readonly Example[]) =>
  JSON.stringify(
    all.map(({ expires, ...one }) => ({
      ...one,
      domain: `${one.hostOnly ? '' : '.'}${one.domain}`,
      session: expires === undefined,
      sameSite: 'lax',
      storeId: '0',
      ...(expires === undefined ? {} : { expirationDate: expires + 0.25 }),
    })),
  );
const asPlaywright = (all: readonly Example[]) =>
  JSON.stringify({
    cookies: all.map(({ expires, hostOnly, ...one }) => ({
      ...one,
      domain: `${hostOnly ? '' : '.'}${one.domain}`,
      expires: expires ?? -1,
      sameSite: 'Lax',
    })),
    origins: [],
  });

describe('every format', () => {
  it('means the same: each cookie is kept with its value, its reach and its end', () => {
    fc.assert(
      fc.property(cookies, (all) => {
        const expected = all.map((one) => ({
          key: one.name,
          value: one.value,
          domain: one.domain,
          path: one.path,
          hostOnly: one.hostOnly,
          secure: one.secure,
          httpOnly: one.httpOnly,
          expires: one.expires,
        }));
        for (const text of [
          asNetscape(all),
          asExtension(all),
          asPlaywright(all),
          asNetscape(all).replaceAll('\n', '\r\n'),
        ]) {
          const imported = readCookieFile(text, hosts);
          expect([imported.count, imported.leftOut]).toEqual([all.length, 0]);
          const kept = CookieJar.deserializeSync(imported.cookies).serializeSync()?.cookies ?? [];
          const found = kept.map((one) => ({
            key: one.key ?? '',
            value: one.value ?? '',
            domain: one.domain,
            path: one.path,
            hostOnly: one.hostOnly === true,
            secure: one.secure === true,
            httpOnly: one.httpOnly === true,
            expires: typeof one.expires === 'string' ? Math.floor(Date.parse(one.expires) / 1000) : undefined,
          }));
          expect(found).toHaveLength(expected.length);
          expect(found).toEqual(expect.arrayContaining(expected));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('any other text is refused with our own words, which quote nothing of it', () => {
    const secret = 'S3cret-of-the-file';
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.string(), { maxLength: 9 }).map((fields) => fields.join('\t')),
        ),
        (text) => {
          try {
            readCookieFile(`${text}${secret}`, hosts);
            expect.unreachable();
          } catch (error) {
            expect(error).toBeInstanceOf(CookieFileError);
            expect(String(error)).not.toContain(secret);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('is kept', () => {
  it('only what belongs to the site', () => {
    const text = [
      line('.shop.example', 'TRUE', '/', 'TRUE', tomorrow, 'session', 'a'),
      line('.bank.example', 'TRUE', '/', 'TRUE', tomorrow, 'money', 'b'),
      line('shop.example.evil.example', 'FALSE', '/', 'TRUE', tomorrow, 'trap', 'c'),
      line('.example', 'TRUE', '/', 'TRUE', tomorrow, 'everywhere', 'd'),
      line('notshop.example', 'FALSE', '/', 'TRUE', tomorrow, 'near', 'e'),
    ].join('\n');
    const imported = readCookieFile(text, hosts);
    expect([imported.count, imported.leftOut]).toEqual([1, 4]);
    expect(imported.cookies).not.toMatch(/money|trap|everywhere|near/);
    expect(sentTo(imported.cookies, 'https://www.shop.example/')).toBe('session=a');
    expect(sentTo(imported.cookies, 'https://bank.example/')).toBe('');
  });

  it('only the local storage of the site', () => {
    const stored = (origin: string) => ({ origin, localStorage: [{ name: 'token', value: origin }] });
    const own = ['https://shop.example', 'https://login.shop.example'].map(stored);
    const others = ['https://bank.example', 'https://shop.example.evil.example', 'https://notshop.example'];
    const text = JSON.stringify({ cookies: [], origins: [...own, ...others.map(stored)] });
    const { cookies, count } = readCookieFile(text, hosts);
    expect([count, JSON.parse(cookies).origins]).toEqual([0, own]);
    expect(() => readCookieFile(JSON.stringify({ cookies: [], origins: others.map(stored) }), hosts)).toThrow(
      CookieFileError,
    );
  });

  it('a cookie only if it has not expired, and the last expiry counts', () => {
    const text = [
      line('shop.example', 'FALSE', '/', 'FALSE', 1, 'old', 'a'),
      line('shop.example', 'FALSE', '/', 'FALSE', tomorrow, 'one', 'b'),
      line('shop.example', 'FALSE', '/', 'FALSE', tomorrow + 5, 'two', 'c'),
    ];
    const imported = readCookieFile(text.join('\n'), hosts);
    expect([imported.count, imported.leftOut, imported.lastsUntil?.getTime()]).toEqual([
      2,
      1,
      (tomorrow + 5) * 1000,
    ]);
    const withSession = [...text, line('shop.example', 'FALSE', '/', 'FALSE', 0, 'three', 'd')].join('\n');
    expect(readCookieFile(withSession, hosts).lastsUntil).toBeUndefined();
  });

  it.each(['127.0.0.1', 'localhost'])('what a site on %s sets', (host) => {
    const text = line(host, 'FALSE', '/', 'FALSE', 0, 'session', 'a');
    expect(sentTo(readCookieFile(text, [host]).cookies, `http://${host}:8080/`)).toBe('session=a');
  });
});

describe('is refused', () => {
  it.each([
    ['nothing', '', /no cookies/],
    ['an empty list', '[]', /no cookies/],
    ['cut JSON', '[{"name":"a"', /all of it copied/],
    ['JSON of another kind', '{"a":1}', /no list of cookies/],
    ['spaces instead of tabs', 'shop.example FALSE / FALSE 0 a b', /^Line 1 /],
    ['too few fields', `# x\n${line('shop.example', 'FALSE', '/')}`, /^Line 2 /],
    [
      'another site only',
      line('.bank.example', 'TRUE', '/', 'TRUE', 0, 'a', 'b'),
      /None of its 1 cookies .* shop\.example/,
    ],
    [
      'a forged header by JSON',
      JSON.stringify([{ name: 'a', value: 'b\r\nX: y', domain: 'shop.example' }]),
      /valid/,
    ],
    [
      'a second cookie in a value',
      JSON.stringify([{ name: 'a', value: 'b; c=d', domain: 'shop.example' }]),
      /valid/,
    ],
    [
      'a name that ends early',
      JSON.stringify([{ name: 'a=b', value: 'c', domain: 'shop.example' }]),
      /valid/,
    ],
    [
      'a domain with a path',
      JSON.stringify([{ name: 'a', value: 'c', domain: 'shop.example/x' }]),
      /None of/,
    ],
  ])('%s', (_name, text, message) => {
    expect(() => readCookieFile(text, hosts)).toThrow(CookieFileError);
    expect(() => readCookieFile(text, hosts)).toThrow(message);
  });
});
