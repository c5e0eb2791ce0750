/** The next steps of answers for a person at a terminal, who runs commands in place of an agent's calls. */
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import {
  accountArgument,
  mapNext,
  type NextStep,
  type PricedRun,
  type StepWriters,
  writeStep,
} from '../../gateway/interface/next-step.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import { inside, listText, plainSteps, repairOf } from '../../mcp/steps/plain-steps.ts';
import { shellWord } from './text.ts';

const json = (value: unknown): string => shellWord(JSON.stringify(value));
const call = (tool: string, args: unknown): string => `svc-mcp call ${tool} ${json(args)}`;
const buildCost = `${creditsText(buildCredits)}, refunded if it fails`;

const argumentSteps: Readonly<Record<NextStep<'correct-argument'>['argument'], string>> = {
  identity: 'Name an account that svc-mcp call list_identities shows, or leave identity out.',
  select:
    'Correct select, for example items[*].name or items[?price < `10`].{name: name, price: price}, or leave it out.',
  format: 'Give json or csv, or leave it out.',
  cursor: 'Search again without cursor.',
  max_age_seconds: 'Repeat the call without max_age_seconds; it costs what the action costs.',
  batch: 'Give batch alone, or params for one run; it costs what the runs cost.',
};

function nothingFound({ catalog, category, isWithoutSignIn, websites }: NextStep<'nothing-found'>): string {
  const near = catalog?.nearest === undefined ? '' : ` Did you mean the catalog ${catalog.nearest}?`;
  const known = category?.known === undefined ? '' : ` Categories are ${listText(category.known)}.`;
  const auth = isWithoutSignIn ? ' Search without auth to see actions that need a sign-in.' : '';
  const sites = websites.names.length === 0 ? '' : ` Websites with actions: ${listText(websites)}.`;
  return `Nothing matches.${near}${known}${auth}${sites} If none of them can do it, build an action: svc-mcp build <url> "<goal>" (${buildCost}).`;
}

function login({ catalog = '<catalog>', identity_name }: NextStep<'sign-in'>['account']): string {
  const identity = identity_name === undefined ? '' : ` --identity ${shellWord(identity_name)}`;
  return `svc-mcp login ${shellWord(catalog)}${identity}`;
}

const signIns: Readonly<Record<NextStep<'sign-in'>['why'], (command: string) => string>> = {
  needed: (command) => `Run ${command}, then repeat this command.`,
  'none-connected': (command) => `No account is connected. Run ${command} to connect one.`,
  'on-page': (command) => `Run ${command}: it asks for each field.`,
  perhaps: (command) =>
    `If the website has a sign-in, run ${command}, then repeat this command; else give a public page.`,
};

const failedSignIns: Readonly<Record<NextStep<'sign-in-failed'>['code'], string>> = {
  INVALID_BODY: 'Report this: it is a fault of svc-mcp.',
  INVALID_INPUT: 'Run svc-mcp login <catalog>: it asks for each field.',
  INVALID_PARAMS: 'Sign in again and fill in every required field.',
  CATALOG_NOT_FOUND: 'svc-mcp call browse_catalogs shows the slugs.',
  LOGIN_NOT_SUPPORTED: 'Connect the account in the web console of the service.',
  LOGIN_NOT_AVAILABLE: 'Ask whoever runs the service to enable it.',
  LOGIN_TRANSPORT_ERROR: 'Sign in again in a minute.',
  BAD_PASSWORD: 'Check both and sign in again; several wrong tries may lock the account.',
  MFA_REQUIRED: 'Use an account without a second factor, or connect it in the web console.',
  CAPTCHA_REQUIRED: 'Sign in again in some minutes, or connect the account in the web console.',
  ACCOUNT_LOCKED: 'Unlock it on the site first.',
  LOGIN_TIMEOUT: 'Sign in again in a minute.',
  LOGIN_PAGE_CHANGED: 'Report it to whoever runs the service; trying again will not help.',
  LOGIN_NO_COOKIES: 'Sign in again; report it if that repeats.',
  LOGIN_INFRASTRUCTURE_ERROR: 'Sign in again in a minute.',
  LOGIN_FAILED: 'Check the account on the site, then sign in again.',
};

function openPage({ why, owner, until }: NextStep<'open-page'>): string {
  const page = `login_url${owner === undefined ? '' : ` (${owner})`}`;
  switch (why) {
    case 'shown':
      return `Finish on the page that was shown (until ${until}), then repeat this command.`;
    case 'expired':
      return 'Repeat this command to get a new page.';
    case 'connect-url':
      return 'Open connect_url, connect the account there, then repeat this command.';
    default:
      return `Open ${page} in a browser and sign in there, then repeat this command.`;
  }
}

function nameAccount({ why, nearest, account = {}, argument }: NextStep<'name-account'>): string {
  switch (why) {
    case 'ambiguous':
      return `Repeat the call with one of these names as ${accountArgument(argument, 'svc-mcp call run_action')}.`;
    case 'unknown': {
      const meant = nearest === undefined ? 'one of these accounts' : `the account "${nearest}"`;
      return `If you mean ${meant}, repeat the call with its name as ${accountArgument(argument, 'svc-mcp call run_action')}. For a new account, run ${login(account)}.`;
    }
    case 'untaken':
      return 'Repeat the call without identity.';
    case 'forbidden':
      return 'Name an account of this catalog: svc-mcp call list_identities shows them.';
    case 'no-such-id':
      return `To see them all: ${call('list_identities', {})}`;
    case 'too-many':
      return `Name one website to see the others: ${call('list_identities', { catalog: '<catalog>' })}`;
  }
}

const runCommand = ({ call: { action_id, params = {} }, cost }: PricedRun): string =>
  `${call('run_action', { action_id, params })} (${cost})`;

const buildCommand = ({ website_url, goal, choose, visibility }: NextStep<'rebuild'>['call']): string =>
  `svc-mcp build ${shellWord(website_url)} ${shellWord(goal)}${choose === undefined ? '' : ` --choose ${json(choose)}`}${visibility === undefined ? '' : ` --visibility ${visibility}`}`;

/** What a build does not do, though its goal asks for it. */
export const orderNotApplied = (unsorted: string): string =>
  `The rows are all of the page, in its order: "${unsorted}" is not applied.`;

function build({ existing, ...step }: NextStep<'build'>): string {
  const { unsorted } = step;
  const own = (unsorted === undefined ? '' : `${orderNotApplied(unsorted)} `) + buildText(step);
  return existing === undefined ? own : `An action reads this page already: ${runCommand(existing)}. ${own}`;
}

function buildText({ call: request, as, missing = [] }: NextStep<'build'>): string {
  const command = buildCommand(request);
  if (as === 'tried') return `If the rows are what you want: ${command}`;
  if (as === 'example') return `Build it, with the columns and names you want: ${command}`;
  return missing.length === 0
    ? `Correct this guess where it is wrong: ${command}`
    : `No column clearly has ${missing.join(', ')}: name theirs by --choose, beside ${JSON.stringify(request.choose)}, or give only this to do without them.`;
}

const fillings: Readonly<Record<NextStep<'nothing-yet'>['of'], string>> = {
  watches: `To make one: ${call('watch', { action_id: '…', every: '1d' })}`,
  builds: `To build an action: svc-mcp build <url> "<goal>" (${buildCost}).`,
  'own-catalogs': `To build an action: svc-mcp build <url> "<goal>" (${buildCost}).`,
};

const newBuilds: Readonly<Record<NextStep<'build-anew'>['by'], string>> = {
  goal: `Build it without --preview, by a goal that names the fields (${buildCost}).`,
  'goal-alone': `Build it without --choose, by a goal that names the fields (${buildCost}).`,
  'other-page': 'Ask again with another page of the site or a goal that names the fields.',
  'other-candidate': 'Name the columns of a candidate by --choose, or give another page of the site.',
  'other-columns': '--preview <candidate> shows its columns; correct --choose.',
};

function list({ of, why, page }: NextStep<'list'>): string {
  const command = of === 'jobs' ? 'svc-mcp jobs' : 'svc-mcp call list_build_requests';
  switch (why) {
    case 'all':
      return `${command} lists them.`;
    case 'older':
      return `Older ones: ${call(of === 'jobs' ? 'get_job' : 'list_build_requests', page)} (free).`;
    case 'started':
      return `Look with ${command} whether it was begun, before you try again.`;
    case 'under-way':
      return `${command} shows what is under way; try again when it has ended.`;
  }
}

function read({ call: args, what }: NextStep<'read'>): string {
  const command = call('id' in args ? 'list_build_requests' : 'get_job', args);
  if (what === 'rest') return `For the rest, free: ${command}`;
  return what === 'end-soon'
    ? `Try again in a moment: ${command}`
    : `It is kept and free to read: ${command}`;
}

function runRest({ condition, until }: NextStep<'run-rest'>): string {
  const when = {
    price: '',
    'new-price': ' at the new price',
    limit: ` after ${until}, or with a higher limit`,
    agreed: ' with a higher limit',
    confirmed: ' with a higher SVC_CONFIRM_ABOVE_CREDITS',
    mended: ' when what `stopped` names is mended',
  } satisfies Record<NonNullable<typeof condition>, string>;
  return `Run the inputs that were not sent as another batch${when[condition ?? 'price']}.`;
}

function raiseLimit({ limit, to, or, until }: NextStep<'raise-limit'>): string {
  const raise = `raise ${limit}${to === undefined ? '' : ` to ${to} or more`}`;
  switch (or) {
    case 'cheaper-action':
      return `Choose a cheaper action, or ${raise}.`;
    case 'rest':
      return `Run the inputs that were not sent as another batch, or ${raise}.`;
    case 'next-day':
      return `Wait until ${until}, or ${raise}.`;
    case 'other-client':
      return `R${raise.slice(1)}: a command cannot ask.`;
    case 'smaller-total':
      return `Give the watch max_credits of at most the limit, or ${raise}: a command cannot ask.`;
    case 'stay-in-doubt':
      return `R${raise.slice(1)}; the same call then asks the service by its key.`;
  }
}

const mendings: Readonly<Record<NonNullable<NextStep<'mend-run'>['reason']>, string>> = {
  blocked: 'Give another page, or read this one in a browser: running the action again ends the same way.',
  site_unavailable: 'The website was not available: run the action again in some minutes.',
  page_missing: 'The page does not exist: check the param that names it, if the action has one.',
  address_refused: 'Give the address of a public http or https page.',
  origin_not_allowed: 'Set what the message names, or give a public page.',
  site_unreadable: 'The message says what is wrong: running the action again changes nothing before that.',
  robots_disallowed: 'The website does not allow programs on this page: use another page or source.',
  too_large: 'Use params that return less.',
  page_unfit: 'This page does not have what the action reads: give another page, or use another action.',
};

const ownActionSteps: Readonly<
  Record<NextStep<'own-action'>['state'], (id: string, watches: number) => string>
> = {
  'site-changed': (id) =>
    `To have the changed page read for the same fields: svc-mcp actions repair ${id} (${buildCost}); --preview only shows the repair.`,
  doubtful: (id) =>
    `If these rows are wrong because the site changed: svc-mcp actions repair ${id} (${buildCost}); --preview only shows the repair.`,
  provable: (id) => `To publish this version: svc-mcp actions repair ${id} (${buildCost}).`,
  unprovable: () => 'A repair would publish nothing: build it again with --choose and --force.',
  unknown: () => 'svc-mcp actions lists the actions that you built; only those can be changed.',
  repaired: (id) => `svc-mcp actions revert ${id} goes back.`,
  edited: () => "Its id and its tool's name stay.",
  reverted: (id) => `svc-mcp actions revert ${id} goes back again.`,
  'only-version': (id) => `It goes on as it is; svc-mcp actions remove ${id} removes it.`,
  removed: (id, watches) =>
    `Results of its jobs stay, and its versions for 30 days: svc-mcp actions revert ${id} brings it back.${watches === 0 ? '' : ' Its watches cannot run without it: svc-mcp watches end WATCH ends one.'}`,
};

const writers: StepWriters = {
  ...plainSteps,
  correct: ({ named, isUncharged }) =>
    `${isUncharged ? 'Nothing was charged. ' : ''}Correct what ${named === 'issues' ? 'issues names' : 'the message names'}, then repeat the command.`,
  'correct-argument': ({ argument }) => argumentSteps[argument],
  'run-action': ({ action_id, argument }) =>
    `Leave ${argument} out, or give it to run_action: ${call('run_action', { action_id, params: {} })}`,
  find: ({ what, nearest }) => {
    const list =
      what === 'action'
        ? 'svc-mcp call search_actions finds it, and svc-mcp actions revert ID brings back one of your own that was removed within 30 days'
        : 'svc-mcp call browse_catalogs shows them';
    return nearest === undefined ? `${list}.` : `Did you mean ${nearest}? Otherwise ${list}.`;
  },
  search: ({ args, why }) =>
    why === 'without-account'
      ? `Run its actions without an account: ${call('search_actions', args)} lists them.`
      : `For the others, free: ${call('search_actions', args)}`,
  'nothing-found': nothingFound,
  'sign-in': ({ account, why, others, argument }) =>
    `${signIns[why](login(account))}${others ? ` To act for another account instead, name it as ${accountArgument(argument, 'svc-mcp call run_action')}.` : ''}`,
  'sign-in-failed': ({ code }) => failedSignIns[code],
  'open-page': openPage,
  'name-account': nameAccount,
  ask: ({ about }) =>
    about === 'lost-job'
      ? 'Ask the service about this job; repeat the command only if it should be paid again.'
      : 'Repeat the command if you want it after all.',
  build,
  'build-anew': ({ by, likely }) =>
    likely === undefined
      ? newBuilds[by]
      : `${likely.id} has ${likely.rows} rows: if they are right, say which column is which by --choose, or give another page of the site.`,
  'build-anyway': ({ existing }) =>
    `${existing === undefined ? 'B' : `Use ${runCommand(existing)}, or b`}uild another one with --force (${buildCost}).`,
  'run-built': ({ run }) => `Run it: ${runCommand(run)}`,
  list,
  'nothing-yet': ({ of }) => fillings[of],
  read,
  wait: ({ for: what, call: args }) =>
    `It goes on and is not charged again. To wait for it: ${call(what === 'build' ? 'list_build_requests' : 'get_job', args)}`,
  resubmit: (step) =>
    step.of === 'build'
      ? 'Repeat the command: where the service lists the build, it goes on with it. --force requests it again anyway, at the risk of paying twice.'
      : `Check the account at the service; to run it again anyway, at the risk of paying twice: ${call('run_action', step.call ?? { action_id: '…', resubmit: true })}`,
  'run-rest': runRest,
  'raise-limit': raiseLimit,
  'own-action': ({ action_id, state, watches = 0 }) => ownActionSteps[state](action_id, watches),
  watch,
  rebuild: ({ call: request }) =>
    `To rebuild the action in place: ${buildCommand(request)} --force (${buildCost}).`,
  'mend-run': ({ reason }) =>
    reason === undefined
      ? 'Check the params, and run the action again only after you changed them or the site changed.'
      : mendings[reason],
  'repair-store': (step) =>
    `${repairOf(step)}, then ${step.isMeanwhile ? 'see with svc-mcp jobs whether a paid job was started.' : 'repeat the command.'}`,
  refunded: ({ step }) => `The credits were refunded; ${inside(writeForPerson(step))}`,
};

export const writeForPerson = (step: NextStep): string => writeStep(writers, step);

function watch(step: NextStep<'watch'>): string {
  switch (step.as) {
    case 'list':
      return 'svc-mcp watches shows them all.';
    case 'end-one':
      return 'svc-mcp watches end WATCH ends one.';
    case 'read':
      return `svc-mcp watches show ${step.watch_id} shows what changed.`;
    case 'earlier':
      return `svc-mcp watches show ${step.watch_id} shows the entries before, too.`;
    case 'pause':
      return `It goes on by itself, at a slower pace; svc-mcp watches pause ${step.watch_id} stops it.`;
    case 'without-action':
      return `It cannot run without its action; svc-mcp watches end ${step.watch_id} ends it.`;
    case 'raise-total':
      return 'Its max_credits is spent, so nothing runs any more: the tool watch, called with the same action and a larger max_credits, lets it go on.';
    case 'resume':
      return `${resumable[step.once]}: svc-mcp watches resume ${step.watch_id}.`;
  }
}

const resumable: Readonly<Record<Extract<NextStep<'watch'>, { as: 'resume' }>['once'], string>> = {
  'price-accepted': 'To go on at the new price',
  'signed-in': 'When you have signed in to the site (svc-mcp login)',
  'key-accepted':
    'A watch belongs to its key: with another key make it again. When the service accepts this key again',
  mended: 'When that is mended',
};

/** The answer with its next steps for a person. `steps`: the data of each, as `mapNext` orders them. */
export function withNextForPerson(body: JsonObject, steps: readonly NextStep[]): JsonObject {
  const rest = [...steps];
  return mapNext(body, (next) => {
    const step = rest.shift();
    return step === undefined ? next : writeForPerson(step);
  });
}
