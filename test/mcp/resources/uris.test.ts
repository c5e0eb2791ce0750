import fc from 'fast-check';
import { expect, it } from 'vitest';
import { catalogsUri, jobUri, readAddress, watchesUri } from '../../../src/mcp/resources/uris.ts';

it('a job is found again by the address that was made for it, whatever its id is made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), (id) => {
      fc.pre(id !== '.' && id !== '..' && id.length <= 100);
      const uri = jobUri(id);
      expect(uri).toMatch(/^svc:\/\/jobs\/[!-~]+$/);
      expect(uri === undefined ? undefined : readAddress(uri)).toEqual({ kind: 'job', id });
    }),
  );
});

it('ids that no address can carry have no address', () => {
  for (const id of ['', '.', '..', 'a\0b', '\uD800', 'a\uDC00b', 'x'.repeat(101)])
    expect(jobUri(id)).toBeUndefined();
});

it('any other text is not an address, or stands for one resource whose address it equals in meaning', () => {
  const parts = fc.array(
    fc.constantFrom(
      'svc://',
      'catalogs',
      'jobs',
      '/',
      '%2F',
      '%',
      '%E0%A4',
      '..',
      '?',
      '#',
      'shop',
      '\n',
      '{slug}',
      ' ',
    ),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((some) => some.join('')),
      ),
      (uri) => {
        const address = readAddress(uri);
        if (address === undefined || address.kind === 'catalogs' || address.kind === 'watches') {
          expect(address !== undefined).toBe([catalogsUri, watchesUri].includes(uri));
          return;
        }
        const name = address.kind === 'catalog' ? address.slug : address.id;
        const folder = { catalog: 'catalogs', job: 'jobs', watch: 'watches' }[address.kind];
        expect(readAddress(`svc://${folder}/${encodeURIComponent(name)}`)).toEqual(address);
      },
    ),
    { numRuns: 500 },
  );
});

it('only these shapes are addresses', () => {
  for (const uri of [
    '',
    'svc://',
    'svc://catalogs/',
    'svc://catalogs/a/b',
    'svc://jobs',
    'svc://jobs/..',
    'svc://catalogs/%2E%2E',
    'svc://jobs/a?b',
    'svc://jobs/a#b',
    'svc://jobs/%E0%A4',
    'http://catalogs/a',
    'SVC://catalogs',
    `svc://jobs/${'a'.repeat(1_000)}`,
  ]) {
    expect(readAddress(uri), uri).toBeUndefined();
  }
});

it('the address of the rows of a job ends in .csv', () => {
  expect(readAddress('svc://jobs/a.csv')).toEqual({ kind: 'job', id: 'a', format: 'csv' });
  expect(readAddress(jobUri('a.csv') ?? '')).toEqual({ kind: 'job', id: 'a.csv' });
  expect(readAddress('svc://jobs/.csv')).toEqual({ kind: 'job', id: '.csv' });
  expect(readAddress('svc://catalogs/a.csv')).toEqual({ kind: 'catalog', slug: 'a.csv' });
});
