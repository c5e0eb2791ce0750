/** Who is told of every tool call: to admit, to count and to log it. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { GatewayError } from '../gateway/errors.ts';
import { toolResult } from './result.ts';

export type CallResult = CallToolResult | InputRequiredResult;

export interface CallObserver {
  /**
   * `id` is that of the JSON-RPC request. Throws a `GatewayError` to refuse the call; what it returns is called once
   * with the result, or with nothing if there was none.
   */
  begin(call: {
    readonly id: string | number;
    readonly tool: string;
  }): (result: CallResult | undefined) => void;
}

export async function observed(
  observer: CallObserver | undefined,
  call: { readonly id: string | number; readonly tool: string },
  run: () => Promise<CallResult>,
): Promise<CallResult> {
  if (observer === undefined) return run();
  let end: ReturnType<CallObserver['begin']>;
  try {
    end = observer.begin(call);
  } catch (error) {
    if (error instanceof GatewayError) return toolResult(error.body);
    throw error;
  }
  let result: CallResult | undefined;
  try {
    result = await run();
    return result;
  } finally {
    end(result);
  }
}
