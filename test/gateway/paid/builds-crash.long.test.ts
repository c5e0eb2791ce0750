/** The gateway dies by SIGKILL while it asks for a build. Needs `dist/`. */
import { afterEach, describe, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import { connectProgram, endPrograms, environmentOf } from '../../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const request = { website_url: 'https://new.example/', goal: 'List the prices' };

async function start() {
  const upstream = await scriptedUpstream();
  const environment = {
    ...environmentOf(upstream, await temporaryFolder()),
    SVC_WAIT_SECONDS: '1',
    SVC_LOG_LEVEL: 'silent',
  };
  const open = async () => {
    const { client, pid } = await connectProgram({ pin: '2026-07-28' }, environment);
    const call = async (name: string, args: object) =>
      (await client.callTool({ name, arguments: { ...args } })).structuredContent;
    const kill = () => process.kill(pid() ?? 0, 'SIGKILL');
    return { call, kill };
  };
  return { upstream, open };
}

describe('before the answer to its request', () => {
  const dieBeforeAnswer = async (carriedOut: boolean) => {
    const { upstream, open } = await start();
    const dying = await open();
    upstream.fail('requestBuild', { kind: 'hang', carriedOut }, { times: 1 });
    const lost = dying.call('request_build', request).catch(() => 'lost');
    await upstream.waitForRequests('requestBuild', 1);
    dying.kill();
    expect(await lost).toBe('lost');
    return { upstream, next: await open() };
  };

  it('the next process joins the build that the service lists, and nothing is sent again', async () => {
    const { upstream, next } = await dieBeforeAnswer(true);
    expect(await next.call('request_build', request)).toMatchObject({ status: 'pending' });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });

  it('the outcome is unknown if the service lists no build, and nothing is sent again', async () => {
    const { upstream, next } = await dieBeforeAnswer(false);
    for (let time = 0; time < 2; time += 1) {
      expect(await next.call('request_build', request)).toMatchObject({
        status: 'unknown',
        error: { code: 'SUBMISSION_UNKNOWN', credits_at_stake: 25 },
        next: expect.stringContaining('list_build_requests'),
      });
    }
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });
});

it.each([
  ['while the build runs', false, 'success'],
  ['and the build ends while nobody looks', true, 'success'],
  ['and the build fails while nobody looks', true, 'failed'],
])(
  'a process dies while it waits, %s: the same request joins the build, which is paid once',
  async (_, endsBetween, end) => {
    const { upstream, open } = await start();
    const dying = await open();
    const lost = dying.call('request_build', request).catch(() => 'lost');
    await upstream.waitForRequests('listBuildRequests', 1);
    dying.kill();
    await lost;
    const id = upstream.service.builds[0]?.id ?? '';
    const finish = () =>
      end === 'success'
        ? upstream.service.finishBuild(id, { action_id: 'new-prices', catalog_slug: 'new' })
        : upstream.service.finishBuild(id);
    if (endsBetween) finish();
    const next = await open();
    if (!endsBetween) {
      expect(await next.call('request_build', request)).toMatchObject({ status: 'pending', attached: true });
      finish();
    }
    expect(await next.call('request_build', request)).toMatchObject({
      status: end,
      attached: true,
      build_request: { id },
    });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
    expect(await next.call('get_job', {})).toMatchObject({
      credits_spent_today: end === 'success' ? 25 : 0,
    });
  },
);
