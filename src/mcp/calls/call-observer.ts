/** Observers of tool calls: they admit, count and log every call. */
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { JsonObject, Refused } from '../../gateway/interface/outcomes.ts';
import { writeForAgent } from '../steps/next-steps.ts';
import { toolResult } from './result.ts';

/** The result of a call, with its body; without one where a person is asked first. */
export interface CallAnswer {
  readonly result: CallToolResult | InputRequiredResult;
  readonly body: JsonObject;
}

export interface CallObserver {
  /** `id` is that of the JSON-RPC request. */
  begin(call: { readonly id: string | number; readonly tool: string }): CallStart;
}

/** Why a call may not run; else `end`, to be called once with the answer's body, or with nothing if there was none. */
export type CallStart =
  | { readonly refusal: Refused }
  | { readonly refusal?: never; readonly end: (body: JsonObject | undefined) => void };

export async function observeCall(
  observer: CallObserver,
  call: Parameters<CallObserver['begin']>[0],
  run: () => Promise<CallAnswer>,
): Promise<CallAnswer> {
  const start = observer.begin(call);
  if (start.refusal !== undefined) return { result: toolResult(start.refusal), body: start.refusal };
  let answer: CallAnswer | undefined;
  try {
    answer = await run();
    return answer;
  } finally {
    start.end(answer?.body);
  }
}

/** Counts a request that costs as much as a tool call; a refusal is an error of the protocol. */
export async function countRequest<Result>(
  observer: CallObserver | undefined,
  call: Parameters<CallObserver['begin']>[0],
  run: () => Promise<Result>,
): Promise<Result> {
  if (observer === undefined) return run();
  const start = observer.begin(call);
  if (start.refusal !== undefined) {
    const { error, next } = start.refusal;
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.message} ${writeForAgent(next)}`);
  }
  try {
    const result = await run();
    start.end({ status: 'ok' });
    return result;
  } catch (error) {
    start.end({ status: 'error' });
    throw error;
  }
}
