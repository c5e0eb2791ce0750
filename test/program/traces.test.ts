/** Traces of the spawned program at an OTLP receiver. Needs `dist/`: `npm test` builds it first. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { standalone } from '../support/http.ts';
import { startHttp } from '../support/http-program.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { connectProgram, endPrograms, environmentOf, spawnProgram } from '../support/program.ts';

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  await endPrograms();
  await closeGateways();
  await receiver.close();
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const _meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
const secret = 'Jane-Doe-4711';

/** The names of the trace as a tree: each span below the one that it continues. */
function treeOf(spans: readonly ReceivedSpan[], parent = '00f067aa0ba902b7'): unknown {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .map(({ name, spanId }) => [name, treeOf(spans, spanId)]);
}

const ofTrace = () => receiver.spans().filter((span) => span.traceId === traceId);
const named = (name: string) => ofTrace().filter((span) => span.name === name);
const waitFor = (name: string) => expect.poll(() => named(name)).not.toHaveLength(0);

describe('a traced call', () => {
  it('is one trace across client, gateway and service, without params and results', async () => {
    const folder = await temporaryFolder();
    const service = spawnProgram(['service'], {
      ...receiver.environment,
      OTEL_SERVICE_NAME: 'the-service',
      SVC_DATA_DIR: folder,
    });
    await expect.poll(() => service.out()).toContain('\n');
    const { base_url: baseUrl, api_key: apiKey } = JSON.parse(service.out());
    const { client } = await connectProgram(
      { pin: '2026-07-28' },
      {
        ...receiver.environment,
        ...environmentOf({ origin: baseUrl, apiKey }, await temporaryFolder()),
      },
    );
    const result = await client.callTool({
      name: 'run_action',
      arguments: { action_id: 'bookshop_search', params: { query: secret } },
      _meta,
    });
    expect(result.structuredContent).toMatchObject({ status: 'completed' });
    await client.close();
    service.child.kill('SIGTERM');
    await service.exited;
    await waitFor('run task');

    const [[root, children] = []] = JSON.parse(JSON.stringify(treeOf(ofTrace())));
    expect(root).toBe('tools/call run_action');
    const below = children.map(([name]: [string]) => name);
    expect(below).toEqual(
      expect.arrayContaining(['validate params', 'write paid call', 'submit run', 'shape result']),
    );
    // The answer to the request begins the looks at its job.
    const submit = children.find(([name]: [string]) => name === 'submit run');
    expect(submit[1]).toContainEqual(['POST /task', [['POST /v1/svc/task', [['run task', []]]]]]);
    expect(submit[1]).toContainEqual(['poll job', [['GET /jobs/{id}', [['GET /v1/svc/jobs/:id', []]]]]]);

    const [call] = named('tools/call run_action');
    expect(call?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'run_action',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'network.transport': 'pipe',
      'svc_mcp.status': 'completed',
    });
    expect(call?.resource['service.name']).toBe('svc-mcp');
    expect(named('run task')[0]?.resource['service.name']).toBe('the-service');
    expect(new Set(named('run task').map(({ attributes }) => attributes['svc_mcp.job.id']))).toEqual(
      new Set([Object(result.structuredContent).job_id]),
    );
    expect(receiver.text()).not.toContain(secret);
    expect(receiver.text()).not.toContain(apiKey);
  });

  it('over HTTP carries the code of its error, and its log lines the trace', async () => {
    const upstream = await scriptedUpstream({
      actions: [{ action_id: 'shop-list', catalog_slug: 'shop', credits: 3 }],
    });
    const program = await startHttp({
      ...receiver.environment,
      ...environmentOf(upstream, await temporaryFolder()),
      SVC_LOG_LEVEL: 'debug',
    });
    const { headers, ...rest } = standalone('tools/call', {
      name: 'run_action',
      arguments: { action_id: 'shop-list', params: {}, max_credits: 1 },
    });
    const traceparent = _meta.traceparent;
    await fetch(`${program.origin}/mcp`, { ...rest, headers: { ...headers, traceparent } });
    await waitFor('tools/call run_action');
    const [call] = named('tools/call run_action');
    expect(call).toMatchObject({ kind: 2, status: { code: 2 } });
    expect(call?.attributes).toMatchObject({
      'error.type': 'tool_error',
      'svc_mcp.error.code': 'BUDGET_EXCEEDED',
      'network.transport': 'tcp',
    });
    expect(named('submit run')).toEqual([]);
    // The last line may not be whole yet.
    const lines = () => program.err().split('\n').slice(0, -1);
    const logged = { trace_id: traceId, span_id: call?.spanId };
    await expect
      .poll(() => lines().map((line) => JSON.parse(line)))
      .toContainEqual(expect.objectContaining(logged));
  });

  it('of a login and of a build continue to the service', async () => {
    const fields = ['user', 'password'].map((name) => ({
      name,
      type: 'string',
      required: true,
      description: name,
    }));
    const upstream = await scriptedUpstream({
      catalogs: [{ slug: 'shop', auth_types: ['credentials'], login_input_schema: fields }],
      actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }],
    });
    const { client } = await connectProgram('legacy', {
      ...receiver.environment,
      ...environmentOf(upstream, await temporaryFolder()),
      SVC_LOGIN_PARAMS: 'allow',
      SVC_WAIT_SECONDS: '1',
    });
    const login = { catalog: 'shop', params: { user: secret, password: secret } };
    await client.callTool({ name: 'login', arguments: login, _meta });
    const build = { website_url: 'https://shop.example.com', goal: secret };
    await client.callTool({ name: 'request_build', arguments: build, _meta });
    await client.close();
    await waitFor('POST /build-request');
    const parents = named('POST /login').map(({ parentSpanId }) => parentSpanId);
    expect(parents).toEqual(named('tools/call login').map(({ spanId }) => spanId));
    expect(named('submit build')).toHaveLength(1);
    const sent = [...upstream.requestsTo('login'), ...upstream.requestsTo('requestBuild')];
    expect(sent.map(({ headers }) => String(headers.traceparent).split('-')[1])).toEqual([traceId, traceId]);
    expect(receiver.text()).not.toContain(secret);
  });
});

it('without an endpoint nothing of OpenTelemetry is sent to the service', async () => {
  const upstream = await scriptedUpstream({ actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] });
  const { client } = await connectProgram('auto', environmentOf(upstream, await temporaryFolder()));
  await client.callTool({ name: 'shop-list', arguments: {}, _meta });
  expect(upstream.requestsTo('submitTask').map(({ headers }) => headers.traceparent)).toEqual([undefined]);
});
