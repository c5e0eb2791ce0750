/** What the actions of the embedded service cost every conversation. Needs `dist/`: `npm test` builds it first. */
import type { Tool } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { staticToolList } from '../../src/mcp/tools/static-tool-list.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms } from '../support/program.ts';

/** Of an action tool on average: as `tools/list` sends it, and what clients give their model of that. */
const averageChars = 500;
const averageReadChars = 390;

let allTools: Tool[];
let tools: Tool[];
beforeAll(async () => {
  const { client } = await connectProgram('auto', { SVC_DATA_DIR: await temporaryFolder() });
  // On a loaded machine the first list is sent before the embedded service has said what it offers.
  await vi.waitFor(
    async () => {
      allTools = (await client.listTools()).tools;
      tools = allTools.filter(({ _meta }) => _meta?.['svc/action_id'] !== undefined);
      expect(tools).not.toEqual([]);
    },
    { timeout: 30_000 },
  );
});
afterAll(async () => {
  await endPrograms();
  await closeGateways();
});

const propertiesOf = ({ inputSchema }: Tool) => Object.entries(inputSchema.properties ?? {});

it('the static tools, which the build computes, are those of the source', () => {
  const { length } = staticToolList;
  const listed = allTools.slice(0, length).map(({ _meta, execution, ...tool }) => tool);
  expect(listed).toEqual(staticToolList);
});

describe('the action tools of the embedded service', () => {
  it(`have ${averageChars} characters on average at most, and the model reads ${averageReadChars}`, () => {
    expect(tools.length).toBeGreaterThan(15);
    // The address of the view costs no conversation: clients show models no `_meta`.
    const plain = tools.map(({ _meta: { ui: _, ...meta } = {}, ...tool }) => ({ ...tool, _meta: meta }));
    const chars = plain.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
    expect(chars / tools.length).toBeLessThanOrEqual(averageChars);
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const readChars = read.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
    expect(readChars / tools.length).toBeLessThanOrEqual(averageReadChars);
  });

  it("begin with the catalog's own sentence, quoted, and state their cost", () => {
    for (const { name, description } of tools) {
      expect(description, name).toMatch(/^"[A-Z][a-z]+s .+\." .+\. Costs (from )?\d+ credits?\b/);
    }
  });

  it('say each constraint once, in a description where clients drop its keyword', () => {
    for (const tool of tools) {
      for (const [name, property] of propertiesOf(tool)) {
        for (const keyword of ['pattern', 'default', 'maximum', 'examples'])
          expect(property, `${tool.name} ${name}`).not.toHaveProperty(keyword);
      }
    }
    const described = (name: string) =>
      tools.filter((tool) => tool.name === name).map((tool) => tool.inputSchema.properties);
    expect(described('github_releases')).toMatchObject([
      {
        owner: { description: 'User or organisation (pattern ^[A-Za-z0-9-]+$; e.g. nodejs)' },
        max_pages: { description: 'Pages of 30 releases (1 to 5; default 1)' },
        select: { type: 'string', description: 'JMESPath' },
      },
    ]);
  });

  it('say in a search which fields their results have', async () => {
    const { client } = await connectProgram('auto', { SVC_DATA_DIR: await temporaryFolder() });
    const { structuredContent } = await client.callTool({
      name: 'search_actions',
      arguments: { q: 'repository', catalog: 'github' },
    });
    expect(structuredContent).toMatchObject({
      results: expect.arrayContaining([
        expect.objectContaining({
          action_id: 'github_repository',
          returns: expect.arrayContaining(['stars', 'license']),
        }),
      ]),
    });
  });

  it('have a sentence on select in the instructions', async () => {
    const { client } = await connectProgram('auto', { SVC_DATA_DIR: await temporaryFolder() });
    expect(client.getInstructions()).toMatch(/select, a JMESPath expression/);
  });
});
