/** Next steps of every kind, with each of their words: the tests of the sentences write them all. */
import { isNextStep, type NextStep } from '../../src/gateway/interface/next-step.ts';

type Data<Step> = Step extends unknown ? Omit<Step, 'kind'> : never;
type Samples = { readonly [Kind in NextStep['kind']]: readonly Data<NextStep<Kind>>[] };

const choose = { candidate: 't1', fields: { name: 'c1' } };
const build = { website_url: 'https://boats.example/', goal: "List the boat's name", choose };
const run = { call: { action_id: 'shop-list', params: { tag: 'wit' } }, cost: '2 credits' };
const unknownRun = { call: { action_id: 'shop-list' }, cost: 'costs its price in credits' };
const account = { catalog: 'shop', identity_name: 'my work' };
const websites = { names: ['homes', 'shop'], more: 3 };
const until = '2026-01-02T00:00:00.000Z';

const samples: Samples = {
  retry: (
    [
      7,
      'now',
      'soon',
      'later',
      'if-wanted',
      'once-more',
      'one-ended',
      'at-new-price',
      'same-key',
      'connected',
      'stored',
    ] as const
  ).map((when) => ({ when })),
  correct: [
    { named: 'message' },
    { named: 'message', isUncharged: true },
    { named: 'issues' },
    { named: 'issues', tool: 'get_job' },
  ],
  'correct-argument': (['identity', 'select', 'format', 'cursor', 'max_age_seconds', 'batch'] as const).map(
    (argument) => ({
      argument,
    }),
  ),
  'run-action': [{ action_id: 'shop-list', argument: 'max_credits' }],
  'add-credits': [{}],
  'replace-key': (['user', 'client', 'server', 'subject'] as const).map((holder) => ({ holder })),
  'check-address': [{}],
  find: [
    { what: 'action' },
    { what: 'action', nearest: 'shop-list' },
    { what: 'catalog' },
    { what: 'catalog', nearest: 'shop' },
    { what: 'id' },
    { what: 'params' },
  ],
  search: [
    { args: { limit: 1, cursor: 'b2Zm' }, why: 'more' },
    { args: { catalog: 'shop' }, why: 'whole-catalog' },
    { args: {}, why: 'other-catalogs' },
    { args: { catalog: 'shop' }, why: 'without-account' },
  ],
  'nothing-found': [
    { isWithoutSignIn: false, websites: { names: [], more: 0 } },
    {
      catalog: { name: 'Shopp', isKnown: false, nearest: 'shop' },
      category: { name: 'comerce', known: { names: ['commerce'], more: 0 } },
      isWithoutSignIn: true,
      websites,
    },
    {
      catalog: { name: 'shop', isKnown: true },
      category: { name: 'commerce' },
      isWithoutSignIn: false,
      websites,
    },
    { catalog: { name: 'xyzzy', isKnown: false }, isWithoutSignIn: false, websites },
  ],
  'sign-in': [
    { account, why: 'needed' },
    { account, why: 'needed', others: true },
    { account: {}, why: 'needed' },
    { account: { catalog: 'shop' }, why: 'none-connected' },
    { account: {}, why: 'none-connected' },
    { account, why: 'on-page' },
    { account: {}, why: 'perhaps' },
  ],
  'sign-in-failed': (
    [
      'INVALID_BODY',
      'INVALID_INPUT',
      'INVALID_PARAMS',
      'CATALOG_NOT_FOUND',
      'LOGIN_NOT_SUPPORTED',
      'LOGIN_NOT_AVAILABLE',
      'LOGIN_TRANSPORT_ERROR',
      'BAD_PASSWORD',
      'MFA_REQUIRED',
      'CAPTCHA_REQUIRED',
      'ACCOUNT_LOCKED',
      'LOGIN_TIMEOUT',
      'LOGIN_PAGE_CHANGED',
      'LOGIN_NO_COOKIES',
      'LOGIN_INFRASTRUCTURE_ERROR',
      'LOGIN_FAILED',
    ] as const
  ).map((code) => ({ code })),
  'open-page': [
    { why: 'waiting' },
    { why: 'waiting', owner: 'a page of shop.example' },
    { why: 'rejected' },
    { why: 'refused' },
    { why: 'declined' },
    { why: 'shown', until },
    { why: 'expired' },
    { why: 'connect-url' },
  ],
  'name-account': [
    { why: 'ambiguous' },
    { why: 'ambiguous', argument: 'svc_identity' },
    { why: 'unknown', account },
    { why: 'unknown', nearest: 'work', account },
    { why: 'untaken' },
    { why: 'forbidden' },
    { why: 'too-many' },
    { why: 'no-such-id' },
  ],
  ask: (['declined-credits', 'declined-sign-in', 'lost-job'] as const).map((about) => ({ about })),
  'other-website': [{}],
  preview: (
    [
      'again',
      'when-one-ended',
      'other',
      'with-data',
      'reachable',
      'without-sign-in',
      'for-programs',
      'without-scripts',
    ] as const
  ).map((page) => ({ page })),
  build: [
    { call: build, as: 'tried' },
    { call: build, as: 'example' },
    { call: build, as: 'example', cut: 't1' },
    { call: build, as: 'guess', missing: [] },
    { call: build, as: 'guess', missing: ['colour', 'size'] },
    { call: build, as: 'guess', unsorted: 'the cheapest' },
  ],
  'build-anew': (['goal', 'goal-alone', 'other-page', 'other-candidate', 'other-columns'] as const).map(
    (by) => ({ by }),
  ),
  'build-anyway': [{}, { existing: run }],
  'run-built': [
    { run, tool: 'shop-list', isReplacement: false, missing: [], isSinglePage: false },
    { run: unknownRun, isReplacement: true, missing: ['colour'], isSinglePage: true },
  ],
  list: [
    ...(['jobs', 'builds'] as const).flatMap((of) =>
      (['all', 'started', 'under-way'] as const).map((why) => ({ of, why })),
    ),
    { of: 'jobs', why: 'older', page: { offset: 20, limit: 20 } },
    { of: 'builds', why: 'older', page: { offset: 50 } },
  ],
  'nothing-yet': [{ of: 'watches' }, { of: 'builds' }, { of: 'own-catalogs' }],
  read: [
    ...(['rest', 'whole', 'part', 'kept', 'end', 'end-soon'] as const).map((what) => ({
      call: { job_id: 'j1', select: 'rows' },
      what,
    })),
    { call: { id: 'b1' }, what: 'end' },
  ],
  wait: [
    { for: 'job', call: { job_id: 'j1', wait_seconds: 45 } },
    { for: 'job', call: { job_id: 'j1' }, isLater: true },
    { for: 'batch', call: { job_id: 'g1', wait_seconds: 45 } },
    { for: 'build', call: { id: 'b1', wait_seconds: 45 } },
    { for: 'build', call: { id: 'b1', wait_seconds: 45 }, isLater: true },
  ],
  'run-again': [{}, { earlierFor: '3 credits, at most 15' }],
  resubmit: [
    { of: 'build' },
    { of: 'run' },
    { of: 'run', call: { action_id: 'shop-list', params: { tag: 'wit' }, resubmit: true } },
  ],
  'run-rest': [
    {},
    { inputs: 1, condition: 'price' },
    { inputs: 2, condition: 'new-price' },
    { inputs: 2, condition: 'limit', until },
    { inputs: 2, condition: 'agreed' },
    { inputs: 2, condition: 'confirmed' },
    { inputs: 2, condition: 'mended' },
  ],
  'see-rows': [{ rows: 'unknown' }, { rows: { names: ['2', '5'], more: 4 } }],
  'raise-limit': [
    { limit: 'max_credits', to: 30, or: 'cheaper-action' },
    { limit: 'SVC_MAX_CREDITS_PER_CALL', to: 9, or: 'cheaper-action' },
    { limit: 'SVC_MAX_CREDITS_PER_CALL', to: 9, or: 'rest' },
    { limit: 'SVC_MAX_CREDITS_PER_CALL', or: 'rest' },
    { limit: 'max_credits', or: 'rest' },
    { limit: 'SVC_CONFIRM_ABOVE_CREDITS', or: 'rest' },
    { limit: 'SVC_MAX_CREDITS_PER_DAY', to: 9, or: 'next-day', until },
    { limit: 'SVC_CONFIRM_ABOVE_CREDITS', to: 9, or: 'other-client' },
    { limit: 'SVC_CONFIRM_ABOVE_CREDITS', to: 9, or: 'smaller-total' },
    { limit: 'SVC_MAX_CREDITS_PER_DAY', to: 9, or: 'stay-in-doubt' },
    { limit: 'max_credits', to: 9, or: 'stay-in-doubt' },
  ],
  'own-action': [
    ...(
      [
        ...(['site-changed', 'doubtful', 'provable', 'unprovable', 'unknown'] as const),
        ...(['repaired', 'edited', 'reverted', 'removed', 'only-version'] as const),
      ] as const
    ).map((state) => ({ action_id: 'shop_list', state })),
    { action_id: 'shop_list', state: 'removed', watches: 2 },
  ],
  rebuild: [{ call: { ...build, visibility: 'private', force: true } }],
  'mend-run': [
    {},
    ...(
      [
        'blocked',
        'site_unavailable',
        'page_missing',
        'address_refused',
        'origin_not_allowed',
        'site_unreadable',
        'robots_disallowed',
        'too_large',
        'page_unfit',
      ] as const
    ).map((reason) => ({ reason })),
  ],
  'repair-store': [
    { cause: 'failed', isMeanwhile: true },
    ...(
      [
        'updated',
        'unreachable',
        'not-writable',
        'full',
        'replaced',
        'corrupt',
        'other-schema',
        'failed',
        'broken-disk',
      ] as const
    ).map((cause) => ({ cause })),
  ],
  'correct-login-values': [{ by: 'removing-one' }, { by: 'mending-file' }],
  watch: [
    ...(['list', 'end-one'] as const).map((as) => ({ as })),
    ...(['read', 'earlier', 'pause', 'without-action', 'raise-total'] as const).map((as) => ({
      as,
      watch_id: 'watch-1',
    })),
    ...(['price-accepted', 'signed-in', 'key-accepted', 'mended'] as const).map((once) => ({
      ...{ as: 'resume' as const, once, watch_id: 'watch-1' },
    })),
  ],
  refunded: [
    { step: { kind: 'mend-run', reason: 'too_large' } },
    { step: { kind: 'build-anew', by: 'other-page' } },
  ],
};

export const stepSamples: readonly NextStep[] = Object.entries(samples)
  .flatMap(([kind, list]) => list.map((data) => ({ kind, ...data })))
  .filter(isNextStep);
