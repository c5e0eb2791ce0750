/** Sentences for next steps that name no tool: the same for agents and for people. */
import type { NextStep, StepWriters } from '../../gateway/interface/next-step.ts';

/** In `_meta`, for our own command line: the next steps of the answer, as `mapNext` orders them. */
export const stepsMember = 'svc/steps';

const retries = {
  now: 'Call again.',
  soon: 'Try again in a moment.',
  later: 'Call again later.',
  'if-wanted': 'Call again if it is still wanted.',
  'once-more': 'Nothing was charged; call again, and choose another action if it fails again.',
  'one-ended': 'Call again when one of them has ended.',
  'at-new-price': 'Repeat the same call to run it at the new price.',
  'same-key':
    'Repeat the same call in a moment: it asks the service by the same idempotency key, so it is not charged twice.',
  connected: 'Try again in a moment; `svc-mcp doctor` shows what is wrong with the connection.',
  stored: 'Call again; if it happens again, check the database or the disk: `svc-mcp doctor`.',
} as const satisfies Record<Exclude<NextStep<'retry'>['when'], number>, string>;

const keyHolders: Readonly<Record<NextStep<'replace-key'>['holder'], string>> = {
  user: 'Ask the operator of the service for a valid key, set SVC_API_KEY to it and restart (`svc-mcp doctor` checks it).',
  client: 'Ask the operator of the service for a valid key and send it as X-API-Key.',
  server:
    'Tell the operator of this server that its key (SVC_API_KEY) is refused; nobody else can replace it.',
  subject:
    'Ask the operator of this server for another key (`svc-mcp http keys add`); the one it has for you is refused.',
};

const pages: Readonly<Record<NextStep<'preview'>['page'], string>> = {
  again: 'Preview the page again.',
  'when-one-ended': 'Call again when one of the running previews has ended.',
  other: 'Preview another page of the site: this one offers no data.',
  'with-data': 'Preview another page of the site, one that shows the data itself.',
  reachable: 'Check that website_url opens in a browser, then preview it again.',
  'without-sign-in': 'Preview a page of the site that needs no sign-in.',
  'for-programs': 'Preview another page: the site lets no program read this one.',
  'without-scripts': 'Preview a page of the site that shows its data without scripts.',
};

/** One step for each cause, because none of them helps against another one. */
const repairs: Readonly<Record<NextStep<'repair-store'>['cause'], string>> = {
  updated: 'Restart svc-mcp (or the client that starts it)',
  unreachable: 'Start PostgreSQL or correct SVC_DATABASE_URL (`svc-mcp doctor` checks it)',
  'not-writable':
    'Make the data folder (SVC_DATA_DIR) and its files writable for the user who runs svc-mcp (`svc-mcp doctor` checks them)',
  full: 'Free some space on the disk of the database',
  replaced: 'Put the database file back if it was moved, restart svc-mcp',
  corrupt:
    'Stop svc-mcp and restore gateway.db from a backup, or move it away with gateway.db-wal and gateway.db-shm, which forgets earlier calls (`svc-mcp doctor` checks the file)',
  'other-schema':
    'Run the svc-mcp version that wrote this database, or set another SVC_DATA_DIR or SVC_DATABASE_URL',
  failed: 'Wait a moment (if it fails again, `svc-mcp doctor` checks the store)',
  'broken-disk':
    'Check the disk of the database and restart svc-mcp, which writes nothing to this store before that',
};
export const repairOf = ({ cause }: NextStep<'repair-store'>): string => repairs[cause];

const valueRepairs: Readonly<Record<NextStep<'correct-login-values'>['by'], string>> = {
  'removing-one': 'Remove one of them',
  'mending-file': 'Correct its path or its rights',
};

/** For the middle of a sentence. */
export const inside = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

export const listText = ({
  names,
  more,
}: {
  readonly names: readonly string[];
  readonly more: number;
}): string => `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;

export const plainSteps = {
  retry: ({ when }) => (typeof when === 'number' ? `Call again in ${when} s.` : retries[when]),
  'add-credits': () =>
    'Add credits at the service (balance and required are in the error), or choose a cheaper action.',
  'replace-key': ({ holder }) => keyHolders[holder],
  'check-address': () =>
    'Check that SVC_BASE_URL and SVC_API_PREFIX point at the service; `svc-mcp doctor` does.',
  'other-website': () =>
    'Choose another website. If the message names a setting, whoever runs the service can allow this one with it.',
  preview: ({ page }) => pages[page],
  'run-again': ({ earlierFor }) =>
    earlierFor === undefined
      ? 'Call the action again if its result is still needed; that costs credits again.'
      : `This is the answer to an earlier identical call, which is paid once. Without max_age_seconds, a call some seconds after this answer runs the action again for ${earlierFor}.`,
  'see-rows': ({ rows }) =>
    rows === 'unknown'
      ? 'It is not known whether the rows with status "unknown" were paid; each names its next step.'
      : `No result for row ${listText(rows)}: each names its error and next step.`,
  'correct-login-values': ({ by }) =>
    `${valueRepairs[by]}, where this server gets its settings, and restart it.`,
} as const satisfies Partial<StepWriters>;
