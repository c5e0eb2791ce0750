/** Addresses of the console that several pages link to. */
const encode = encodeURIComponent;

export const newActionPath = '/console/builds/new';
export const buildsPath = '/console/builds';
export const jobsPath = '/console/jobs';
/** Built from `src/views/console-page.ts`. */
export const scriptPath = '/console/page.js';

export const getCatalogPath = (slug: string): string => `/console/catalogs/${encode(slug)}`;
export const getConnectPath = (slug: string): string => `/connect/${encode(slug)}`;
export const getRunPath = (actionId: string): string => `/console/actions/${encode(actionId)}/run`;
export const getJobPath = (jobId: string): string => `${jobsPath}/${encode(jobId)}`;
