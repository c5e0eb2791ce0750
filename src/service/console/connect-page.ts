/** Where `connect_url` leads: the accounts of one site, and the forms that connect or refresh one. */
import { html } from 'hono/html';
import type { CatalogDetails } from '../../contract/endpoints.ts';
import type { Identity, LoginField } from '../../contract/resources.ts';
import { loginInputs, type TypedTexts } from '../../http/login-form.ts';
import { getCatalog } from '../operations/catalogs.ts';
import type { Context } from '../operations/context.ts';
import { listIdentities } from '../operations/identities.ts';
import { refreshHead } from './browser-window.ts';
import { cut, externalLink, type Html, table, tag } from './html.ts';
import { credentialRows } from './identity-row.ts';
import { csrfField, errorSummary, layout, successNotice, type Visitor } from './layout.ts';

export interface ConnectState {
  /** The id of the identity to refresh. */
  readonly refresh?: string | undefined;
  /** The id of the identity that was just connected. */
  readonly connected?: string | undefined;
  readonly failure?: ConnectFailure | undefined;
  /** The visitor sits at the service's machine, where a browser can be shown. */
  readonly offersWindow?: boolean;
  readonly windowIsOpen?: boolean;
}

export interface ConnectFailure {
  readonly form: 'login' | 'cookies' | 'window';
  readonly message: string;
  readonly identityName: string;
  readonly typed: TypedTexts;
}

/** Refuses with `NOT_FOUND`. */
export async function connectPage(
  context: Context,
  visitor: Visitor,
  slug: string,
  state: ConnectState = {},
): Promise<Html> {
  const details = await getCatalog(context, visitor.user.id, slug);
  const { catalog, login_input_schema: fields } = details;
  const { identities } = await listIdentities(context, visitor.user.id, { catalog_id: catalog.id });
  const connected = identities.find(({ id }) => id === state.connected);
  const refreshed = identities.find(({ id }) => id === state.refresh);
  const name = state.failure?.identityName ?? refreshed?.name ?? '';
  const { failure } = state;
  const takesCookies = catalog.auth_types.includes('browser_state');
  return layout(
    {
      title: `${failure === undefined ? '' : 'Error: '}Connect ${catalog.name}`,
      visitor,
      section: 'Accounts',
      ...(state.windowIsOpen === true && { head: refreshHead }),
    },
    html`<p class="quiet"><a href="/console/accounts">Accounts</a></p>
<h1>${refreshed === undefined ? 'Connect' : 'Refresh'} an account: ${catalog.name}</h1>
<p class="quiet">${externalLink(catalog.url, catalog.domain)} ·
<a href="/console/catalogs/${encodeURIComponent(slug)}">Actions and prices</a></p>
${failure === undefined ? '' : errorSummary(failure.message, html`<p><a href="#${failure.form}">Go to the form</a></p>`)}
${connected === undefined ? '' : successNotice(html`<strong>${connected.name}</strong> is connected. You can close this page.`)}
${identities.length === 0 ? '' : accountsTable(slug, visitor, identities)}
${fields === undefined ? '' : loginForm(details, fields, visitor, name, failure?.form === 'login' ? failure.typed : {})}
${takesCookies && state.offersWindow === true ? windowForm(details, visitor, name, state.windowIsOpen === true) : ''}
${takesCookies ? cookieForm(details, visitor, name) : ''}
${
  fields === undefined && !takesCookies
    ? html`<p>${catalog.name} takes no accounts that can be connected here.</p>`
    : ''
}`,
  );
}

function accountsTable(slug: string, visitor: Visitor, identities: readonly Identity[]): Html {
  const rows = identities.map(
    (identity) => html`<tr><th scope="row">${identity.name} ${identity.is_default ? tag('Default') : ''}</th>
${credentialRows(identity)}
<td class="nowrap"><a href="/connect/${encodeURIComponent(slug)}?refresh=${identity.id}#connect">Refresh<span class="visually-hidden"> ${identity.name}</span></a></td>
<td>${identity.is_default ? '' : defaultForm(slug, visitor, identity)}${disconnectForm(slug, visitor, identity)}</td></tr>`,
  );
  return html`<h2>Your accounts</h2>
${table(
  'Your accounts',
  html`<tr><th scope="col">Account</th><th scope="col">State</th><th scope="col" class="wide">Last used</th><th scope="col">Session</th><th scope="col"><span class="visually-hidden">Changes</span></th></tr>`,
  rows,
)}
<p class="quiet">An action uses the default account unless the call names another one.</p>`;
}

const defaultForm = (slug: string, visitor: Visitor, { id, name }: Identity): Html =>
  html`<form method="post" action="/connect/${encodeURIComponent(slug)}/default">${csrfField(visitor.csrfToken)}
<input type="hidden" name="identity_id" value="${id}"><button class="small nowrap">Make default<span class="visually-hidden">: ${name}</span></button></form>`;

/** In two steps, because nothing undoes it. */
const disconnectForm = (slug: string, visitor: Visitor, { id, name }: Identity): Html =>
  html`<details><summary>Disconnect<span class="visually-hidden"> ${name}</span></summary>
<form method="post" action="/connect/${encodeURIComponent(slug)}/disconnect">${csrfField(visitor.csrfToken)}
<input type="hidden" name="identity_id" value="${id}"><p>Its stored session is deleted.</p><button class="small nowrap">Disconnect ${name}</button></form></details>`;

function loginForm(
  { catalog }: CatalogDetails,
  fields: readonly LoginField[],
  visitor: Visitor,
  name: string,
  typed: TypedTexts,
): Html {
  return html`<section id="connect" aria-labelledby="login"><h2 id="login" tabindex="-1">Sign in</h2>
<form class="card" method="post" action="/connect/${encodeURIComponent(catalog.slug)}/login">
${csrfField(visitor.csrfToken)}
${loginInputs(fields, typed, cut)}
${nameField('login', name, 'Distinguishes your accounts. Default: the user name.')}
<button>Sign in to ${catalog.name}</button>
<p class="quiet">The service signs in to ${catalog.domain} with what you type and keeps only the session, encrypted.
Passwords are not kept. This can take a minute.</p>
</form></section>`;
}

function windowForm({ catalog }: CatalogDetails, visitor: Visitor, name: string, isOpen: boolean): Html {
  const heading = html`<h2 id="window" tabindex="-1">Sign in in a browser window</h2>`;
  if (isOpen)
    return html`<section aria-labelledby="window">${heading}
<div class="message" role="status"><p>A browser window is open on this machine. Sign in to ${catalog.name} there, then close
the window. This page shows the account as soon as it is connected.</p></div></section>`;
  return html`<section aria-labelledby="window">${heading}
<form class="card" method="post" action="/connect/${encodeURIComponent(catalog.slug)}/window">
${csrfField(visitor.csrfToken)}
${nameField('window', name, 'Distinguishes your accounts, for example your user name there.')}
<button>Open a browser window</button>
<p class="quiet">It opens on this machine with an empty profile. The service does not see what you type. It keeps only the cookies and
local storage of ${catalog.domain} and its sign-in page, encrypted.</p>
</form></section>`;
}

function cookieForm({ catalog }: CatalogDetails, visitor: Visitor, name: string): Html {
  const address = catalog.auth_login_url ?? catalog.url;
  return html`<section id="connect-cookies" aria-labelledby="cookies"><h2 id="cookies" tabindex="-1">Use your browser’s session</h2>
<form class="card" method="post" action="/connect/${encodeURIComponent(catalog.slug)}/cookies">
${csrfField(visitor.csrfToken)}
<ol>
<li>Sign in at ${externalLink(address, address)} with your browser.</li>
<li>Export the site’s cookies with an extension that writes a Netscape cookie file (cookies.txt) or JSON.</li>
<li>Paste the whole file here.</li>
</ol>
<div class="field"><label for="cookie-file">Cookie file</label>
<span class="hint" id="cookie-file-hint">Only the cookies of ${catalog.domain} and its sign-in page are kept, encrypted.</span>
<textarea id="cookie-file" name="cookie_file" required spellcheck="false" autocomplete="off" autocapitalize="none" aria-describedby="cookie-file-hint"></textarea></div>
${nameField('cookies', name, 'Distinguishes your accounts, for example your user name there.')}
<button>Use these cookies</button>
</form></section>`;
}

const nameField = (form: string, name: string, hint: string): Html =>
  html`<div class="field"><label for="${form}-name">Name of the account <span class="optional">(optional)</span></label>
<span class="hint" id="${form}-name-hint">${hint}</span>
<input id="${form}-name" name="identity_name" value="${name}" maxlength="200" autocomplete="off" aria-describedby="${form}-name-hint"></div>`;
