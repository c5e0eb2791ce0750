/** `svc-mcp jobs`: recent paid jobs and spending, for people. */
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { checkService, openSession } from '../setup/session.ts';
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
  const session = await openSession(loadSettings(process.env, flags), settingArguments(flags));
  try {
    const { body, shown, isError } = await session.callTool('get_job', {});
    if (isError) process.exitCode = 1;
    // The list is kept here, so it is shown all the same; for a refused key it is empty.
    const isServed = isError || (await checkService(session));
    if (flags.json === true) {
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
  } finally {
    await session.close();
  }
}
