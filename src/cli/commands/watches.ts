/** `svc-mcp watches`: what runs again and again, what it told, and what can be done with it. */
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { ChangeWatchInput, Gateway } from '../../gateway/interface/gateway.ts';
import type { Outcome } from '../../gateway/interface/outcomes.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { plainContext, toAnswer, withOwnGateway } from '../setup/own-gateway.ts';
import type { ToolAnswer } from '../setup/session.ts';
import { watchOutlets } from '../setup/watch-outlets.ts';
import { table } from '../terminal/table.ts';
import { describeFailure } from '../terminal/text.ts';

/** A last run that brought no version. */
const LastRun = z.looseObject({ outcome: z.string(), at: z.string().nullable(), message: z.string() });

const Listed = z.looseObject({
  watches: z.array(
    z.looseObject({
      watch_id: z.string(),
      action_id: z.string(),
      state: z.string(),
      running: z.boolean().default(false),
      every: z.string(),
      next_run_at: z.string().nullable(),
      changes: z.number(),
      unread: z.number().default(0),
      credits_used: z.number(),
      last_run: LastRun.optional(),
      error: z.looseObject({ message: z.string() }).optional(),
      next: z.string().optional().catch(undefined),
    }),
  ),
  note: z.string().optional(),
});

const Changes = z.looseObject({
  state: z.string(),
  running: z.boolean().default(false),
  changes: z.array(
    z.looseObject({
      seq: z.number(),
      at: z.string().nullable(),
      kind: z.string(),
      summary: z.string().nullable(),
      added: z.array(z.unknown()),
      removed: z.array(z.unknown()),
      changed: z.array(
        z.looseObject({ key: z.unknown(), field: z.string(), before: z.unknown(), after: z.unknown() }),
      ),
      more: z.number().default(0),
    }),
  ),
  next_after: z.number(),
  has_more: z.boolean().default(false),
  credits_used: z.number(),
  missed: z.number(),
  last_run: LastRun.optional(),
  next: z.string().optional().catch(undefined),
});

const compareMs = 200;
const maxShown = 5;
const maxText = 100;

/** Longer than most runs. */
const waitMs = 45_000;

async function withGateway(
  flags: Flags,
  work: (gateway: Gateway) => Promise<Outcome>,
  print: (body: ToolAnswer['body']) => string,
): Promise<void> {
  const settings = loadSettings(process.env, flags, { logLevel: 'warn' });
  const { body, shown, isError } = toAnswer(await withOwnGateway(settings, work));
  if (isError) process.exitCode = 1;
  if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
  else if (isError) process.stderr.write(`${describeFailure(shown)}\n`);
  else process.stdout.write(`${print(shown)}\n`);
}

const lastRunText = ({ outcome, at, message }: z.infer<typeof LastRun>): string =>
  `Its last run (${toTime(at)} UTC) brought no version, ${outcome}: ${message}`;

const toTime = (time: string | null): string => time?.replace('T', ' ').slice(0, 16) ?? '';

export const showWatches = (flags: Flags): Promise<void> =>
  withGateway(
    flags,
    (gateway) => gateway.listWatches({}, plainContext()),
    (body) => {
      const { watches, note } = Listed.parse(body);
      if (watches.length === 0) return 'There are no watches. An agent makes them with the tool watch.';
      const rows = watches.map((watch) => [
        watch.watch_id,
        watch.state,
        watch.every,
        toTime(watch.next_run_at),
        watch.unread === 0 ? String(watch.changes) : `${watch.changes} (${watch.unread} unread)`,
        String(watch.credits_used),
        watch.action_id,
      ]);
      const problems = watches.flatMap(({ watch_id, last_run, error, next }) => {
        const said = [last_run === undefined ? error?.message : lastRunText(last_run), next].filter(Boolean);
        return said.length === 0 ? [] : [`${watch_id}: ${said.join(' ')}`];
      });
      const all = table(['WATCH', 'STATE', 'EVERY', 'NEXT (UTC)', 'CHANGES', 'CREDITS', 'ACTION'], rows);
      return [all, ...problems, ...(note === undefined ? [] : [note])].join('\n');
    },
  );

export const showWatch = (id: string, flags: Flags): Promise<void> =>
  withGateway(
    flags,
    async (gateway) => {
      const changes: unknown[] = [];
      for (let after = 0; ; ) {
        const answer = await gateway.listWatches({ watch_id: id, after }, plainContext());
        const { data } = Changes.safeParse(answer.body);
        if (data === undefined) return answer;
        changes.push(...data.changes);
        if (!data.has_more) return { ...answer, body: { ...answer.body, changes } };
        after = data.next_after;
      }
    },
    (body) => {
      const { changes, state, running, credits_used, missed, last_run, next } = Changes.parse(body);
      const told = changes.flatMap((change) => [
        `${toTime(change.at)} ${change.kind}: ${change.summary ?? ''}`,
        ...change.added.slice(0, maxShown).map((row) => `  + ${short(row)}`),
        ...change.removed.slice(0, maxShown).map((row) => `  - ${short(row)}`),
        ...change.changed
          .slice(0, maxShown)
          .map(
            ({ key, field, before, after }) =>
              `  ${short(key)} ${field}: ${short(before)} -> ${short(after)}`,
          ),
        ...restOf(change),
      ]);
      const facts = `${state}; ${count(credits_used, 'credit')}, ${count(missed, 'due time')} without a run.`;
      const nothing = running || last_run !== undefined ? [] : ['Nothing has changed yet.'];
      const noVersion = last_run === undefined ? [] : [lastRunText(last_run)];
      const underWay = running ? ['A run is under way: what it finds is not among this.'] : [];
      const step = next === undefined ? [] : [next];
      return [...(told.length === 0 ? nothing : told), ...underWay, ...noVersion, facts, ...step].join('\n');
    },
  );

export const setWatch = (id: string, set: ChangeWatchInput['set'], flags: Flags): Promise<void> =>
  withGateway(
    flags,
    (gateway) => gateway.watch({ watch_id: id, set }, plainContext()),
    ({ state }) => `${id}: ${String(state)}`,
  );

/** Runs a watch once, and waits for that: where no server runs, nothing else would send what is planned. */
export const runWatch = (id: string, flags: Flags): Promise<void> =>
  withGateway(
    flags,
    async (gateway) => {
      let answer = await gateway.watch({ watch_id: id, set: 'run' }, plainContext());
      const { job_id } = answer.body;
      while (answer.body.status === 'processing')
        answer = await gateway.getJob({ job_id: String(job_id) }, { ...plainContext(), waitMs });
      // What is listed counts as unread still.
      const isRunning = async () =>
        Listed.safeParse((await gateway.listWatches({}, plainContext())).body).data?.watches.some(
          ({ watch_id, running }) => watch_id === id && running,
        );
      while (await isRunning()) await delay(compareMs);
      return answer;
    },
    ({ job_id }) => `${id}: job ${String(job_id)} has ended. svc-mcp watches show ${id} shows what changed.`,
  );

/** What cron or systemd calls where no server runs all the time. */
export async function runDue(flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags, { logLevel: 'warn' });
  const work = async (gateway: Gateway) => {
    await gateway.runDueWatches();
    process.stdout.write(`${gateway.watchNews() ?? 'Nothing new.'}\n`);
  };
  // No server is there to write the feeds and to send to the webhook.
  await withOwnGateway(settings, work, { watchOutlets: watchOutlets(settings) });
}

function restOf({ added, removed, changed, more }: z.infer<typeof Changes>['changes'][number]): string[] {
  const unshown = [added, removed, changed].map(({ length }) => Math.max(0, length - maxShown));
  const rest = unshown.reduce((sum, one) => sum + one, more);
  return rest === 0 ? [] : [`  and ${rest} more; --json has those that are kept`];
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`;
}
