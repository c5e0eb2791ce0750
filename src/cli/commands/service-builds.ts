/** `svc-mcp service builds`: actions that were built in the embedded service, and the review of public ones. */

import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { withServiceDatabase } from '../setup/service-database.ts';
import { table } from '../terminal/table.ts';

export async function listBuilds(flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags, { ownKeys: true });
  await withServiceDatabase(settings, async (database, { listBuiltActions }) => {
    const builds = (await listBuiltActions(database)).map((action) => ({
      action_id: action.actionId,
      name: action.name,
      user: action.user,
      domain: action.domain,
      website_url: action.websiteUrl,
      goal: action.goal,
      state: action.state,
      ...(action.problem === undefined ? {} : { unavailable: action.problem }),
      built_at: action.builtAt.toISOString(),
    }));
    const rows = builds.map(({ action_id, user, domain, state, goal, unavailable }) => [
      action_id,
      user,
      domain,
      unavailable !== undefined
        ? `unavailable: ${unavailable}`
        : state === 'waiting'
          ? 'waits for review'
          : state,
      goal.length > 60 ? `${goal.slice(0, 59)}…` : goal,
    ]);
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ builds })}\n`
        : `${table(['ACTION', 'USER', 'SITE', 'STATE', 'GOAL'], rows)}\n`,
    );
  });
}

const noBuiltAction = (id: string) => `There is no built action with the id ${id}`;

/** `missing` is the message if the action is not there. */
async function withBuiltAction(
  missing: string,
  flags: Flags,
  work: Parameters<typeof withServiceDatabase>[1],
): Promise<void> {
  const { AdministrationError, RequestError } = await import('../../service/foundation/errors.ts');
  await withServiceDatabase(loadSettings(process.env, flags, { ownKeys: true }), work).catch(
    (error: unknown) => {
      if (!(error instanceof RequestError && error.code === 'NOT_FOUND')) throw error;
      throw new AdministrationError(`${missing}; svc-mcp service builds list shows all built actions`);
    },
  );
}

export async function reviewBuild(id: string, decision: 'approve' | 'reject', flags: Flags): Promise<void> {
  const missing = `No built action with the id ${id} waits for a review`;
  await withBuiltAction(missing, flags, async (database, { reviewBuiltAction }) => {
    await reviewBuiltAction(database, id, decision);
    process.stdout.write(
      decision === 'approve' ? `${id} is public now.\n` : `${id} stays private to its owner.\n`,
    );
  });
}

export async function deleteBuild(id: string, flags: Flags): Promise<void> {
  await withBuiltAction(noBuiltAction(id), flags, async (database, { deleteBuiltAction }) => {
    await deleteBuiltAction(database, id);
    process.stdout.write(`Deleted ${id}. Results of its jobs stay readable.\n`);
  });
}

export async function renameBuild(id: string, name: string, flags: Flags): Promise<void> {
  await withBuiltAction(noBuiltAction(id), flags, async (database, { renameBuiltAction }) => {
    await renameBuiltAction(database, id, name);
    process.stdout.write(`${id} is named "${name}" now; its id and its tool's name stay.\n`);
  });
}

/** Builds as `svc-mcp build` does, so that it is paid for and waited for like any build. */
export async function rebuildBuild(id: string, flags: Flags): Promise<void> {
  let build: { websiteUrl: string; goal: string; visibility: string; choose?: unknown } | undefined;
  await withBuiltAction(noBuiltAction(id), flags, async (database, { getBuiltAction }) => {
    build = await getBuiltAction(database, id);
  });
  if (build === undefined) return;
  const { websiteUrl, goal, visibility, choose } = build;
  const { build: run } = await import('./build.ts');
  await run(websiteUrl, goal, {
    ...flags,
    visibility,
    force: true,
    ...(choose === undefined ? {} : { choose: JSON.stringify(choose) }),
  });
}
