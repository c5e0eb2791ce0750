/**
 * What `tools/list` may cost a conversation, in tokens of o200k_base. Clients give their model the name, the description and
 * the input schema of a tool.
 */
import type { Tool } from '@modelcontextprotocol/client';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';

const encoding = new Tiktoken(o200k);

/** Tokens of all static tools, and of an action of the embedded catalogs on average. */
export const tokenBudget = { statics: 2_414, averageAction: 115 } as const;

export const countTokens = ({ name, description, inputSchema }: Tool): number =>
  encoding.encode(JSON.stringify({ name, description, inputSchema })).length;

export const isAction = ({ _meta }: Tool): boolean => _meta?.['svc/action_id'] !== undefined;

export const sumTokens = (tools: readonly Tool[]): number =>
  tools.reduce((sum, tool) => sum + countTokens(tool), 0);
