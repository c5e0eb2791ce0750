/**
 * A PostgreSQL database that is restored from a backup while programs use it: what was committed since is gone.
 *
 *     const restore = await backUp(url);
 *     …                                        // what is written here is lost
 *     await restore();
 */
import pg from 'pg';

export async function backUp(url: string): Promise<() => Promise<void>> {
  const tables = await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1",
    );
    const copies = rows.map(({ name }) => `create table backup.${name} as table public.${name}`);
    await client.query(
      ['drop schema if exists backup cascade', 'create schema backup', ...copies].join('; '),
    );
    return rows.map(({ name }) => name);
  });
  return () =>
    withClient(url, async (client) => {
      // A restore cuts all connections.
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      );
      // References between the tables are not looked at meanwhile.
      const rows = tables.map((name) => `insert into public.${name} select * from backup.${name}`);
      const all = tables.map((name) => `public.${name}`).join(', ');
      await client.query(
        ['set session_replication_role = replica', `truncate ${all} cascade`, ...rows].join('; '),
      );
    });
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
