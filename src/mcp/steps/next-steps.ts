/** The next steps of answers as sentences for agents: each names the one best call, complete where that is known. */

import { buildCostText } from '../../gateway/foundation/text.ts';
import type { NextStep, PricedRun, StepWriters } from '../../gateway/interface/next-step.ts';
import { isNextStep, mapNext, writeStep } from '../../gateway/interface/next-step.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import { accountSteps } from './account-steps.ts';
import { inside, listText, plainSteps, repairOf } from './plain-steps.ts';

const json = (value: unknown): string => JSON.stringify(value);
const didYouMean = (nearest: string | undefined, otherwise: string): string =>
  nearest === undefined
    ? `Call ${otherwise}.`
    : `Did you mean ${json(nearest)}? Otherwise call ${otherwise}.`;

const argumentSteps: Readonly<Record<NextStep<'correct-argument'>['argument'], string>> = {
  identity: 'Use an identity from list_identities, or leave it out.',
  select:
    'Correct select, for example items[*].name or items[?price < `10`].{name: name, price: price}, or leave it out.',
  format: 'Give json or csv, or leave it out.',
  cursor: 'Call search_actions again without cursor.',
  max_age_seconds: 'Repeat the call without max_age_seconds; it costs what the action costs.',
  batch: 'Call run_action again with batch alone, or with params for one run; it costs what the runs cost.',
};

const searches: Readonly<Record<NextStep<'search'>['why'], (args: string) => string>> = {
  more: (args) => `Call search_actions ${args} for the next ones; free.`,
  'whole-catalog': (args) => `Call search_actions ${args} and follow next_cursor for all of them; free.`,
  'other-catalogs': () => 'Call search_actions with words or a category to reach the other catalogs; free.',
  'without-account': (args) => `Call its actions without identity; search_actions ${args} lists them.`,
};

function nothingFound({ catalog, category, isWithoutSignIn, websites }: NextStep<'nothing-found'>): string {
  const parts = [
    'Nothing matches.',
    catalog === undefined
      ? ''
      : catalog.isKnown
        ? 'Search again without catalog to see the other websites.'
        : `There is no catalog ${json(catalog.name)}${catalog.nearest === undefined ? '.' : `; did you mean ${json(catalog.nearest)}?`}`,
    category === undefined
      ? ''
      : category.known === undefined
        ? 'Search again without category to see the others.'
        : `There is no category ${json(category.name)}; there are ${listText(category.known)}.`,
    isWithoutSignIn ? 'Search again without auth to see actions that need a sign-in.' : '',
    websites.names.length === 0
      ? ''
      : `Websites with actions: ${listText(websites)} (browse_catalogs shows them).`,
    `If none of them can do it, ask the user first, then call request_build {website_url, goal}: it costs ${buildCostText}.`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const questions: Readonly<Record<NextStep<'ask'>['about'], string>> = {
  'declined-credits': 'Do not repeat the call unless the user asks for it.',
  'declined-sign-in': 'Ask the user what to do instead.',
  'lost-job': 'Ask the service about this job id; call the action again only if it should be paid again.',
};

/** A call of an action, with its price. */
const runCall = ({ call, cost }: PricedRun): string =>
  `run_action ${json(call)}${call.params === undefined ? ' with its params' : ''} (${cost})`;

function build({ existing, ...step }: NextStep<'build'>): string {
  const built = buildCall(step);
  return existing === undefined
    ? unsortedText(step) + built
    : `${unsortedText(step)}An action reads this page already: call ${runCall(existing)} if its description has all that you want. Else ${inside(built)}`;
}

const unsortedText = ({ unsorted }: { readonly unsorted?: string | undefined }): string =>
  unsorted === undefined
    ? ''
    : `The rows of an action are all of the page, in its order, not as "${unsorted}" asks: filter or sort them with select. `;

function buildCall({ call, as, cut, missing = [] }: NextStep<'build'>): string {
  const complete = `request_build ${json(call)} (${buildCostText}).`;
  if (as === 'tried') return `If the rows are what you want, call ${complete}`;
  if (as === 'example') {
    const more =
      cut === undefined ? '' : ` (preview: true, choose: ${json({ candidate: cut })} shows all its columns)`;
    return `In place of these first columns, put those that you want${more}, under names of yours, into this call: ${complete}`;
  }
  return missing.length === 0
    ? `Correct this guess where it is wrong, and call ${complete}`
    : `No column clearly has ${missing.join(', ')}: call request_build with choose, which names theirs beside ${json(call.choose)}, or with only this to do without them (${buildCostText}).`;
}

const newBuilds: Readonly<Record<NextStep<'build-anew'>['by'], string>> = {
  goal: `Call request_build with website_url and a goal that names the fields (${buildCostText}).`,
  'goal-alone': `Call request_build without choose, with a goal that names the fields (${buildCostText}).`,
  'other-page': `Ask again with another page of the site or a goal that names the fields (${buildCostText}).`,
  'other-candidate': `No candidate clearly has what the goal asks for: request_build with choose {candidate, fields} of one that does, or another page of the site (${buildCostText}).`,
  'other-columns':
    'Call request_build with preview: true and choose: {candidate: id} to see its columns, and correct choose.',
};

function runBuilt(step: NextStep<'run-built'>): string {
  const { run, tool, isReplacement, missing, unsorted, isSinglePage } = step;
  const facts =
    (isReplacement ? 'It replaced the earlier version of this action. ' : '') +
    (missing.length === 0 ? '' : `No field is named ${missing.join(', ')}. `) +
    unsortedText({ unsorted }) +
    (isSinglePage
      ? 'It reads no further pages: for a list that goes on, build it from a page whose next one gives further rows. '
      : '');
  return `${facts}Call ${runCall(run)}${tool === undefined ? '' : `, or the new tool ${tool} if it is listed`}.`;
}

function list({ of, why, page }: NextStep<'list'>): string {
  const isJobs = of === 'jobs';
  switch (why) {
    case 'all':
      return isJobs
        ? 'Call get_job without job_id to list your recent jobs.'
        : 'Call list_build_requests without id to see them all.';
    case 'older':
      return isJobs
        ? `Call get_job ${json(page)} for older jobs; it costs nothing.`
        : `Call list_build_requests ${json(page)} for older ones; free.`;
    case 'started':
      return isJobs
        ? 'Call get_job without job_id to see whether a paid job was started before trying again.'
        : 'Call list_build_requests to see whether it was created; do not request it again meanwhile.';
    case 'under-way':
      return isJobs
        ? 'Call get_job without job_id to see that run; call again when it has ended.'
        : 'Wait until a pending build ends: list_build_requests shows them.';
  }
}

const fillings: Readonly<Record<NextStep<'nothing-yet'>['of'], string>> = {
  watches:
    'There is no watch: watch {action_id, every: "1d"} makes one of an action, which costs what its runs cost.',
  builds: `Nothing was built: search_actions finds what there is; request_build {website_url, goal} builds an action (${buildCostText}).`,
  'own-catalogs': `No catalog is your own: browse_catalogs without scope lists all; request_build {website_url, goal} builds an action (${buildCostText}).`,
};

function read({ call, what }: NextStep<'read'>): string {
  const reading = `${'id' in call ? 'list_build_requests' : 'get_job'} ${json(call)}`;
  switch (what) {
    case 'rest':
      return `Call ${reading} for the rest; it costs nothing.`;
    case 'whole':
      return `Call ${reading} to read the whole result; it costs nothing.`;
    case 'part':
      return `Call ${reading} to read that; it costs nothing.`;
    case 'kept':
      return `The whole result is kept: call ${reading}; it costs nothing.`;
    case 'end':
      return `Call ${reading}.`;
    case 'end-soon':
      return `Ask again in a moment, or call ${reading}.`;
  }
}

function wait({ for: what, call, isLater }: NextStep<'wait'>): string {
  switch (what) {
    case 'job':
      return `Call get_job ${json(call)} ${isLater ? 'later' : 'to continue waiting'}; the job keeps running and is not charged again.`;
    case 'batch':
      return `Call get_job ${json(call)} to go on waiting: what is left of the batch goes on, and no run is charged twice.`;
    case 'build':
      return `Call list_build_requests ${json(call)} ${isLater ? 'later; the build goes on and' : 'to go on waiting; it'} is not charged again.`;
  }
}

function resubmit(step: NextStep<'resubmit'>): string {
  if (step.of === 'build')
    return 'Call list_build_requests to see whether it was created, or repeat the call: where the list shows it, the call goes on with it. To request it again anyway, at the risk of paying twice, call request_build with force: true.';
  const call =
    step.call === undefined
      ? 'with the same action_id, params and identity, and resubmit: true'
      : json(step.call);
  return `Check the account at the service; to run it again anyway, at the risk of paying twice, call run_action ${call}.`;
}

function runRest({ inputs, condition = 'price', until }: NextStep<'run-rest'>): string {
  if (inputs === undefined) return 'Call again with the inputs that were not run.';
  const conditions = {
    price: 'To run them for their price,',
    'new-price': 'To run them at the new price,',
    limit: `After ${until}, or when the user has raised the limit that \`stopped\` names,`,
    agreed: 'If the user agrees to spend more on them,',
    confirmed: 'To run them, which the user is then asked to confirm,',
    mended: 'When what `stopped` names is mended,',
  } satisfies Record<typeof condition, string>;
  const count = inputs === 1 ? '1 input was' : `${inputs} inputs were`;
  return `${count} not sent and cost nothing. ${conditions[condition]} call run_action with a batch of only those params.`;
}

function raiseLimit({ limit, to, or, until }: NextStep<'raise-limit'>): string {
  const raise = `let the user raise ${limit}${to === undefined ? '' : ` to ${to} or more`}`;
  const rest = 'Run the inputs that were not sent in another batch';
  switch (or) {
    case 'cheaper-action':
      return limit === 'max_credits'
        ? `Repeat the call with max_credits ${to} or more if the user agrees, or choose a cheaper action.`
        : `Choose a cheaper action, or ${raise}.`;
    case 'rest':
      if (limit === 'SVC_CONFIRM_ABOVE_CREDITS') return `${rest}: the user is then asked to confirm it.`;
      return limit === 'max_credits'
        ? `${rest}, with a larger max_credits if the user agrees.`
        : `${rest}, or ${raise}.`;
    case 'next-day':
      return `Wait until ${until}, or ${raise}.`;
    case 'other-client':
      return `L${raise.slice(1)}, or use a client that can ask (elicitation).`;
    case 'smaller-total':
      return `Give the watch max_credits of at most the limit: runs beyond it are skipped, and told. Or ${raise}, or use a client that can ask (elicitation).`;
    case 'stay-in-doubt':
      return limit === 'max_credits'
        ? `Repeat the call with max_credits ${to} or more if the user agrees: it asks the service by its key.`
        : `L${raise.slice(1)}; the same call then asks the service by its key.`;
  }
}

const runMendings: Readonly<Record<NonNullable<NextStep<'mend-run'>['reason']>, string>> = {
  blocked: 'Ask for another page, or read this one in a browser: running the action again ends the same way.',
  site_unavailable:
    'The website was not available: run the action again in some minutes. A failed run costs nothing.',
  page_missing:
    'The page does not exist: check the param that names it, if the action has one. Another action of this website may list what exists: search_actions finds it; free.',
  address_refused: 'Give the address of a public http or https page.',
  origin_not_allowed:
    'The message says what may read the address, and with which setting: ask the person who runs this program, or give a public page.',
  site_unreadable:
    'The message says what is wrong with the website, or with the way to it: running the action again changes nothing before that.',
  robots_disallowed: 'The website does not allow programs on this page: use another page or another source.',
  too_large: 'Use params that return less.',
  page_unfit:
    'This page does not have what the action reads: give another page, or find another action with search_actions; free.',
};

const ownActionSteps: Readonly<
  Record<NextStep<'own-action'>['state'], (id: string, watches: number) => string>
> = {
  'site-changed': (id) =>
    `To have the changed page read for the same fields, ask the user and call edit_action ${json({ action_id: id, repair: true })} (${buildCostText}); with preview: true it only shows the repair, for free.`,
  doubtful: (id) =>
    `If these rows are wrong because the site changed, ask the user and call edit_action ${json({ action_id: id, repair: true })} (${buildCostText}); with preview: true it only shows the repair, for free.`,
  provable: (id) =>
    `Nothing was charged or changed; to publish this version, call edit_action ${json({ action_id: id, repair: true })} (${buildCostText}).`,
  unprovable: () =>
    `Nothing was charged or changed: a repair would publish nothing, so choose columns with request_build, the same goal and force: true (${buildCostText}).`,
  unknown: () => 'Call list_build_requests for the actions that you built; only those can be changed.',
  repaired: (id) =>
    `Go on using it under the same name; edit_action ${json({ action_id: id, revert: true })} goes back, for free.`,
  edited: (id) =>
    `Its id and its tool's name stay; run_action ${json({ action_id: id })} runs it, for what it costs.`,
  reverted: (id) =>
    `It runs as this version from now on; edit_action ${json({ action_id: id, revert: true })} goes back again, if it has another version.`,
  'only-version': (id) =>
    `It goes on as it is. For other columns call request_build with the same goal, choose and force: true (${buildCostText}); edit_action ${json({ action_id: id, remove: true })} removes it, for free.`,
  removed: (id, watches) =>
    `It is in no list any more; results of its jobs stay, and its versions for 30 days: edit_action ${json({ action_id: id, revert: true })} brings it back.${watches === 0 ? '' : ' The watches listed here cannot run without it: watch {watch_id, set: "end"} ends one, for free.'}`,
};

const broughtBack =
  'An action of your own that was removed within 30 days is brought back by edit_action with revert: true.';

function watch(step: NextStep<'watch'>): string {
  switch (step.as) {
    case 'list':
      return 'Call list_watches to see them all; free.';
    case 'read':
      return `Call list_watches ${json({ watch_id: step.watch_id })} in a moment to see what changed; free.`;
    case 'earlier':
      return `Call list_watches ${json({ watch_id: step.watch_id, after: 0 })} for the entries before, the oldest first; free.`;
    case 'pause':
      return `It goes on by itself, at a slower pace; watch ${json({ watch_id: step.watch_id, set: 'pause' })} stops it, for free.`;
    case 'without-action':
      return `It cannot run without its action; watch ${json({ watch_id: step.watch_id, set: 'end' })} ends it, for free. ${broughtBack}`;
    case 'raise-total':
      return 'Its max_credits is spent, so nothing runs any more: ask the user, and call watch with its action_id, params, identity and a larger max_credits.';
    case 'resume':
      return `${resumable[step.once]}, call watch ${json({ watch_id: step.watch_id, set: 'resume' })}; free until its next run.`;
    case 'end-one':
      return 'End one that is not needed any more: list_watches shows them, watch {watch_id, set: "end"} ends one; free.';
  }
}

const resumable: Readonly<Record<Extract<NextStep<'watch'>, { as: 'resume' }>['once'], string>> = {
  'price-accepted': 'If the user accepts the new price',
  'signed-in': 'When the user has signed in to the site (login)',
  'key-accepted':
    'A watch belongs to its key: with another key make it again. When the service accepts this key again',
  mended: 'When a person has mended that',
};

const writers: StepWriters = {
  ...plainSteps,
  ...accountSteps,
  correct: ({ named, tool, isUncharged }) => {
    const call = `call ${tool === undefined ? '' : `${tool} `}again.`;
    if (named === 'issues') return `Correct what issues names and ${call}`;
    return isUncharged
      ? 'Nothing was charged. Correct what the message names, then call the action again.'
      : `Change what the message names and ${call}`;
  },
  'correct-argument': ({ argument }) => argumentSteps[argument],
  'run-action': ({ action_id, argument }) =>
    `Call run_action with action_id ${json(action_id)}, params and ${argument} (it costs what the action costs), or leave ${argument} out.`,
  find: ({ what, nearest }) => {
    if (what === 'params') return 'Call browse_catalogs with catalog to see their params; free.';
    if (what === 'id') return 'Check the id or slug with search_actions or browse_catalogs.';
    return what === 'action'
      ? `${didYouMean(nearest, 'search_actions to find the action_id')} ${broughtBack}`
      : didYouMean(nearest, 'browse_catalogs for the slugs of all websites');
  },
  search: ({ args, why }) => searches[why](json(args)),
  'nothing-found': nothingFound,
  ask: ({ about }) => questions[about],
  build,
  'build-anew': ({ by, likely }) =>
    likely === undefined
      ? newBuilds[by]
      : `${likely.id} has ${likely.rows} rows, but no column of it is clearly what the goal names: if they are the rows, say which column is which by request_build with choose {"candidate": "${likely.id}", "fields": {…}} (${buildCostText}), or try another page.`,
  'build-anyway': ({ existing }) => {
    const use =
      existing === undefined
        ? 'Call'
        : `Use an existing action if its description has all that you want, such as ${runCall(existing)}, or call`;
    return `${use} request_build again with force: true (${buildCostText}): the same goal replaces your action, another goal builds another one.`;
  },
  'run-built': runBuilt,
  list,
  'nothing-yet': ({ of }) => fillings[of],
  read,
  wait,
  resubmit,
  'run-rest': runRest,
  'raise-limit': raiseLimit,
  'own-action': ({ action_id, state, watches = 0 }) => ownActionSteps[state](action_id, watches),
  watch,
  rebuild: ({ call }) =>
    `These columns say that they are the same, but nothing proves it: check the candidates, ask the user, and to replace the action call request_build ${json(call)} (${buildCostText}).`,
  'mend-run': ({ reason }) =>
    reason === undefined
      ? 'Check the params, and run the action again only after you changed them or the site changed.'
      : runMendings[reason],
  'repair-store': (step) =>
    `${repairOf(step)}, then ${step.isMeanwhile ? 'call get_job without job_id to see whether a paid job was started.' : 'call again.'}`,
  refunded: ({ step }) => `The credits were refunded; ${inside(writeForAgent(step))}`,
};

/** The next step in one sentence. */
export const writeForAgent = (step: NextStep): string => writeStep(writers, step);

/** The answer as agents get it, and the steps that its sentences were written from. */
export function withSentences(body: JsonObject): {
  readonly body: JsonObject;
  readonly steps: readonly NextStep[];
} {
  const steps: NextStep[] = [];
  const written = mapNext(body, (next) => {
    if (!isNextStep(next)) return next;
    steps.push(next);
    return writeForAgent(next);
  });
  return { body: written, steps };
}
