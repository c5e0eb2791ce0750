/** Many runs, several at a time, each lane with a seed of its own; and what is printed of them. */
import fc from 'fast-check';
import type { PostgresCluster } from '../support/postgres.ts';
import { ChaosFailure, type FailureKind, failureKinds } from './chaos-failure.ts';
import type { Command } from './commands.ts';
import { GatewayInProcess } from './gateway-in-process.ts';
import { GatewayProcess, GatewayReplica } from './gateway-processes.ts';
import { type Lane, openLane } from './lane.ts';
import { commandsFor } from './random-commands.ts';
import { Run } from './run.ts';
import type { Place } from './tested-gateway.ts';
import { judge } from './verdict.ts';

export interface Campaign {
  readonly kind: 'in-process' | 'spawned' | 'replicas';
  /** A lane's own seed is this plus its number. */
  readonly seed: number;
  readonly runs: number;
  readonly lanes: number;
  /** On PostgreSQL instead of files; each lane has a database of its own. */
  readonly cluster?: PostgresCluster;
  /** The built command's entry file, where the gateways are processes. */
  readonly program?: string;
  /** Called with each run's failure as soon as it is known, also while it is reduced. */
  readonly onFailure?: (message: string) => void;
  /** Ends the campaign early: runs that are under way are not judged. */
  readonly signal?: AbortSignal;
}

interface Failure {
  readonly kind: FailureKind | 'other';
  /** Everything that is needed to see it again. */
  readonly description: string;
}

export interface Totals {
  readonly campaign: Campaign;
  readonly runs: number;
  readonly commands: number;
  readonly kills: number;
  readonly crossed: number;
  readonly restarts: number;
  readonly faults: ReadonlyMap<string, number>;
  /** What was done in the runs. */
  readonly counts: ReadonlyMap<string, number>;
  /** Jobs and builds that the service accepted. */
  readonly accepted: number;
  readonly failures: readonly Failure[];
}

export async function chaos(campaign: Campaign): Promise<Totals> {
  const { kind, program = 'dist/cli/main.js', runs } = campaign;
  const create = {
    'in-process': (place: Place) => new GatewayInProcess(place),
    spawned: (place: Place) => new GatewayProcess(place, program),
    replicas: (place: Place) => new GatewayReplica(place, program),
  }[kind];
  const lanes = await Promise.all(
    Array.from({ length: campaign.lanes }, async () => openLane(await campaign.cluster?.createDatabase())),
  );
  const stopped = campaign.signal && whenAborted(campaign.signal);
  const failures: Failure[] = [];
  let commandCount = 0;

  const runLane = async (lane: Lane, index: number) => {
    const property = fc.asyncProperty(
      commandsFor(kind, campaign.cluster === undefined ? 'sqlite' : 'postgres'),
      fc.option(fc.constantFrom(12, 60), { nil: undefined, freq: 2 }),
      fc.boolean(),
      kind === 'in-process' ? fc.boolean() : fc.constant(false),
      async (
        commands: readonly Command[],
        maxCreditsPerDay: number | undefined,
        keyed: boolean,
        confirmed: boolean,
      ) => {
        if (campaign.signal?.aborted === true) return;
        const play = Run.play(lane, {
          create,
          commands,
          maxCreditsPerDay,
          keyed,
          confirmed,
          killable: kind !== 'in-process',
          judge,
        }).catch((error: unknown) => {
          campaign.onFailure?.(`${nameOf(campaign)}, seed ${campaign.seed + index}: ${String(error)}`);
          throw error;
        });
        await (stopped === undefined ? play : Promise.race([play, stopped]));
        commandCount += commands.length;
      },
    );
    const numRuns = Math.floor(runs / campaign.lanes) + (index < runs % campaign.lanes ? 1 : 0);
    const details = await fc.check(property, { seed: campaign.seed + index, numRuns });
    if (!details.failed) return;
    const error = details.errorInstance;
    failures.push({
      kind: error instanceof ChaosFailure ? error.kind : 'other',
      description: [
        `${nameOf(campaign)}, seed ${details.seed}, path ${details.counterexamplePath}, ${details.numShrinks} shrinks:`,
        ...(details.counterexample?.[0] ?? []).map((command) => `  ${JSON.stringify(command)}`),
        `  credits a day: ${details.counterexample?.[1] ?? 'no limit'}; idempotency keys: ${details.counterexample?.[2]}; confirmations: ${details.counterexample?.[3]}`,
        `  ${error instanceof ChaosFailure ? error.message : error instanceof Error ? error.stack : String(error)}`,
      ].join('\n'),
    });
  };
  await Promise.all(lanes.map(runLane));
  if (campaign.signal?.aborted !== true) await Promise.all(lanes.map((lane) => lane.close()));
  return {
    campaign,
    runs: sum(lanes.map((lane) => lane.runs)),
    commands: commandCount,
    kills: sum(lanes.map((lane) => lane.kills)),
    crossed: sum(lanes.map((lane) => lane.crossed)),
    restarts: sum(lanes.map((lane) => lane.restarts)),
    faults: merged(lanes.flatMap((lane) => [lane.proxy.injected, lane.faults])),
    counts: merged(lanes.map((lane) => lane.counts)),
    accepted: sum(lanes.map((lane) => lane.accepted)),
    failures,
  };
}

export function report(all: readonly Totals[], seed: number, ms: number): string {
  const lines = [`Chaos of the gateway, seed ${seed}, ${Math.round(ms / 1000)} s`];
  if (all.some(({ campaign }) => campaign.signal?.aborted === true))
    lines.push('STOPPED EARLY: this is what ran until then; the runs under way were not judged');
  for (const { campaign, runs, commands, kills, restarts } of all) {
    lines.push(
      `${nameOf(campaign)}: ${runs} of ${campaign.runs} runs, ${campaign.lanes} at a time, ${commands} commands, ${restarts} restarts, ${kills} kills (seeds ${campaign.seed} to ${campaign.seed + campaign.lanes - 1})`,
    );
  }
  const faults = merged(all.map((totals) => totals.faults));
  lines.push(`runs: ${sum(all.map(({ runs }) => runs))}`);
  lines.push(`faults: ${sum([...faults.values()])}`);
  lines.push(`paid jobs: ${sum(all.map(({ accepted }) => accepted))}`);
  for (const [name, count] of [...faults].sort()) lines.push(`  ${name}: ${count}`);
  for (const [name, count] of merged(all.map(({ counts }) => counts))) lines.push(`${name}: ${count}`);
  lines.push(`kills: ${sum(all.map(({ kills }) => kills))}`);
  const failures = all.flatMap((totals) => totals.failures);
  for (const kind of [...failureKinds, 'other']) {
    lines.push(`${kind}: ${failures.filter((failure) => failure.kind === kind).length}`);
  }
  lines.push(
    `paid again after an answer that crossed a cancellation: ${sum(all.map(({ crossed }) => crossed))}`,
  );
  lines.push(
    failures.length === 0 ? 'Every promise was kept' : `FAILED: ${failures.length} promises were broken`,
  );
  for (const { description } of failures) lines.push('', description);
  return `${lines.join('\n')}\n`;
}

const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

const nameOf = ({ kind, cluster }: Campaign) => (cluster === undefined ? kind : `${kind} on PostgreSQL`);

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

function merged(maps: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const map of maps) {
    for (const [name, count] of map) total.set(name, (total.get(name) ?? 0) + count);
  }
  return total;
}
