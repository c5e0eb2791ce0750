/** A static tool is data plus a handler; the other modules treat all of them alike. */
import type * as z from 'zod';
import type { CallContext, Gateway } from '../../gateway/interface/gateway.ts';
import type { Outcome } from '../../gateway/interface/outcomes.ts';

/** What an access token may allow. Without an authorization server everything is allowed. */
export const scopes = ['actions:read', 'actions:run', 'accounts:write', 'builds:write'] as const;
export type Scope = (typeof scopes)[number];

export const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);

export interface StaticTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Purpose first, then when to use it and when not. Clients cut long ones. */
  readonly description: string;
  /** All four hints: clients decide by them what runs without asking the user, and their defaults differ. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** What an access token must allow to call it. */
  readonly scope: Scope;
  readonly input: Input;
  /** Whether it starts work that a client may follow as a task. */
  readonly mayBeTask?: boolean;
  run(gateway: Gateway, input: z.infer<Input>, context: CallContext): Promise<Outcome>;
}

/** Gives a tool's handler the type of its own input. */
export function defineTool<Input extends z.ZodObject>(tool: StaticTool<Input>): StaticTool<Input> {
  return tool;
}

/** For tools that only read: free, and the same call twice does no harm. */
export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;
