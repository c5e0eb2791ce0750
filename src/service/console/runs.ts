/** A user's runs: the list, narrowed by its address. */
import { html } from 'hono/html';
import { errorTitles } from '../../contract/error-titles.ts';
import type { Html } from '../../http/page.ts';
import { type JobRecord, listJobKinds, listJobs } from '../operations/job-history.ts';
import { type Filter, filterForm } from './form.ts';
import { buttonLink, cut, duration, emptyState, relativeTime, sentence, type Tone, tag } from './html.ts';
import { type ActionNames, page } from './pages.ts';
import { actionsPath, getJobPath, runsPath } from './paths.ts';
import { dataTable, pageLinks, type TableColumn } from './table.ts';

const filterNames = ['q', 'action', 'site', 'account', 'state', 'day'] as const;

export const runsPage = page({
  path: runsPath,
  section: 'Runs',
  async load(visit) {
    const { context, userId } = visit;
    const filter = visit.queries(...filterNames);
    const kinds = await listJobKinds(context, userId);
    const names = await visit.readActionNames(kinds.actionIds);
    const words = filter.q.toLowerCase();
    const named = kinds.actionIds.filter((id) => names.get(id)?.toLowerCase().includes(words) === true);
    return { filter, kinds, names, jobs: await listJobs(context, userId, filter, visit.pageNumber, named) };
  },
  view({ filter, kinds, names, jobs }) {
    if (kinds.actionIds.length === 0)
      return emptyState('No action has been run yet.', buttonLink(actionsPath, 'Choose an action'));
    const states = Object.entries(stateTexts).map(([state, [text]]) => [state, text] as const);
    const filters: Filter[] = [
      { name: 'q', label: 'Search', value: filter.q },
      {
        name: 'action',
        label: 'Action',
        value: filter.action,
        choices: kinds.actionIds.map((id) => [id, cut(names.get(id) ?? id, 60)]),
      },
      { name: 'site', label: 'Site', value: filter.site, choices: kinds.sites.map((site) => [site, site]) },
      ...(kinds.accounts.length === 0
        ? []
        : [{ name: 'account', label: 'Account', value: filter.account, choices: accountChoices(kinds) }]),
      { name: 'state', label: 'State', value: filter.state, choices: states },
      { name: 'day', label: 'Day (UTC)', value: filter.day, type: 'date' },
    ];
    return html`${filterForm(runsPath, filters)}
${
  jobs.rows.length === 0
    ? emptyState('No run is like that.', buttonLink(runsPath, 'Show all runs'))
    : dataTable('Runs, the newest first', runColumns(names), jobs.rows)
}
${pageLinks(jobs, runsPath, filter)}`;
  },
});

/** Accounts at several sites may have one name. */
const accountChoices = ({ accounts }: Awaited<ReturnType<typeof listJobKinds>>) =>
  accounts.map(({ id, name, site }) => [id, `${cut(name, 40)} (${cut(site, 40)})`] as const);

const stateTexts: Readonly<Record<JobRecord['status'], readonly [text: string, tone: Tone]>> = {
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  processing: ['Running', 'wait'],
};

export const jobState = (status: JobRecord['status']): Html => tag(...stateTexts[status]);

/** As the overview shows them too. */
export const runColumns = (names: ActionNames): readonly TableColumn<JobRecord>[] => [
  {
    name: 'Action',
    kind: 'head',
    cell: ({ id, actionId, site }) =>
      html`<a href="${getJobPath(id)}">${names.get(actionId) ?? actionId}</a><span class="quiet">${cut(site, 60)}</span>`,
  },
  { name: 'Params', kind: 'long', cell: ({ params }) => shortParams(params) },
  { name: 'State', cell: (job) => html`${jobState(job.status)}${reason(job)}` },
  { name: 'Took', kind: 'number', cell: (job) => tookText(job) },
  { name: 'Credits', kind: 'number', cell: ({ creditsUsed, price }) => creditsUsed ?? price },
  { name: 'When', kind: 'number', cell: ({ createdAt }) => relativeTime(createdAt) },
];

const reason = ({ errorCode, errorMessage, account }: JobRecord): Html =>
  html`${errorCode === null ? '' : html`<span class="quiet">${cut(errorMessage === null ? (errorTitles[errorCode] ?? errorCode) : sentence(errorMessage), 160)}</span>`}${
    account === null ? '' : html`<span class="quiet">as ${cut(account, 60)}</span>`
  }`;

/** From submission to end. */
export const tookText = ({ createdAt, finishedAt }: JobRecord): string =>
  finishedAt === undefined ? '' : duration(finishedAt.getTime() - createdAt.getTime());

/** `q: boats, pages: 2`. */
function shortParams(text: string): string {
  const members = Object.entries(Object(JSON.parse(text)));
  const shown = members.map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return cut(shown.join(', '), 100);
}
