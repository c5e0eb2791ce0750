/** Sequences that random runs seldom play: what became doubtful as one kind of call is asked for again as another. */
import { expect, it } from 'vitest';
import type { FaultKind } from '../support/fault-proxy.ts';
import type { CallName } from './calls.ts';
import type { Command } from './commands.ts';
import { GatewayInProcess } from './gateway-in-process.ts';
import { openLane } from './lane.ts';
import { Run } from './run.ts';
import { judge } from './verdict.ts';

const fault = (kind: FaultKind, times = 1): Command => ({ do: 'fault', route: 'task', kind, times });
const call = (name: CallName, giveUpMs?: number): Command => ({
  do: 'call',
  slot: 0,
  call: name,
  resubmit: false,
  giveUpMs,
  background: false,
});
const batch = {
  do: 'batch',
  slot: 1,
  calls: ['quick 0', 'quick 1'],
  maxCredits: undefined,
  giveUpMs: undefined,
  background: false,
} as const satisfies Command;

/** Plays the commands; resolves to how many requests the service accepted, once every promise was kept. */
async function play(
  commands: readonly Command[],
  options: { keyed: boolean; confirmed?: boolean },
): Promise<number> {
  const lane = await openLane();
  try {
    await Run.play(lane, {
      create: (place) => new GatewayInProcess(place),
      commands,
      killable: false,
      judge,
      ...options,
    });
    return lane.accepted;
  } finally {
    await lane.close();
  }
}

it('a call in doubt is not paid again as a row of a batch', async () => {
  expect(await play([fault('reset-after'), call('quick 0'), batch], { keyed: false })).toBe(2);
});

it('rows of a batch in doubt are paid again neither by the same batch nor by a call', async () => {
  const commands = [fault('reset-after', 2), batch, batch, call('quick 0')];
  expect(await play(commands, { keyed: false })).toBe(2);
});

it('a call in doubt whose repeats fail as well is settled by its key when a batch asks for it', async () => {
  expect(await play([fault('reset-after', 3), call('quick 0'), batch], { keyed: true })).toBe(2);
});

it('a build whose caller gave up is not paid again', async () => {
  expect(await play([call('build 0', 30), call('build 0')], { keyed: false })).toBe(1);
});

it.each([true, false])('a build in doubt is not paid again; idempotency keys: %s', async (keyed) => {
  expect(await play([fault('reset-after', 3), call('build 0'), call('build 0')], { keyed })).toBe(1);
});

it.each(['payment-required', 'forbidden', 'in-progress', 'request-timeout', 'error-with-200'] as const)(
  'a doubt whose repeat by key is answered with %s is not paid again',
  async (kind) => {
    const commands = [fault('reset-after'), fault(kind, 3), call('quick 0'), call('quick 0')];
    expect(await play(commands, { keyed: true })).toBe(1);
  },
);

it('a call whose cancel crossed its answer is not paid again', async () => {
  const crossed = (name: CallName): Command => ({ do: 'cross', slot: 0, call: name });
  const commands = [crossed('quick 0'), call('quick 0'), crossed('build 0'), call('build 0')];
  expect(await play(commands, { keyed: false })).toBe(2);
});

it('a job that is gone for a while is not paid again', async () => {
  const commands: Command[] = [
    { do: 'call', slot: 0, call: 'slow 0', resubmit: false, giveUpMs: 60, background: false },
    { do: 'hide', call: 'slow 0', ms: 600 },
    call('slow 0'),
    { do: 'settle' },
    call('slow 0'),
  ];
  // Paid anew only after its end was told.
  expect(await play(commands, { keyed: false })).toBeLessThanOrEqual(2);
});

it('an answer of a person to a batch pays once, also after another one continued the batch', async () => {
  const consent = (name: number, giveUpMs?: number): Command => ({
    do: 'consent to batch',
    slot: 0,
    consent: name,
    giveUpMs,
    background: false,
  });
  await play([consent(0, 5), consent(1), consent(0), consent(1)], { keyed: false, confirmed: true });
});

it('rows of a batch that were planned are not paid once the limits allow nothing', async () => {
  const batches: Command = { ...batch, calls: ['bounded 0', 'bounded 1', 'bounded 2'], giveUpMs: 20 };
  await play([batches, { do: 'lower limits' }, { ...batches, giveUpMs: undefined }], { keyed: false });
});
