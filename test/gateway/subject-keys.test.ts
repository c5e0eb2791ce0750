/** The service keys of subjects, encrypted with a key file that every process of the database shares. */
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { SubjectKeyError } from '../../src/gateway/foundation/errors.ts';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import { SubjectKeys } from '../../src/gateway/store/subject-keys.ts';
import { closeGateways, closeLater, temporaryFolder } from '../support/gateway.ts';

afterEach(closeGateways);

const [ann, bob] = ['ann', 'bob'].map((subject) => ({ issuer: 'https://issuer.example', subject }));

async function start() {
  const folder = await temporaryFolder();
  const file = join(folder, 'oauth-keys.json');
  const database = new GatewayDatabase({ file: join(folder, 'gateway.db') });
  closeLater(() => database.close());
  if (ann === undefined || bob === undefined) return expect.fail('No subjects');
  return { file, ann, bob, open: (path = file) => new SubjectKeys(database, path) };
}

it('a key is what was added last, in every process, until it is revoked', async () => {
  const { ann, bob, open } = await start();
  const [one, other] = [open(), open()];
  await one.add(ann, 'key of ann');
  await one.add(bob, 'key of bob');
  expect([await one.getKey(ann), await other.getKey(ann)]).toEqual(['key of ann', 'key of ann']);
  await other.add(ann, 'another key of ann');
  expect([await one.getKey(ann), await other.getKey(ann)]).toEqual(Array(2).fill('another key of ann'));
  expect(await one.list()).toMatchObject([ann, bob]);
  expect([await one.revoke(ann), await one.revoke(ann)]).toEqual([true, false]);
  expect([await one.getKey(ann), await other.getKey(ann)]).toEqual([undefined, undefined]);
  expect(await other.getKey(bob)).toBe('key of bob');
});

it('without the file of the keys that are there, none is read, and no other file is made beside them', async () => {
  const { file, ann, bob, open } = await start();
  await open().add(ann, 'key of ann');
  const text = await readFile(file, 'utf8');
  await rm(file);
  await expect(open().getKey(ann)).rejects.toThrow(SubjectKeyError);
  await expect(open().add(bob, 'key of bob')).rejects.toThrow(SubjectKeyError);
  await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  const elsewhere = open(join(file, '..', `${randomUUID()}.json`));
  await expect(elsewhere.getKey(ann)).rejects.toThrow(SubjectKeyError);
  await writeFile(file, text, { mode: 0o600 });
  await open().add(bob, 'key of bob');
  expect(await open().getKey(ann)).toBe('key of ann');
});
