/** A database that tells of each of its commits, for tests that end or stop the process there. */
import type { KyselyPlugin } from 'kysely';
import type { ServiceDatabase } from '../../src/service/store/schema.ts';

/** Called before a commit, with the SQL where it is known; what it returns is called after the commit. */
export type OnCommit = (sql: string) => (() => void) | undefined;

export function withCommitHook(database: ServiceDatabase, onCommit: OnCommit): ServiceDatabase {
  return {
    ...database,
    query: database.query.withPlugin(hookOfQueries(onCommit)),
    async batch(statements, options) {
      // Nothing of a batch is kept before its commit, so its beginning is as good a moment to die.
      const after = onCommit(statements.map(({ sql }) => sql).join(';\n'));
      const results = await database.batch(statements, options);
      after?.();
      return results;
    },
    async transaction(work) {
      let after: (() => void) | undefined;
      const result = await database.transaction(async (transaction) => {
        const done = await work(transaction);
        after = onCommit('');
        return done;
      });
      after?.();
      return result;
    },
  };
}

/** A single statement that writes is a transaction of its own. */
function hookOfQueries(onCommit: OnCommit): KyselyPlugin {
  const after = new WeakMap<object, (() => void) | undefined>();
  return {
    transformQuery({ node, queryId }) {
      if (node.kind !== 'SelectQueryNode') after.set(queryId, onCommit(''));
      return node;
    },
    async transformResult({ queryId, result }) {
      after.get(queryId)?.();
      return result;
    },
  };
}
