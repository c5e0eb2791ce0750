/** `svc-mcp actions`: the actions that one built, and what can be done with them. */
import * as z from 'zod';
import { SettingsError } from '../config/errors.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { openSession, type ToolAnswer } from '../setup/session.ts';
import { progressLine } from '../terminal/progress-line.ts';
import { cell, table } from '../terminal/table.ts';
import { describeFailure } from '../terminal/text.ts';

const Builds = z.looseObject({
  build_requests: z.array(
    z.looseObject({
      status: z.string(),
      action_id: z.string().nullish(),
      website_url: z.string(),
      goal: z.string(),
      created_at: z.string(),
      removed: z.boolean().default(false),
    }),
  ),
});
const maxGoal = 60;

async function withTool(
  flags: Flags,
  tool: string,
  args: Record<string, unknown>,
  print: (body: ToolAnswer['body']) => string,
): Promise<void> {
  const session = await openSession(loadSettings(process.env, flags), settingArguments(flags));
  const line = progressLine();
  try {
    const { body, shown, isError } = await session.callTool(tool, args, line.show);
    line.clear();
    if (isError || Object(body).status === 'not_repaired') process.exitCode = 1;
    if (flags.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
    else if (isError) process.stderr.write(`${describeFailure(shown)}\n`);
    else process.stdout.write(`${print(shown)}\n`);
  } finally {
    line.clear();
    await session.close();
  }
}

export const listActions = (flags: Flags): Promise<void> =>
  withTool(flags, 'list_build_requests', {}, (body) => {
    const seen = new Set<string>();
    const rows = Builds.parse(body).build_requests.flatMap(
      ({ status, action_id, website_url, goal, created_at, removed }) =>
        status !== 'success' || action_id == null || seen.has(action_id) || !seen.add(action_id)
          ? []
          : [
              [
                action_id,
                created_at.slice(0, 10),
                removed ? 'removed' : '',
                website_url,
                goal.slice(0, maxGoal),
              ],
            ],
    );
    return rows.length === 0
      ? 'You built no action yet: svc-mcp build <url> "<goal>"'
      : table(['ACTION', 'BUILT', '', 'PAGE', 'GOAL'], rows);
  });

export async function renameOwnAction(id: string, name: string, flags: Flags): Promise<void> {
  // The tool takes an empty text for an argument that was left out.
  if (name.trim() === '') throw new SettingsError('The new name is empty');
  await changeAction(id, { name }, flags);
}

const Column = z.object({ label: z.string(), samples: z.array(z.unknown()) });
const Changed = z.looseObject({
  status: z.string(),
  reason: z.string().optional(),
  version: z.string().optional(),
  // Another service may prove it by other figures.
  proof: z.object({ rows_before: z.number(), rows_equal: z.number() }).optional().catch(undefined),
  fields: z
    .record(z.string(), z.object({ before: Column, after: Column }))
    .optional()
    .catch(undefined),
  next: z.string().optional(),
});

/** The status, what proves a repair, and of a preview where each field was and would be read. */
export function describeChange(id: string, body: unknown): string {
  const { status, reason, version, proof, fields, next } = Changed.parse(body);
  const facts = [
    version && `version ${version}`,
    proof && `${proof.rows_equal} of ${proof.rows_before} earlier rows are on the page with the same values`,
    reason,
  ].filter((fact) => fact !== undefined && fact !== '');
  const shown = ({ label, samples }: z.infer<typeof Column>) => [label, cell(samples[0] ?? '')];
  const rows = Object.entries(fields ?? {}).map(([name, { before, after }]) => [
    name,
    ...shown(before),
    ...shown(after),
  ]);
  return [
    `${id}: ${status.replace('_', ' ')}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`,
    ...(rows.length === 0 ? [] : [table(['FIELD', 'READ FROM', '', 'WOULD BE READ FROM', ''], rows)]),
    ...(next === undefined ? [] : [next]),
  ].join('\n');
}

/** `change`: the arguments of `edit_action` beside the id. */
export const changeAction = (id: string, change: Record<string, unknown>, flags: Flags): Promise<void> =>
  withTool(flags, 'edit_action', { action_id: id, ...change }, (body) => describeChange(id, body));
