/** The gateway in the command's own process: a command that shows what is known needs no server and no client. */
import type { CallContext, Gateway } from '../../gateway/interface/gateway.ts';
import { isFailure, type Outcome } from '../../gateway/interface/outcomes.ts';
import { withSentences } from '../../mcp/steps/next-steps.ts';
import type { Settings } from '../config/load.ts';
import { withNextForPerson } from '../terminal/next-steps.ts';
import { describeFailure } from '../terminal/text.ts';
import { type Gateways, openGateways, ownCaller } from './gateways.ts';
import { createLogger } from './logger.ts';
import type { ToolAnswer } from './session.ts';

/** Closes the gateway after the work. Throws a `DataFolderError` where the data folder cannot be used. */
export async function withOwnGateway<Result>(
  settings: Settings,
  work: (gateway: Gateway) => Promise<Result>,
  options?: Parameters<Gateways['open']>[1],
): Promise<Result> {
  const gateways = await openGateways(settings, createLogger(settings.logLevel));
  const gateway = gateways.open(ownCaller(gateways), options);
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
    await gateways.close();
  }
}

/** Of a call that waits for nothing and asks nobody. */
export const plainContext = (): CallContext => ({
  signal: new AbortController().signal,
  waitMs: 0,
  progress: () => {},
  confirmation: 'cannot-ask',
});

export function toAnswer(outcome: Outcome): ToolAnswer {
  const { body, steps } = withSentences(outcome.body);
  return { body, shown: withNextForPerson(body, steps), isError: isFailure(body) };
}

/** Whether the service answers and takes the key; else stderr says why, and the command fails. No rate limit counts it. */
export async function checkService(gateway: Gateway): Promise<boolean> {
  const { shown, isError } = toAnswer(await gateway.listIdentities({}, plainContext()));
  if (!isError) return true;
  process.stderr.write(`${describeFailure(shown)}\n`);
  process.exitCode = 1;
  return false;
}
