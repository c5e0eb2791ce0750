/** Ctrl-C, as a command takes it that has something to say before it ends. */
import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM'] as const;

export interface Interruption {
  /** The exit code of a command that a signal ended; undefined before one arrives. */
  readonly exitCode: number | undefined;
  /** Called at the first signal, at once if it has arrived. */
  onSignal(act: () => void): void;
  stop(): void;
}

/** The first signal no longer ends the process; a second one does. */
export function listenForInterruption(): Interruption {
  let exitCode: number | undefined;
  let notify = () => {};
  const receive = (name: (typeof signals)[number]) => {
    stop();
    exitCode = 128 + constants.signals[name];
    notify();
  };
  const stop = () => {
    for (const name of signals) process.off(name, receive);
  };
  for (const name of signals) process.on(name, receive);
  return {
    get exitCode() {
      return exitCode;
    },
    onSignal(act) {
      notify = act;
      if (exitCode !== undefined) act();
    },
    stop,
  };
}
