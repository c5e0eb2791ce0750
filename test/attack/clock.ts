/** PostgreSQL whose clock is a day ahead of this machine's, or behind: a service and a gateway work as usual, and pay once. */
import pg from 'pg';
import { startPostgres } from '../support/postgres.ts';
import { type Attack, type CloseLater, callTool, expectTrue, type Family, startTarget } from './attack.ts';

/** The functions are found before the server's own. */
const functions = (by: string) => `
  create schema wrong;
  create function wrong.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.clock_timestamp() + interval '${by}' $$;
  create function wrong.now() returns timestamptz language sql stable
    as $$ select pg_catalog.now() + interval '${by}' $$;
`;

async function setClock(address: string, by: string): Promise<void> {
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    return client.query(text).finally(() => client.end());
  };
  await query(functions(by));
  const [, name = ''] = new URL(address).pathname.split('/');
  await query(`alter database ${name} set search_path = wrong, public, pg_catalog`);
  const { rows } = await query(
    'select abs(extract(epoch from clock_timestamp() - pg_catalog.clock_timestamp())) > 80000 as wrong',
  );
  expectTrue(rows[0]?.wrong === true, 'the clock is right');
}

/** By how much the database's clock differs. */
const differences = { ahead: '1 day', behind: '-1 day' };

export const clock: Family = {
  name: 'clock',
  async prepare(closeLater) {
    const cluster = await startPostgres();
    if (cluster === undefined) return [];
    closeLater(() => cluster.stop());
    const attacks = Object.entries(differences).map(async ([name, by]) => {
      const address = await cluster.createDatabase();
      await setClock(address, by);
      return attacksOn(address, name, closeLater);
    });
    return (await Promise.all(attacks)).flat();
  },
};

async function attacksOn(address: string, clock: string, closeLater: CloseLater): Promise<readonly Attack[]> {
  const gateway = await startTarget('http', {
    SVC_DATABASE_URL: address,
    SVC_PRACTICE_SITES: 'on',
    SVC_MAX_CREDITS_PER_DAY: '20',
  });
  closeLater(() => gateway.close());
  const call = (name: string, args: object) => callTool(gateway.origin, name, args);
  const run = (params: object) => call('run_action', { action_id: 'quotes_get', params });
  const expectSpent = async (spent: number) => {
    const { text } = await call('get_usage', {});
    expectTrue(text.includes(`"spent":${spent}`), `not ${spent} spent: ${text.slice(0, 300)}`);
  };
  return [
    {
      name: `a clock ${clock}: a run completes, is charged once, and is read again`,
      async run() {
        const { status, job_id, text } = await run({ id: 1 });
        expectTrue(status === 'completed', text);
        expectTrue((await call('get_job', { job_id })).status === 'completed', 'the result is gone');
        await expectSpent(1);
      },
    },
    {
      name: `a clock ${clock}: ten runs at once are charged once each`,
      async run() {
        const ids = Array.from({ length: 10 }, (_, index) => index + 2);
        const answers = await Promise.all(ids.map((id) => run({ id })));
        const failed = answers.find(({ status }) => status !== 'completed');
        expectTrue(failed === undefined, failed?.text ?? '');
        await expectSpent(11);
      },
    },
    {
      name: `a clock ${clock}: an account signs in, and its session is active`,
      async run() {
        const params = { username: 'demo', password: 'demo' };
        const { text } = await call('login', { catalog: 'members', params });
        const { text: listed } = await call('list_identities', {});
        expectTrue(text.includes('verified') && listed.includes('active'), `${text} ${listed}`);
      },
    },
  ] satisfies readonly Attack[];
}
