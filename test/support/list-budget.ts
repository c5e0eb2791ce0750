/**
 * What `tools/list` may cost a conversation. Clients give their model the name, the description and the input schema of a
 * tool. Tokens are estimated from characters: measured with o200k_base in November 2026, the static tools have 4.3
 * characters a token and the tools of actions 4.2.
 */
import type { Tool } from '@modelcontextprotocol/client';

const charsPerToken = 4.2;

/** Tokens of all static tools, and of an action of the embedded catalogs on average. */
export const tokenBudget = { statics: 2_000, averageAction: 115 } as const;

export const estimateTokens = ({ name, description, inputSchema }: Tool): number =>
  Math.ceil(JSON.stringify({ name, description, inputSchema }).length / charsPerToken);

export const isAction = ({ _meta }: Tool): boolean => _meta?.['svc/action_id'] !== undefined;

export const sumTokens = (tools: readonly Tool[]): number =>
  tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
