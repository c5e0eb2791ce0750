/** Observers of tool calls: they admit, count and log every call. */
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { GatewayError } from '../../gateway/errors/errors.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import { toolResult } from './result.ts';

/** The result of a call, with its body; without one where a person is asked first. */
export interface CallAnswer {
  readonly result: CallToolResult | InputRequiredResult;
  readonly body: JsonObject;
}

export interface CallObserver {
  /**
   * `id` is that of the JSON-RPC request. Throws a `GatewayError` to refuse the call; what it returns is called once
   * with the answer's body, or with nothing if there was none.
   */
  begin(call: {
    readonly id: string | number;
    readonly tool: string;
  }): (body: JsonObject | undefined) => void;
}

export async function observeCall(
  observer: CallObserver | undefined,
  call: {
    readonly id: string | number;
    readonly tool: string;
    /** Whether the client would take nothing but a task, so that a refusal is an error of the protocol. */
    readonly asTask?: boolean;
  },
  run: () => Promise<CallAnswer>,
): Promise<CallAnswer['result']> {
  if (observer === undefined) return (await run()).result;
  let end: ReturnType<CallObserver['begin']>;
  try {
    end = observer.begin(call);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (call.asTask !== true) return toolResult(error.body);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.message} ${error.body.next}`);
  }
  let answer: CallAnswer | undefined;
  try {
    answer = await run();
    return answer.result;
  } finally {
    end(answer?.body);
  }
}

/** Counts a request that costs as much as a tool call; a refusal is an error of the protocol. */
export async function countRequest<Result>(
  observer: CallObserver | undefined,
  call: Parameters<CallObserver['begin']>[0],
  run: () => Promise<Result>,
): Promise<Result> {
  let end: ReturnType<CallObserver['begin']> | undefined;
  try {
    end = observer?.begin(call);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.message} ${error.body.next}`);
  }
  try {
    const result = await run();
    end?.({ status: 'ok' });
    return result;
  } catch (error) {
    end?.({ status: 'error' });
    throw error;
  }
}
