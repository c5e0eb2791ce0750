/** What all test files of a run share: one PostgreSQL cluster, whose address is empty where PostgreSQL is not installed. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string;
  }
}

export default async function startShared({ provide }: TestProject): Promise<() => Promise<void>> {
  const cluster = await startPostgres();
  provide('postgres', cluster?.url ?? '');
  return async () => cluster?.stop();
}
