/** Texts of a caller that an answer repeats: never more than a short part of them. */
import { afterEach, describe, expect, it } from 'vitest';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { closeGateways, startGateway } from '../support/gateway.ts';
import { connectPiped, endAllPipes, eras, modeOf } from '../support/mcp-pipe.ts';

afterEach(async () => {
  await endAllPipes();
  await closeGateways();
});

/** Of a whole answer, whose message, `next` and list of names may each repeat a text. */
const mostRepeated = 1_000;
const long = 'x'.repeat(900_000);
const script = {
  actions: [{ action_id: 'shop-list', catalog_slug: 'shop', job: { data: { n: 1 } } }],
};

/** The other inputs that a tool needs. */
const required: Readonly<Record<string, object>> = {
  run_action: { action_id: 'shop-list' },
  login: { catalog: 'shop' },
  request_build: { website_url: 'https://a.example/', goal: 'all boats with name and price' },
};

const textInputs = staticTools.flatMap(({ name, input }) =>
  Object.keys(input.shape).map((member) => [name, member] as const),
);

describe.each(eras)('an answer to a %s client', (era) => {
  it.each(textInputs)('repeats no more than a part of %s {%s}', async (name, member) => {
    const { gateway } = await startGateway(script);
    const { client } = await connectPiped(gateway, modeOf(era));
    const args = { ...required[name], [member]: long };
    const result = await client.callTool({ name, arguments: args }).catch((error: unknown) => String(error));
    expect(JSON.stringify(result).match(/x+/g)?.join('').length ?? 0).toBeLessThan(mostRepeated);
  });

  it('repeats no more than a part of a long id', async () => {
    const { gateway } = await startGateway(script);
    const { client } = await connectPiped(gateway, modeOf(era));
    for (const length of [200, 201, 900_000]) {
      const result = await client.callTool({ name: 'get_job', arguments: { job_id: 'x'.repeat(length) } });
      expect(JSON.stringify(result).length).toBeLessThan(4_000);
    }
  });
});
