/** Secrets that must not come out again: what can make them, and where they are looked for. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { envelope } from './upstream-faults.ts';

/** What can happen to a secret at the service, which sometimes repeats it. */
export const faults = (secret: string) => [
  undefined,
  envelope(200, 'BAD_PASSWORD', `wrong: ${secret}`, { detail: secret }),
  { kind: 'answer', status: 500, body: `<pre>stack ${secret}</pre>` } as const,
  envelope(400, 'INVALID_PARAMS', `bad ${secret}`, { missing_fields: ['password'] }),
  { kind: 'reset' } as const,
  { kind: 'answer', status: 200, body: { status: 'odd', note: secret } } as const,
  envelope(503, `NEW_${secret.length}`, secret),
];

/** Everything below a folder, as one text. */
export async function filesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (
    await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))
  ).join();
}
