/** What the actions of the embedded service cost every conversation. Needs `dist/`: `npm test` builds it first. */
import type { Tool } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { isAction, sumTokens, tokenBudget } from '../support/list-budget.ts';
import { connectProgram, endPrograms } from '../support/program.ts';

let allTools: Tool[];
let tools: Tool[];
beforeAll(async () => {
  const { client } = await connectProgram('auto', { SVC_DATA_DIR: await temporaryFolder() });
  // On a loaded machine the first list is sent before the embedded service has said what it offers.
  await vi.waitFor(
    async () => {
      allTools = (await client.listTools()).tools;
      tools = allTools.filter(isAction);
      expect(tools).not.toEqual([]);
    },
    { timeout: 30_000 },
  );
});
afterAll(async () => {
  await endPrograms();
  await closeGateways();
});

it('the list stays within its budget of tokens', () => {
  expect(tools.length).toBeGreaterThan(15);
  expect(sumTokens(allTools.filter((tool) => !isAction(tool)))).toBeLessThanOrEqual(tokenBudget.statics);
  expect(sumTokens(tools) / tools.length).toBeLessThanOrEqual(tokenBudget.averageAction);
});

describe('the action tools of the embedded service', () => {
  it("begin with the catalog's own sentence, quoted, and state their cost", () => {
    for (const { name, description } of tools) {
      expect(description, name).toMatch(/^"([^:]+: )?[A-Z][a-z]+s .+\." (.+\. )?Costs \d+ credits?\b/);
    }
  });

  it('say each constraint once, by its keyword', () => {
    const described = (name: string) =>
      tools.filter((tool) => tool.name === name).map((tool) => tool.inputSchema.properties);
    expect(described('github_releases')).toMatchObject([
      {
        owner: { description: 'User or organisation', pattern: '^[A-Za-z0-9-]+$', examples: ['nodejs'] },
        max_pages: { description: 'Pages of 30 releases', minimum: 1, maximum: 5, default: 1 },
        select: { type: 'string' },
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
