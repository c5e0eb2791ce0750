/** Forms for the owner of a built action, and for the operator's reviews. */
import { html } from 'hono/html';
import type { RepairAnswer } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import type { Action } from '../../contract/resources.ts';
import type { FormField, Html } from '../../http/page.ts';
import { builtCatalog } from '../catalog/build-file.ts';
import { notFound } from '../foundation/request-error.ts';
import { operatorName } from '../money/users.ts';
import { requestBuild } from '../operations/build-requests.ts';
import { requestRepair, revertBuiltAction } from '../operations/edit-actions.ts';
import {
  type BuiltAction,
  deleteBuiltAction,
  getBuiltAction,
  listBuiltActions,
  renameBuiltAction,
  reviewBuiltAction,
} from '../operations/manage-builds.ts';
import { candidateTable, candidateTitle } from './candidates.ts';
import { postForm, textField, twiceForm } from './form.ts';
import { cut, externalLink, spoken } from './html.ts';
import { file, form, page, type Visit } from './pages.ts';
import { actionsPath, buildsPath, getRepairPath, getRunPath } from './paths.ts';
import { rowsTable } from './result.ts';
import type { Visitor } from './sessions.ts';

type Change = 'rename' | 'rebuild' | 'repair' | 'revert' | 'delete' | 'approve' | 'reject';

const getChangePath = (actionId: string, change: Change): string =>
  `${actionsPath}/${encodeURIComponent(actionId)}/${change}`;

const changeForm = (
  visitor: Visitor,
  actionId: string,
  change: Change,
  content: Html,
  fields: readonly FormField[] = [],
): Html => postForm({ action: getChangePath(actionId, change), visitor, fields, content });

/** What its owner may do with it. */
export function changeSection({ action_id: id, name, unavailable_reason }: Action, visitor: Visitor): Html {
  const nameField = textField({ id: 'name', label: 'Name', value: name, maxLength: 200, required: true });
  const cost = unavailable_reason === undefined ? creditsText(buildCredits) : creditsText(0);
  return html`<h2>Change this action</h2>
<div class="card stack">
${changeForm(visitor, id, 'rename', html`<button class="small">Rename</button>`, [nameField])}
<p><a href="${getRepairPath(id)}">See what a repair would change</a></p>
<p><a href="${actionsPath}/${encodeURIComponent(id)}/catalog.json" download>Download it as a catalog file</a></p>
${(
  [
    [
      ...(['rebuild', 'Rebuild', `Rebuild for ${cost}`] as const),
      `Builds the action again for the same goal, under the same id. Costs ${cost}, refunded if it fails.`,
    ],
    ['revert', 'Go back', 'Go back', 'Goes back to the version before this one, for free.'],
    [
      ...(['delete', 'Delete', 'Delete'] as const),
      'The action leaves all lists; the results of its runs are kept, and its versions for 30 days.',
    ],
  ] as const
).map(([change, title, button, about]) =>
  twiceForm({ action: getChangePath(id, change), visitor, title, about, button }),
)}</div>`;
}

/** As `svc-mcp build --save` writes it. */
export const catalogFile = file(`${actionsPath}/:id/catalog.json`, 'application/json', async (visit) => {
  const { database } = visit.context;
  const { actionId } = await getBuiltAction(database, visit.part('id'), visit.userId);
  const content = await builtCatalog(database, actionId);
  if (content === undefined) throw notFound('built action');
  return { name: 'catalog.json', text: `${JSON.stringify(content, undefined, 2)}\n` };
});

/** What a repair would change: the rows before and after, side by side. */
export const repairPage = page<{ readonly action: BuiltAction; readonly preview: RepairAnswer }>({
  path: `${actionsPath}/:id/repair`,
  section: 'Actions',
  title: ({ action }) => `Repair ${cut(action.name, 100)}`,
  parent: ({ action }) => ({ path: getRunPath(action.actionId), name: cut(action.name, 100) }),
  async load(visit) {
    const id = visit.part('id');
    const action = await getBuiltAction(visit.context.database, id, visit.userId);
    await visit.count('previewBuild');
    const { signal } = visit.request.req.raw;
    return { action, preview: await visit.context.previewRepair(visit.userId, id, {}, signal) };
  },
  view: ({ action, preview }, { visitor }) =>
    html`<p>${externalLink(action.websiteUrl)}</p>
${preview.proof === undefined ? notProved(preview) : proved(action, preview, visitor)}`,
});

const notProved = ({ reason = '', candidates = [] }: RepairAnswer): Html =>
  html`<p>Nothing would be repaired, and nothing was charged: ${cut(reason, 500)}.</p>
${candidates.map((candidate) => html`<h3>${candidateTitle(candidate)}</h3>${candidateTable(candidate)}`)}`;

function proved(action: BuiltAction, preview: RepairAnswer, visitor: Visitor): Html {
  const { proof = {}, rows_before = [], rows_after = [] } = preview;
  const cost = creditsText(buildCredits);
  return html`<p>${String(proof.rows_equal)} of ${String(proof.rows_found)} earlier rows that are on the page are equal in every field.</p>
<div class="columns"><section><h2>Before</h2>${rowsTable('Rows before', rows_before)}</section>
<section><h2>After</h2>${rowsTable('Rows after', rows_after)}</section></div>
${changeForm(visitor, action.actionId, 'repair', html`<button>Repair for ${cost}</button><p class="quiet">Refunded if nothing is published.</p>`)}`;
}

/** Empty if no action waits, or if somebody else reviews. */
export async function reviewSection({ context, visitor }: Visit): Promise<Html | string> {
  if (visitor.user.name !== operatorName) return '';
  const waiting = (await listBuiltActions(context.database)).filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) return '';
  return html`<h2>Waiting for your review</h2>
<p>If you approve an action, all users may run it. If you reject it, it stays private to the user who built it.</p>
${waiting.map((action) => reviewCard(action, visitor))}`;
}

const reviewCard = ({ actionId, name, user, goal, websiteUrl }: BuiltAction, visitor: Visitor): Html =>
  html`<article class="card"><h3>${cut(name, 200)}</h3>
<p class="quiet"><code>${actionId}</code> by ${user}</p>
<p>${cut(goal, 1_000)}</p><p>${externalLink(websiteUrl)}</p>
<div class="buttons">${(['approve', 'reject'] as const).map((decision) =>
    changeForm(
      visitor,
      actionId,
      decision,
      html`<button class="small">${decision === 'approve' ? 'Approve' : 'Reject'}${spoken(` ${name}`)}</button>`,
    ),
  )}</div></article>`;

/** `work` resolves to the path of the next page. */
const onChange = (
  change: Change,
  work: (visit: Visit, actionId: string, posted: URLSearchParams) => Promise<string>,
) =>
  form({
    path: `${actionsPath}/:id/${change}`,
    accept: async (visit, posted) => visit.goTo(await work(visit, visit.part('id'), posted)),
  });

const review = (decision: 'approve' | 'reject') =>
  onChange(decision, async ({ context, visitor }, id) => {
    if (visitor.user.name !== operatorName) throw notFound('built action');
    await reviewBuiltAction(context.database, id, decision);
    return buildsPath;
  });

const findPath = async (visit: Visit, id: string): Promise<string> =>
  (await visit.findAction(id)) === undefined ? actionsPath : getRunPath(id);

export const ownActionForms = [
  onChange('rename', async (visit, id, posted) => {
    await renameBuiltAction(visit.context.database, id, posted.get('name') ?? '', visit.userId);
    return findPath(visit, id);
  }),
  onChange('delete', async ({ context, userId }, id) => {
    await deleteBuiltAction(context.database, id, userId);
    return actionsPath;
  }),
  onChange('rebuild', async (visit, id) => {
    const { context, userId } = visit;
    const built = await getBuiltAction(context.database, id, userId);
    await visit.count('requestBuild');
    const visibility = built.visibility === 'public' ? 'public' : 'private';
    const { websiteUrl: website_url, goal, choose } = built;
    await requestBuild(context, userId, { website_url, goal, choose, force: true, visibility }, undefined);
    return buildsPath;
  }),
  onChange('repair', async (visit, id) => {
    await visit.count('requestBuild');
    await requestRepair(visit.context, visit.userId, id, {}, undefined);
    return buildsPath;
  }),
  onChange('revert', async (visit, id) => {
    await revertBuiltAction(visit.context, visit.userId, id);
    return findPath(visit, id);
  }),
  review('approve'),
  review('reject'),
];
