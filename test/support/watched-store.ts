/**
 * A gateway's store that counts how often it is used, and that can fail from some moment on.
 *
 *     const store = watchStore(folder);
 *     const { gateway } = openGateway(upstream, folder, {}, upstream.apiKey, { store });
 *     store.breaksAfter = store.uses;          // from here on nothing can be read or written
 */
import { join } from 'node:path';
import type { KyselyPlugin } from 'kysely';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import type { Database } from '../../src/store/database.ts';
import { StoreError } from '../../src/store/errors.ts';
import { closeLater } from './gateway.ts';

class WatchedDatabase extends GatewayDatabase {
  /** Queries, batches and transactions since the start. */
  uses = 0;
  /** So many uses succeed. */
  breaksAfter = Number.POSITIVE_INFINITY;

  override async open(): Promise<Database<GatewaySchema>> {
    const database = await super.open();
    const use = () => {
      if (this.uses >= this.breaksAfter) throw new StoreError('failed', 'The store fails in this test');
      this.uses += 1;
    };
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        use();
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    return {
      ...database,
      query: database.query.withPlugin(plugin),
      async batch(...given) {
        use();
        return database.batch(...given);
      },
      async read(statement) {
        use();
        return database.read(statement);
      },
      async transaction(work) {
        use();
        return database.transaction(work);
      },
    };
  }
}

export function watchStore(folder: string): WatchedDatabase {
  const store = new WatchedDatabase({ file: join(folder, 'gateway.db') });
  closeLater(() => store.close());
  return store;
}
