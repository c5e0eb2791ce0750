/** Addresses of the console that several pages link to. */
const encode = encodeURIComponent;

export const actionsPath = '/console/actions';
export const accountsPath = '/console/accounts';
export const newActionPath = '/console/builds/new';
export const buildsPath = '/console/builds';
export const runsPath = '/console/runs';
export const usagePath = '/console/usage';
export const keysPath = '/console/keys';
export const usersPath = '/console/users';
export const healthPath = '/console/health';
export const stylePath = '/console/style.css';
export const iconPath = '/console/icon.svg';
/** Built from `src/views/console-page.ts`. */
export const scriptPath = '/console/page.js';

export const getSitePath = (slug: string): string => `${actionsPath}?site=${encode(slug)}`;
export const getConnectPath = (slug: string): string => `/connect/${encode(slug)}`;
export const getRunPath = (actionId: string): string => `${actionsPath}/${encode(actionId)}/run`;
export const getRepairPath = (actionId: string): string => `${actionsPath}/${encode(actionId)}/repair`;
export const getJobPath = (jobId: string): string => `${runsPath}/${encode(jobId)}`;

/** The address with those of the entries that are not empty as its query. */
export function withQuery(path: string, entries: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(entries).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query}`;
}
