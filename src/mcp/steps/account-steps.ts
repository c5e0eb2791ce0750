/** The next steps of answers about accounts and sign-in as sentences for agents. */
import { accountArgument, type NextStep, type StepWriters } from '../../gateway/interface/next-step.ts';
import { inside } from './plain-steps.ts';

function signIn({ account, why, others, argument }: NextStep<'sign-in'>): string {
  const call = account.catalog === undefined ? undefined : `Call login ${JSON.stringify(account)}`;
  switch (why) {
    case 'needed': {
      const login =
        call ??
        "Sign in again: call login with this action's catalog and the identity's name as identity_name";
      const other = others
        ? ` To act for another account instead, name it as ${accountArgument(argument, 'run_action')}.`
        : '';
      return `${login}, then repeat the call.${other}`;
    }
    case 'none-connected':
      return `No account is connected. ${call ?? 'Call login with the catalog of the website'} to connect one.`;
    case 'on-page':
      return `${call ?? 'Call login with catalog and'} without params: the user types them on a page.`;
    case 'perhaps':
      return "If this action's catalog has a sign-in, call login with it, then repeat the call; else no tool can sign in there: ask for a public page.";
  }
}

const failedSignIns: Readonly<Record<NextStep<'sign-in-failed'>['code'], string>> = {
  INVALID_BODY: 'Report this to whoever runs svc-mcp: it is a fault of the program.',
  INVALID_INPUT: 'Call login with catalog and without params: the user types them on a page.',
  INVALID_PARAMS: 'Call login again without params: the user fills in every field on a page.',
  CATALOG_NOT_FOUND: 'Call browse_catalogs for the slugs.',
  LOGIN_NOT_SUPPORTED: 'Let the user connect the account in the web console of the service.',
  LOGIN_NOT_AVAILABLE: 'Ask whoever runs the service to enable it.',
  LOGIN_TRANSPORT_ERROR: 'Call login again in a minute.',
  BAD_PASSWORD: 'Let the user check both and call login again; several wrong tries may lock the account.',
  MFA_REQUIRED: 'Use an account without a second factor, or connect it in the web console.',
  CAPTCHA_REQUIRED: 'Wait some minutes and call login again, or connect the account in the web console.',
  ACCOUNT_LOCKED: 'Let the user unlock it on the site first.',
  LOGIN_TIMEOUT: 'Call login again in a minute.',
  LOGIN_PAGE_CHANGED: 'Report it to whoever runs the service; trying again will not help.',
  LOGIN_NO_COOKIES: 'Call login again; report it if that repeats.',
  LOGIN_INFRASTRUCTURE_ERROR: 'Call login again in a minute.',
  LOGIN_FAILED: 'Let the user check the account on the site, then call login again.',
};

function openPage({ why, owner, until }: NextStep<'open-page'>): string {
  const address = owner === undefined ? 'login_url' : `login_url (${owner})`;
  switch (why) {
    case 'waiting':
      return `Give the user ${address} to open and sign in there, then call login again with wait_seconds to wait for it; free.`;
    case 'rejected':
      return `Tell the user the reason. If they want to try again, ${address} takes another try, and login with wait_seconds waits for it; free.`;
    case 'refused':
      return `Give the user ${address} to open and sign in there; when they have, repeat this call.`;
    case 'declined':
      return `Ask the user. If they want to sign in, give them ${address} to open; when they have, repeat this call.`;
    case 'shown':
      return `Let the user finish on the page that was shown (until ${until}), then repeat this call.`;
    case 'expired':
      return 'Repeat this call to get a new page.';
    case 'connect-url':
      return 'Let the user open connect_url and connect the account there, then repeat this call.';
  }
}

function nameAccount({ why, nearest, account = {}, argument }: NextStep<'name-account'>): string {
  switch (why) {
    case 'ambiguous':
      return `Repeat the call with one of the names in identities, or a credential id of list_identities, as ${argument === undefined ? 'its identity' : accountArgument(argument, 'run_action')}.`;
    case 'unknown': {
      const meant = nearest === undefined ? 'one of these accounts' : `the account "${nearest}"`;
      const login = inside(signIn({ kind: 'sign-in', account, why: 'needed' }));
      return `If you mean ${meant}, repeat the call with its name as ${accountArgument(argument, 'run_action')}. For a new account, ${login}`;
    }
    case 'untaken':
      return 'Repeat the call without identity, or find an action of the website that signs in with search_actions; free.';
    case 'forbidden':
      return 'Call list_identities for this catalog and name an identity that belongs to it.';
    case 'no-such-id':
      return 'Call list_identities without id to see them all; free.';
    case 'too-many':
      return 'Call list_identities with the catalog of one website to see the others; free.';
  }
}

export const accountSteps = {
  'sign-in': signIn,
  'sign-in-failed': ({ code }) => failedSignIns[code],
  'open-page': openPage,
  'name-account': nameAccount,
} as const satisfies Partial<StepWriters>;
