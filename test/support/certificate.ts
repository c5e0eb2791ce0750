/** Certificates that only a test trusts, made by openssl. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const openssl = ['/usr/bin/openssl', '/opt/homebrew/bin/openssl', '/usr/local/bin/openssl'].find((path) =>
  existsSync(path),
);
export const hasOpenssl = openssl !== undefined;

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The file of `cert`. */
  readonly file: string;
  readonly keyFile: string;
}

/** `names` as openssl writes them: `DNS:shop.example`, `IP:127.0.0.1`. */
export async function createCertificate(folder: string, names: readonly string[]): Promise<Certificate> {
  if (openssl === undefined) throw new Error('openssl is not installed');
  const [file, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=a-test', '-addext', `subjectAltName=${names.join(',')}`];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await promisify(execFile)(openssl, [
    ...['req', '-x509', ...newKey, '-days', '2', ...subject],
    ...['-keyout', keyFile, '-out', file],
  ]);
  return { cert: await readFile(file, 'utf8'), key: await readFile(keyFile, 'utf8'), file, keyFile };
}
