/** `examples/observability`: every query is PromQL, on metrics and labels that /metrics serves. Needs `dist/`. */
import { readFile } from 'node:fs/promises';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { gatewayErrors } from '../../src/gateway/foundation/error-codes.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { callTool, startHttp } from '../support/http-program.ts';
import { endPrograms, environmentOf, spawnProgram } from '../support/program.ts';

const read = (name: string) =>
  readFile(new URL(`../../examples/observability/${name}`, import.meta.url), 'utf8');

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['info', 'warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});
const Dashboard = z.looseObject({
  uid: z.string(),
  schemaVersion: z.number(),
  panels: z.array(
    z.looseObject({
      id: z.number(),
      title: z.string(),
      gridPos: z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.looseObject({ expr: z.string(), refId: z.string() })).min(1),
    }),
  ),
});

/** What is served: the labels of each metric. */
const served = new Map<string, Set<string>>();
beforeAll(async () => {
  const service = spawnProgram(['service'], { SVC_DATA_DIR: await temporaryFolder() });
  await vi.waitFor(() => expect(service.out()).toContain('\n'), 20_000);
  const { base_url: origin, api_key: apiKey } = JSON.parse(service.out());
  const http = await startHttp(environmentOf({ origin, apiKey }, await temporaryFolder()));
  await callTool(http.origin, 'search_actions', { q: 'book' });
  await callTool(http.origin, 'run_action', { action_id: 'bookshop_list_books', params: {}, max_credits: 0 });
  await fetch(`${http.origin}/mcp`, { method: 'POST', headers: { origin: 'https://elsewhere.example' } });
  for (const base of [origin, http.origin]) {
    const text = await (await fetch(`${base}/metrics`)).text();
    for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) served.set(name, new Set());
    for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
      const known = served.get(name) ?? new Set();
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
      served.set(name, known);
    }
  }
}, 60_000);
afterAll(async () => {
  await endPrograms();
  await closeGateways();
});

/** Prometheus adds these when it scrapes. */
const scraped = ['job', 'instance'];

function check(query: string): void {
  // Grafana's variable stands for a duration.
  const text = query.replaceAll('$__rate_interval', '5m');
  const of = (name: string) => {
    const texts: string[] = [];
    parser.parse(text).iterate({
      enter: (node) => {
        if (node.name === name) texts.push(text.slice(node.from, node.to));
      },
    });
    return texts;
  };
  expect(of('⚠'), query).toEqual([]);
  const metrics = of('VectorSelector').map((selector) => /^\w+/.exec(selector)?.[0] ?? '');
  expect(metrics.length, query).toBeGreaterThan(0);
  for (const metric of metrics) expect([...served.keys()], query).toContain(metric);
  const labels = new Set(metrics.flatMap((metric) => [...(served.get(metric) ?? [])]));
  for (const label of of('LabelName')) expect([...labels, ...scraped], query).toContain(label);
  for (const [, codes = ''] of query.matchAll(/code=~?"([^"]+)"/g))
    for (const code of codes.split('|')) expect(Object.keys(gatewayErrors)).toContain(code);
}

describe('the examples of observability', () => {
  it('have rules on metrics that are served', async () => {
    const { groups } = Rules.parse(parse(await read('rules.yaml')));
    const rules = groups.flatMap((group) => group.rules);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { expr } of rules) check(expr);
  });

  it('have a dashboard on metrics that are served, without panels on one another', async () => {
    const { panels } = Dashboard.parse(JSON.parse(await read('dashboard.json')));
    for (const { targets } of panels) for (const { expr } of targets) check(expr);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('have a collector whose pipelines name what is configured', async () => {
    const Names = z.record(z.string(), z.unknown());
    const Pipeline = z.record(z.string(), z.array(z.string()));
    const { service, ...parts } = z
      .looseObject({ service: z.object({ pipelines: z.record(z.string(), Pipeline) }) })
      .parse(parse(await read('collector.yaml')));
    for (const pipeline of Object.values(service.pipelines))
      for (const [part, names] of Object.entries(pipeline))
        expect(Object.keys(Names.parse(parts[part]))).toEqual(expect.arrayContaining(names));
  });
});
