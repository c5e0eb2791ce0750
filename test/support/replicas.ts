/** Replicas of `svc-mcp http` as the worked example has them, on one PostgreSQL; only addresses and secrets differ. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from './gateway.ts';
import { type HttpProgram, startHttp } from './http-program.ts';
import type { Environment } from './program.ts';

const folderOfExample = new URL('../../examples/replicas/', import.meta.url);
/** `name`: seen from the example of replicas. */
export const exampleFile = (name: string) => readFile(new URL(name, folderOfExample), 'utf8');

export const replicaToken = 'a-token-of-the-tests';

export interface ReplicaOptions {
  readonly serviceUrl: string;
  /** Undefined: clients bring their own. */
  readonly apiKey: string | undefined;
  readonly databaseUrl: string;
  readonly more?: Environment;
}

export async function startReplicas({
  serviceUrl,
  apiKey,
  databaseUrl,
  more = {},
}: ReplicaOptions): Promise<[HttpProgram, HttpProgram]> {
  const folder = await temporaryFolder();
  const example = Object.fromEntries(
    [...(await exampleFile('replica.env')).matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const secrets: Record<string, string | undefined> = {
    SVC_API_KEY_FILE: apiKey,
    SVC_HTTP_TOKEN_FILE: replicaToken,
    SVC_DATABASE_URL_FILE: databaseUrl,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    expect(example).toHaveProperty(name);
    example[name] = secret === undefined ? '' : join(folder, name);
    if (secret !== undefined) await writeFile(join(folder, name), secret);
  }
  const start = async (name: string) => {
    const SVC_DATA_DIR = join(folder, name);
    await mkdir(SVC_DATA_DIR);
    const environment = {
      ...example,
      SVC_WAIT_SECONDS: '50',
      ...more,
      SVC_BASE_URL: serviceUrl,
      SVC_DATA_DIR,
    };
    return startHttp(environment, ['--host', '0.0.0.0']);
  };
  return Promise.all([start('one'), start('two')]);
}
