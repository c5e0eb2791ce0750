/** What may happen in a run: the commands that a sequence is made of. */
import type { FaultKind } from '../support/fault-proxy.ts';
import type { CallName, Slot } from './calls.ts';

export type Command =
  /** `giveUpMs`: the client cancels, or runs into its time-out, after so long. */
  | {
      readonly do: 'call';
      readonly slot: Slot;
      readonly call: CallName;
      readonly resubmit: boolean;
      readonly giveUpMs: number | undefined;
      readonly background: boolean;
    }
  | {
      readonly do: 'batch';
      readonly slot: Slot;
      readonly calls: readonly CallName[];
      readonly maxCredits: number | undefined;
      readonly giveUpMs: number | undefined;
      readonly background: boolean;
    }
  /** The same call or batch several times at once. The first ones give up, the others stay. */
  | ({
      readonly do: 'burst';
      readonly count: number;
      readonly leaving: number;
      readonly giveUpMs: number;
    } & ({ readonly call: CallName } | { readonly calls: readonly CallName[] }))
  /** Both dear calls in one batch, with an answer of a person to it, which may have been sent before. */
  | {
      readonly do: 'consent to batch';
      readonly slot: Slot;
      readonly consent: number;
      readonly giveUpMs: number | undefined;
      readonly background: boolean;
    }
  /** A call whose client cancels it when the answer is on its way: it drops the answer unread. */
  | { readonly do: 'cross'; readonly slot: Slot; readonly call: CallName }
  /** Both gateways begin anew with limits that allow no paid call. */
  | { readonly do: 'lower limits' }
  /** The dear call with an answer of a person, which may have been sent before. */
  | {
      readonly do: 'consent';
      readonly slot: Slot;
      readonly consent: number;
      readonly giveUpMs: number | undefined;
      readonly background: boolean;
    }
  | { readonly do: 'list jobs'; readonly slot: Slot }
  /** The job that was named last, delivered or not. */
  | { readonly do: 'get job'; readonly slot: Slot; readonly giveUpMs: number | undefined }
  | { readonly do: 'settle' }
  | {
      readonly do: 'fault';
      readonly route: 'task' | 'job' | 'connection';
      readonly kind: FaultKind;
      readonly times: number;
    }
  | { readonly do: 'refuse connections'; readonly ms: number }
  | { readonly do: 'restart'; readonly slot: Slot }
  /** The client ends without reading what was written to it, and comes back as another one. */
  | { readonly do: 'leave'; readonly slot: Slot; readonly afterMs: number }
  | { readonly do: 'kill'; readonly slot: Slot; readonly afterMs: number }
  /**
   * The process is stopped (SIGSTOP) and goes on later, with whatever it was about to do. `isLong`: in the store so much
   * time passes that its requests are given up, and what it had planned.
   */
  | {
      readonly do: 'freeze';
      readonly slot: Slot;
      readonly afterMs: number;
      readonly ms: number;
      readonly isLong: boolean;
    }
  /** A client over HTTP that reads nothing and whose connection is reset. */
  | { readonly do: 'die unread'; readonly slot: Slot; readonly call: CallName; readonly afterMs: number }
  /** Another process holds the write lock of the SQLite file, or of the table. */
  | { readonly do: 'lock store'; readonly ms: number }
  /** PostgreSQL is not heard any more, as behind a dead router; what was connected stays silent afterwards. */
  | { readonly do: 'silence store'; readonly ms: number }
  /** For `ms` milliseconds each commit of PostgreSQL takes as long as `commitMs`. */
  | { readonly do: 'delay commits'; readonly commitMs: number; readonly ms: number }
  /** From now on the wall clock of a gateway is wrong by so much. It decides nothing, because the store has its own. */
  | { readonly do: 'set clock'; readonly slot: Slot; readonly minutesAhead: number }
  /** Changes of intents to this state fail for a while. */
  | { readonly do: 'fail writes'; readonly state: 'submitted' | 'finished' | 'unknown'; readonly ms: number }
  /** For a while the service does not know the jobs of this call. */
  | { readonly do: 'hide'; readonly call: CallName; readonly ms: number }
  /** The service does not know the jobs of this call any more. */
  | { readonly do: 'forget'; readonly call: CallName }
  | { readonly do: 'hours pass'; readonly hours: number };
