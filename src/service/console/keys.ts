/** Keys: a user's own, and for the operator the users with theirs. A key is shown once, on the page that made it. */
import { html } from 'hono/html';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { notFound } from '../foundation/request-error.ts';
import { addKey, embeddedKeyLabel, type KeyRecord, listKeys, revokeKey } from '../money/keys.ts';
import {
  addUser,
  findUser,
  grantCredits,
  listUsers,
  operatorName,
  removeUser,
  type User,
} from '../money/users.ts';
import type { Context } from '../operations/context.ts';
import { postForm, textField, twiceForm } from './form.ts';
import { copyable, count, relativeTime, tag } from './html.ts';
import { type ConsolePage, form, page, type Visit } from './pages.ts';
import { keysPath, usersPath } from './paths.ts';
import type { Visitor } from './sessions.ts';
import { dataTable, type TableColumn } from './table.ts';

/** Valid ones of a user. Revoked ones are kept, so that nothing makes them valid again. */
const maxKeys = 50;
const maxLabel = 100;

/** A key that was just made. */
interface MadeKey {
  readonly key: string;
  readonly user: string;
}

interface KeysData {
  readonly keys: readonly KeyRecord[];
  readonly made?: MadeKey;
}

const isValid = ({ revokedAt }: KeyRecord): boolean => revokedAt === undefined;

export const keysPage = page<KeysData>({
  path: keysPath,
  section: 'Keys',
  title: 'Your keys',
  load: async ({ context, visitor }) => ({ keys: await listKeys(context.database, visitor.user.name) }),
  view: (
    { keys, made },
    { visitor, address },
  ) => html`<p>A client or a script uses the service with a key. Whoever has one spends your credits.</p>
${made === undefined ? '' : madeSection(made, address)}
${keyTables('Your keys', keyColumns(visitor, keysPath), keys)}
<h2>A new key</h2>
${keyForm(visitor)}`,
});

/** Revoked ones stand apart, folded. */
function keyTables(
  label: string,
  columns: readonly TableColumn<KeyRecord>[],
  keys: readonly KeyRecord[],
): Html {
  const revoked = keys.filter((key) => !isValid(key));
  const revokedColumns: readonly TableColumn<KeyRecord>[] = [
    ...columns.filter(({ name }) => name !== changes),
    { name: 'Revoked', cell: ({ revokedAt }) => (revokedAt === undefined ? '' : relativeTime(revokedAt)) },
  ];
  return html`${dataTable(label, columns, keys.filter(isValid))}
${revoked.length === 0 ? '' : html`<details><summary>${count(revoked.length, 'revoked key')}</summary>${dataTable('Revoked keys', revokedColumns, revoked)}</details>`}`;
}

const changes = 'Changes';

const keyColumns = (visitor: Visitor, path: string, hasUsers = false): readonly TableColumn<KeyRecord>[] => [
  {
    name: 'Key',
    kind: 'head',
    cell: ({ label, prefix }) => html`${label} ${prefix === undefined ? '' : html`<code>${prefix}…</code>`}`,
  },
  ...(hasUsers ? [{ name: 'User', cell: ({ userName }: KeyRecord) => userName }] : []),
  { name: 'Made', cell: ({ createdAt }) => relativeTime(createdAt) },
  {
    name: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : relativeTime(lastUsedAt)),
  },
  {
    name: changes,
    cell: ({ id, label }) =>
      twiceForm({
        action: `${path}/revoke`,
        visitor,
        hidden: { id },
        title: 'Revoke',
        name: ` ${label}`,
        about: `It stops working at once; sessions of this console that it opened end.${
          label === embeddedKeyLabel ? ' svc-mcp on this machine uses this key: its tools stop working.' : ''
        }`,
        button: `Revoke ${label}`,
      }),
  },
];

/** For oneself, or by the operator for a user. */
const keyForm = (visitor: Visitor, user?: User): Html =>
  postForm({
    action: `${user === undefined ? keysPath : usersPath}/add`,
    visitor,
    kind: user === undefined ? 'card' : 'plain',
    hidden: user === undefined ? {} : { user: user.name },
    fields: [
      textField({
        id: user === undefined ? 'label' : `label-${user.id}`,
        name: 'label',
        label: 'What the new key is for',
        value: '',
        maxLength: maxLabel,
        required: true,
        hint: 'Such as the machine that uses it.',
      }),
    ],
    content: html`<button class="${user === undefined ? '' : 'small'}">Make a key</button>`,
  });

const madeSection = ({ key, user }: MadeKey, address: string): Html =>
  html`<div class="message good" role="status"><h2>The new key of ${user}</h2><p>Copy it now: it is shown once and stored nowhere.</p>
<pre id="new-key" tabindex="0">${key}</pre><button class="small" type="button" data-copy="new-key" hidden>Copy</button> <span role="status"></span></div>
${copyable('key-command', 'Set up a client with it', connectCommand(address, key))}`;

/** Sets up a client with this service. */
export const connectCommand = (address: string, key: string): string =>
  `SVC_BASE_URL=${address} SVC_API_KEY=${key} svc-mcp config cursor --write`;

const text = (posted: URLSearchParams, name: string): string => (posted.get(name) ?? '').trim();

async function makeKey(visit: Visit, posted: URLSearchParams, user: string): Promise<MadeKey> {
  const label = text(posted, 'label').slice(0, maxLabel);
  if (label === '') throw new RequestError(400, 'INVALID_INPUT', 'Say what the key is for');
  if ((await listKeys(visit.context.database, user)).filter(isValid).length >= maxKeys)
    throw new RequestError(400, 'INVALID_INPUT', `There are ${maxKeys} keys. Revoke one first`);
  const { key } = await addKey(visit.context.database, user, label);
  return { key, user };
}

interface UsersData extends KeysData {
  readonly users: readonly User[];
}

export const usersPage = page<UsersData>({
  path: usersPath,
  section: 'Users',
  title: 'Users and keys',
  isOperators: true,
  load: async ({ context: { database } }) => ({
    users: await listUsers(database),
    keys: await listKeys(database),
  }),
  view: (
    { users, keys, made },
    { visitor, address },
  ) => html`${made === undefined ? '' : madeSection(made, address)}
${dataTable('Users', userColumns(visitor, keys), users)}
<h2>A new user</h2>
${postForm({
  action: `${usersPath}/add-user`,
  visitor,
  kind: 'card',
  fields: [
    textField({ id: 'name', label: 'Name', value: '', maxLength: maxLabel, required: true }),
    creditsField('new-credits', 'Credits to begin with', '100', 0),
  ],
  content: html`<button>Add the user</button>`,
})}
<h2>Keys</h2>
${keyTables('Keys of all users', keyColumns(visitor, usersPath, true), keys)}`,
});

const creditsField = (id: string, label: string, value: string, min?: number) => ({
  id,
  name: 'credits',
  label,
  value,
  type: 'number',
  required: true,
  attributes: { step: 1, min, autocomplete: 'off' },
});

const userColumns = (visitor: Visitor, keys: readonly KeyRecord[]): readonly TableColumn<User>[] => [
  {
    name: 'User',
    kind: 'head',
    cell: ({ name }) => html`${name} ${name === operatorName ? tag('Operator') : ''}`,
  },
  { name: 'Balance', kind: 'number', cell: ({ balance }) => creditsText(balance) },
  {
    name: 'Keys',
    kind: 'number',
    cell: ({ name }) => keys.filter((key) => isValid(key) && key.userName === name).length,
  },
  { name: 'Since', cell: ({ createdAt }) => relativeTime(createdAt) },
  { name: changes, cell: (user) => userChanges(user, visitor) },
];

const userChanges = (user: User, visitor: Visitor): Html =>
  html`<details><summary>Credits, keys, removal</summary>
${postForm({
  action: `${usersPath}/credits`,
  visitor,
  hidden: { user: user.name },
  fields: [creditsField(`credits-${user.id}`, 'Credits to add; with a minus to take', '100')],
  content: html`<button class="small">Add credits</button>`,
})}
${keyForm(visitor, user)}
${
  user.name === operatorName
    ? ''
    : twiceForm({
        action: `${usersPath}/remove`,
        visitor,
        hidden: { user: user.name },
        name: ` ${user.name}`,
        title: 'Remove',
        about: 'The keys and accounts are deleted; runs and the ledger stay.',
        button: `Remove ${user.name}`,
      })
}</details>`;

function readCredits(posted: URLSearchParams): number {
  const credits = text(posted, 'credits');
  if (!/^-?\d{1,12}$/.test(credits))
    throw new RequestError(400, 'INVALID_INPUT', 'Credits are whole numbers');
  return Number(credits);
}

async function showMade<Data>(
  page: ConsolePage<Data>,
  visit: Visit,
  posted: URLSearchParams,
  user: string,
): Promise<Response> {
  const made = await makeKey(visit, posted, user);
  return visit.show(await page.render(visit, { ...(await page.load(visit)), made }));
}

const operatorForm = (name: string, act: (context: Context, posted: URLSearchParams) => Promise<unknown>) =>
  form({
    path: `${usersPath}/${name}`,
    isOperators: true,
    async accept(visit, posted) {
      await act(visit.context, posted);
      return visit.goTo(usersPath);
    },
  });

export const keyForms = [
  form({
    path: `${keysPath}/add`,
    accept: (visit, posted) => showMade(keysPage, visit, posted, visit.visitor.user.name),
  }),
  form({
    path: `${keysPath}/revoke`,
    async accept(visit, posted) {
      const id = text(posted, 'id');
      const own = await listKeys(visit.context.database, visit.visitor.user.name);
      if (!own.some((key) => key.id === id)) throw notFound('key');
      await revokeKey(visit.context.database, id);
      return visit.goTo(keysPath);
    },
  }),
  operatorForm('revoke', ({ database }, posted) => revokeKey(database, text(posted, 'id'))),
  operatorForm('credits', ({ database }, posted) =>
    grantCredits(database, text(posted, 'user'), readCredits(posted)),
  ),
  operatorForm('remove', ({ database }, posted) => removeUser(database, text(posted, 'user'))),
  operatorForm('add-user', ({ database }, posted) =>
    addUser(database, text(posted, 'name').slice(0, maxLabel), readCredits(posted)),
  ),
  form({
    path: `${usersPath}/add`,
    isOperators: true,
    async accept(visit, posted) {
      const { name } = await findUser(visit.context.database, text(posted, 'user'));
      return showMade(usersPage, visit, posted, name);
    },
  }),
];
