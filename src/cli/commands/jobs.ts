/** `svc-mcp jobs`: recent paid jobs and spending, for people. */
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { checkService, plainContext, toAnswer, withOwnGateway } from '../setup/own-gateway.ts';
import type { ToolAnswer } from '../setup/session.ts';
import { table } from '../terminal/table.ts';
import { describeFailure } from '../terminal/text.ts';

const Body = z.looseObject({
  jobs: z.array(
    z.looseObject({
      job_id: z.string(),
      action_id: z.string().nullish(),
      website_url: z.string().nullish(),
      rows_total: z.number().optional(),
      status: z.string(),
      credits: z.number(),
      created_at: z.string().nullable(),
      error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
  credits_spent_today: z.number(),
});

function describeWork({ action_id, website_url, rows_total }: z.infer<typeof Body>['jobs'][number]): string {
  if (action_id == null) return `build of ${website_url ?? ''}`;
  return rows_total === undefined ? action_id : `${action_id} (batch of ${rows_total})`;
}

export async function jobs(flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags, { logLevel: 'warn' });
  await withOwnGateway(settings, async (gateway) => {
    const answer = toAnswer(await gateway.getJob({}, plainContext()));
    if (answer.isError) process.exitCode = 1;
    // The list is kept here, so it is shown all the same; for a refused key of a remote service it is empty.
    const isServed = answer.isError || settings.baseUrl === undefined || (await checkService(gateway));
    print(answer, { isServed, isJson: flags.json === true });
  });
}

function print(
  { body, shown, isError }: ToolAnswer,
  { isServed, isJson }: { readonly isServed: boolean; readonly isJson: boolean },
): void {
  if (isJson) {
    process.stdout.write(`${JSON.stringify(body, undefined, 2)}\n`);
    return;
  }
  if (isError) {
    process.stderr.write(`${describeFailure(shown)}\n`);
    return;
  }
  const { jobs: recent, credits_spent_today } = Body.parse(body);
  if (!isServed && recent.length === 0) return;
  const problems = recent.flatMap(({ job_id, error }) =>
    error === undefined ? [] : [`${job_id}: ${error.code}: ${error.message}`],
  );
  const rows = recent.map((job) => [
    job.created_at?.replace('T', ' ').slice(0, 19) ?? '',
    job.status,
    String(job.credits),
    describeWork(job),
    job.job_id,
  ]);
  process.stdout.write(`${table(['STARTED (UTC)', 'STATUS', 'CREDITS', 'ACTION', 'JOB'], rows)}\n`);
  if (problems.length > 0) process.stdout.write(`\n${problems.join('\n')}\n`);
  process.stdout.write(`\n${creditsText(credits_spent_today)} spent today (UTC).\n`);
}
