/** An `Api` whose service starts with the first request: what is known without it is answered at once. */
import { ServiceStartError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { EndpointName } from '../../contract/endpoints.ts';

/** `start` rejects with what kept the service from starting, which every request then says. */
export function deferredApi(start: () => Promise<Api>): Api {
  let started: Api | undefined;
  let starting: Promise<Api> | undefined;
  const via = async <Result>(endpoint: EndpointName, request: (api: Api) => Promise<Result>) => {
    starting ??= start();
    try {
      started = await starting;
    } catch (error) {
      starting = undefined;
      throw new ServiceStartError(endpoint, error);
    }
    return request(started);
  };
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
    listCatalogs: (...args) => via('listCatalogs', (api) => api.listCatalogs(...args)),
    getCatalog: (...args) => via('getCatalog', (api) => api.getCatalog(...args)),
    search: (...args) => via('search', (api) => api.search(...args)),
    login: (...args) => via('login', (api) => api.login(...args)),
    submitTask: (...args) => via('submitTask', (api) => api.submitTask(...args)),
    getJob: (...args) => via('getJob', (api) => api.getJob(...args)),
    listIdentities: (...args) => via('listIdentities', (api) => api.listIdentities(...args)),
    getIdentity: (...args) => via('getIdentity', (api) => api.getIdentity(...args)),
    requestBuild: (...args) => via('requestBuild', (api) => api.requestBuild(...args)),
    previewBuild: (...args) => via('previewBuild', (api) => api.previewBuild(...args)),
    editAction: (...args) => via('editAction', (api) => api.editAction(...args)),
    removeAction: (...args) => via('removeAction', (api) => api.removeAction(...args)),
    revertAction: (...args) => via('revertAction', (api) => api.revertAction(...args)),
    repairAction: (...args) => via('repairAction', (api) => api.repairAction(...args)),
    previewRepair: (...args) => via('repairAction', (api) => api.previewRepair(...args)),
    listBuildRequests: (...args) => via('listBuildRequests', (api) => api.listBuildRequests(...args)),
    getUsage: (...args) => via('getUsage', (api) => api.getUsage(...args)),
    close: async () => (await starting?.catch(() => undefined))?.close(),
  };
}
