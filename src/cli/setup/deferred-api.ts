/** An `Api` whose service is still starting: every call waits for it, so that tools can be listed meanwhile. */
import type { Api } from '../../contract/api.ts';

/** `origin` is what the principal is bound to until the service's own is known. */
export function deferredApi(starting: Promise<Api>): Api {
  let started: Api | undefined;
  starting.then(
    (api) => {
      started = api;
    },
    () => undefined,
  );
  return {
    get origin() {
      return started?.origin ?? 'http://127.0.0.1';
    },
    get extensions() {
      return started?.extensions ?? new Set<string>();
    },
    get hasAnswered() {
      return started?.hasAnswered ?? false;
    },
    listCatalogs: async (query, options) => (await starting).listCatalogs(query, options),
    getCatalog: async (slug, options) => (await starting).getCatalog(slug, options),
    search: async (query, options) => (await starting).search(query, options),
    login: async (body, options) => (await starting).login(body, options),
    submitTask: async (body, options) => (await starting).submitTask(body, options),
    getJob: async (jobId, options) => (await starting).getJob(jobId, options),
    listIdentities: async (query, options) => (await starting).listIdentities(query, options),
    getIdentity: async (id, options) => (await starting).getIdentity(id, options),
    requestBuild: async (body, options) => (await starting).requestBuild(body, options),
    previewBuild: async (body, options) => (await starting).previewBuild(body, options),
    editAction: async (id, body, options) => (await starting).editAction(id, body, options),
    removeAction: async (id, options) => (await starting).removeAction(id, options),
    revertAction: async (id, options) => (await starting).revertAction(id, options),
    repairAction: async (id, body, options) => (await starting).repairAction(id, body, options),
    previewRepair: async (id, body, options) => (await starting).previewRepair(id, body, options),
    listBuildRequests: async (options) => (await starting).listBuildRequests(options),
    getUsage: async (options) => (await starting).getUsage(options),
    close: async () => (await starting.catch(() => undefined))?.close(),
  };
}
