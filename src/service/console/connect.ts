/** Where `connect_url` leads: the accounts of one site, and the forms that connect, refresh and disconnect one. */
import { html } from 'hono/html';
import type { CatalogDetails } from '../../contract/endpoints.ts';
import { isLoginCode, loginTexts } from '../../contract/login-texts.ts';
import type { Identity, LoginField } from '../../contract/resources.ts';
import { formField, type Html, loginInputs, readLoginForm, type TypedTexts } from '../../http/page.ts';
import type { RequestError } from '../foundation/errors.ts';
import { getCatalog } from '../operations/catalogs.ts';
import { disconnectIdentity, listIdentities, setDefaultIdentity } from '../operations/identities.ts';
import { login } from '../operations/login.ts';
import { accountState, lastUse } from './accounts.ts';
import { postForm, textField, twiceForm } from './form.ts';
import { cut, siteLink, spoken, tag } from './html.ts';
import type { Problem } from './layout.ts';
import { form, page, type Visit } from './pages.ts';
import { getConnectPath, getSitePath } from './paths.ts';
import type { Visitor } from './sessions.ts';
import { dataTable, type TableColumn } from './table.ts';

type FormName = 'login' | 'window';

interface ConnectData {
  readonly details: CatalogDetails;
  readonly identities: readonly Identity[];
  /** The account to refresh. */
  readonly refreshed: Identity | undefined;
  /** The account that was just connected. */
  readonly connected: Identity | undefined;
  /** The visitor is at the service's machine, where a browser can be shown. */
  readonly offersWindow: boolean;
  readonly windowIsOpen: boolean;
  readonly problem: Problem | undefined;
  readonly typedName: string | undefined;
  readonly typed: TypedTexts;
}

/** Refuses with `NOT_FOUND`. */
async function load(visit: Visit): Promise<ConnectData> {
  const { context, userId, windows } = visit;
  const slug = visit.part('slug');
  const details = await getCatalog(context, userId, slug);
  const { identities } = await listIdentities(context, userId, { catalog_id: details.catalog.id });
  const window = windows.take(userId, slug);
  const connectedId = window?.kind === 'connected' ? window.identityId : visit.query('connected');
  return {
    details,
    identities,
    refreshed: identities.find(({ id }) => id === visit.query('refresh')),
    connected: identities.find(({ id }) => id === connectedId),
    offersWindow: visit.seesWindows,
    windowIsOpen: window?.kind === 'open',
    problem: window?.kind === 'failed' ? { message: window.message, at: 'window' } : undefined,
    typedName: undefined,
    typed: {},
  };
}

export const connectPage = page<ConnectData>({
  path: '/connect/:slug',
  section: 'Accounts',
  title: ({ details, refreshed }) =>
    `${refreshed === undefined ? 'Connect' : 'Refresh'} an account: ${details.catalog.name}`,
  again: ({ windowIsOpen }) => (windowIsOpen ? 2 : undefined),
  problem: ({ problem }) => problem,
  load,
  view(data, { visitor }) {
    const { details, identities, connected, offersWindow } = data;
    const { catalog, login_input_schema: fields } = details;
    const takesBrowser = catalog.auth_types.includes('browser_state');
    return html`<p class="quiet">${siteLink(catalog)} ·
<a href="${getSitePath(catalog.slug)}">Actions and prices</a></p>
${connected === undefined ? '' : html`<div class="message good" role="status"><p><strong>${connected.name}</strong> is connected. You can close this page.</p></div>`}
${identities.length === 0 ? '' : accountsTable(catalog.slug, visitor, identities)}
${fields === undefined ? '' : loginSection(data, fields, visitor)}
${takesBrowser ? (offersWindow ? windowSection(data, visitor) : windowElsewhere(catalog)) : ''}
${fields === undefined && !takesBrowser ? html`<p>${catalog.name} takes no accounts that can be connected here.</p>` : ''}`;
  },
});

function accountsTable(slug: string, visitor: Visitor, identities: readonly Identity[]): Html {
  const columns: readonly TableColumn<Identity>[] = [
    {
      name: 'Account',
      kind: 'head',
      cell: ({ name, is_default }) => html`${name} ${is_default ? tag('Default') : ''}`,
    },
    { name: 'State', cell: accountState },
    { name: 'Last used', cell: lastUse },
    {
      name: 'Changes',
      cell({ id, name, is_default }) {
        const form = (path: string) => ({
          action: `${getConnectPath(slug)}/${path}`,
          visitor,
          hidden: { identity_id: id },
        });
        const makeDefault = html`<button class="small nowrap">Make default${spoken(`: ${name}`)}</button>`;
        return html`<div class="buttons"><a href="${getConnectPath(slug)}?refresh=${id}#connect">Refresh${spoken(` ${name}`)}</a>
${is_default ? '' : postForm({ ...form('default'), content: makeDefault })}${twiceForm({
  ...form('disconnect'),
  title: 'Disconnect',
  about: 'Its stored session is deleted.',
  button: `Disconnect ${name}`,
  name: ` ${name}`,
})}</div>`;
      },
    },
  ];
  return html`<h2>Your accounts</h2>
${dataTable('Your accounts', columns, identities)}
<p class="quiet">An action uses the default account unless the call names another one.</p>`;
}

const section = (name: FormName, id: string, title: string, content: Html): Html =>
  html`<section id="${id}" aria-labelledby="${name}"><h2 id="${name}" tabindex="-1">${title}</h2>${content}</section>`;

const connectForm = (name: FormName, { details }: ConnectData, visitor: Visitor, content: Html): Html =>
  postForm({ action: `${getConnectPath(details.catalog.slug)}/${name}`, visitor, kind: 'card', content });

function nameField(name: FormName, { typedName, refreshed }: ConnectData): Html {
  const hint =
    name === 'login'
      ? 'Distinguishes your accounts. Default: the user name.'
      : 'Distinguishes your accounts, for example your user name there.';
  return formField(
    textField({
      id: `${name}-name`,
      name: 'identity_name',
      label: 'Name of the account',
      hint,
      maxLength: 200,
      value: typedName ?? refreshed?.name ?? '',
    }),
  );
}

function loginSection(data: ConnectData, fields: readonly LoginField[], visitor: Visitor): Html {
  const { name, domain } = data.details.catalog;
  const content = html`${loginInputs(fields, data.typed, cut)}
${nameField('login', data)}
<button>Sign in to ${name}</button>
<p class="quiet">The service signs in to ${domain} with what you type and keeps only the session, encrypted.
Passwords are not kept. This can take a minute.</p>`;
  return section('login', 'connect', 'Sign in', connectForm('login', data, visitor, content));
}

function windowSection(data: ConnectData, visitor: Visitor): Html {
  const { name, domain } = data.details.catalog;
  const content = data.windowIsOpen
    ? html`<div class="message" role="status"><p>A browser window is open on this machine. Sign in to ${name} there, then close
the window. This page shows the account as soon as it is connected.</p></div>`
    : connectForm(
        'window',
        data,
        visitor,
        html`${nameField('window', data)}
<button>Open a browser window</button>
<p class="quiet">It opens on this machine with an empty profile. The service does not see what you type. It keeps only the cookies and
local storage of ${domain} and its sign-in page, encrypted.</p>`,
      );
  return section('window', 'connect-window', 'Sign in in a browser window', content);
}

/** For a visitor at another machine, and where the service can show no window. */
const windowElsewhere = ({ name, slug }: CatalogDetails['catalog']): Html =>
  html`<p>Accounts of ${name} are connected in a browser window on the service’s machine, which needs a desktop.
Run <code>svc-mcp connect ${slug}</code> there, or open this page there.</p>`;

const readIdentityName = (posted: URLSearchParams): string => (posted.get('identity_name') ?? '').trim();

const readIdentityId = (posted: URLSearchParams): string => posted.get('identity_id') ?? '';

/** The page again after a refused sign-in. */
async function showAgain(
  visit: Visit,
  posted: URLSearchParams,
  { message }: Problem,
  error: RequestError,
): Promise<Html> {
  const data = await load(visit);
  const { typed } = readLoginForm(data.details.login_input_schema ?? [], posted);
  const at = data.details.login_input_schema === undefined ? 'window' : 'login';
  const problem = { message: describeLogin(error) ?? message, at };
  return connectPage.render(visit, { ...data, typed, typedName: readIdentityName(posted) }, problem);
}

/** Refusals of the login table in words for people. */
function describeLogin({ code, httpStatus }: RequestError): string | undefined {
  if (httpStatus === 429 || !isLoginCode(code) || code === 'INVALID_INPUT') return undefined;
  const { message, advice, adviceInConsole = advice } = loginTexts[code];
  return `${message} ${adviceInConsole}`;
}

export const connectForms = [
  form({
    path: '/connect/:slug/login',
    async accept(visit, posted) {
      const { context, userId } = visit;
      const catalog_slug = visit.part('slug');
      const { login_input_schema: fields = [] } = await getCatalog(context, userId, catalog_slug);
      await visit.count('login');
      const identity_name = readIdentityName(posted) || undefined;
      const { params } = readLoginForm(fields, posted);
      const verified = await login(context, userId, { catalog_slug, identity_name, params });
      return visit.goTo(`${getConnectPath(catalog_slug)}?connected=${verified.identity_id}`);
    },
    again: showAgain,
  }),
  form({
    path: '/connect/:slug/window',
    async accept(visit, posted) {
      const slug = visit.part('slug');
      // Refuses with NOT_FOUND before a window is opened.
      await getCatalog(visit.context, visit.userId, slug);
      if (visit.seesWindows) visit.windows.open(visit.userId, slug, readIdentityName(posted));
      return visit.goTo(getConnectPath(slug));
    },
  }),
  form({
    path: '/connect/:slug/default',
    async accept(visit, posted) {
      await setDefaultIdentity(visit.context, visit.userId, readIdentityId(posted));
      return visit.goTo(getConnectPath(visit.part('slug')));
    },
  }),
  form({
    path: '/connect/:slug/disconnect',
    async accept(visit, posted) {
      await disconnectIdentity(visit.context.database, visit.userId, readIdentityId(posted));
      return visit.goTo(getConnectPath(visit.part('slug')));
    },
  }),
];
