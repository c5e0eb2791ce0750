/** What a tool of an action does with arguments that are not the action's own. */
import { afterEach, expect, it } from 'vitest';
import { runAction } from '../../../src/mcp/tools/run-action.ts';
import { reservedByStaticTools } from '../../../src/mcp/tools/tool-list.ts';
import { closeGateways, runTool, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const data = {
  items: [
    { title: 'A', price: 1 },
    { title: 'B', price: 2 },
  ],
};
const script = {
  actions: [
    { action_id: 'shop-list', catalog_slug: 'shop', job: { data } },
    {
      action_id: 'shop-own',
      catalog_slug: 'shop',
      parameters: { properties: { format: { type: 'string' }, max_credits: { type: 'integer' } } },
      job: (params: unknown) => ({ data: params }),
    },
  ],
};

it('a tool returns its rows as CSV, and sends no format to the service', async () => {
  const { gateway, upstream } = await startGateway(script);
  const { body } = await runTool(gateway, 'shop-list', { q: 'x', format: 'csv' });
  expect(body).toMatchObject({ status: 'completed', data: 'title,price\r\nA,1\r\nB,2\r\n' });
  expect(upstream.requestsTo('submitTask')[0]?.body).toMatchObject({ params: { q: 'x' } });
});

it.each([['xml'], [7]])('a tool refuses the format %j before anything is sent', async (format) => {
  const { gateway, upstream } = await startGateway(script);
  const { body } = await runTool(gateway, 'shop-list', { format });
  expect(body).toMatchObject({ error: { code: 'INVALID_PARAMS', issues: [{ path: 'format' }] } });
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
});

const ofEveryTool = ['action_id', 'params', 'identity', 'select', 'format'];
const onlyOfRunAction = Object.keys(runAction.input.shape).filter((name) => !ofEveryTool.includes(name));

it('run_action has arguments of its own', () => {
  expect(onlyOfRunAction).toEqual(
    expect.arrayContaining(['batch', 'max_credits', 'max_age_seconds', 'resubmit']),
  );
});

it.each(onlyOfRunAction)(
  'a tool refuses %s, which only run_action takes, and names the call',
  async (name) => {
    const { gateway, upstream } = await startGateway(script, { reserved: reservedByStaticTools() });
    const { body } = await runTool(gateway, 'shop-list', { [name]: 1 });
    expect(body).toMatchObject({
      error: { code: 'INVALID_PARAMS', issues: [{ path: name }] },
      next: { kind: 'run-action', action_id: 'shop-list', argument: name },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  },
);

it('a param of the action itself stays a param, whatever its name', async () => {
  const { gateway } = await startGateway(script, { reserved: reservedByStaticTools() });
  const params = { format: 'xml', max_credits: 7 };
  const { body } = await runTool(gateway, 'shop-own', params);
  expect(body).toMatchObject({ status: 'completed', data: params });
});
