/** The registry of the static tools, in the order in which clients see them. */
import { browseCatalogs } from './browse-catalogs.ts';
import type { StaticTool } from './define-tool.ts';
import { editAction } from './edit-action.ts';
import { getJob } from './get-job.ts';
import { getUsage } from './get-usage.ts';
import { listBuildRequests } from './list-build-requests.ts';
import { listIdentities } from './list-identities.ts';
import { listWatches } from './list-watches.ts';
import { login } from './login.ts';
import { requestBuild } from './request-build.ts';
import { runAction } from './run-action.ts';
import { searchActions } from './search-actions.ts';
import { watch } from './watch.ts';

export const staticTools: readonly StaticTool[] = [
  searchActions,
  browseCatalogs,
  runAction,
  getJob,
  login,
  listIdentities,
  requestBuild,
  editAction,
  watch,
  listWatches,
  listBuildRequests,
  getUsage,
];
