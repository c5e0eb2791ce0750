/** The service and the paid calls of the earlier version's data folder: what wrote it and what tests it make the same ones. */
import type { UpstreamScript } from '../../support/upstream-script.ts';

const catalogId = '11111111-1111-4111-8111-111111111111';
const identityId = '22222222-2222-4222-8222-222222222222';
const createdAt = '2026-01-01T00:00:00Z';

/** Jobs of `slow` and of `mixed` with a name that begins with `slow` run until a test ends them. */
const running = { ms: Number.POSITIVE_INFINITY };
const nameOf = (params: unknown): string => String(Object(params).q);

export const script: UpstreamScript = {
  catalogs: [{ slug: 'shop', id: catalogId, auth_types: ['credentials'] }],
  identities: [
    {
      id: identityId,
      catalog_id: catalogId,
      name: 'work',
      is_default: true,
      created_at: createdAt,
      credentials: [
        {
          id: '33333333-3333-4333-8333-333333333333',
          identity_id: identityId,
          credential_type: 'credentials',
          status: 'active',
          last_used_at: createdAt,
          created_at: createdAt,
        },
      ],
    },
  ],
  actions: [
    { action_id: 'list', credits: 3 },
    { action_id: 'slow', credits: 4, job: running },
    { action_id: 'inline', credits: 6, mode: 'sync' },
    { action_id: 'large', credits: 7, job: { data: 'x'.repeat(100_000) } },
    { action_id: 'computed', credits: 1, job: { creditsUsed: 2.5 } },
    { action_id: 'private', catalog_slug: 'shop', credits: 5, auth_mode: 'optional' },
    {
      action_id: 'mixed',
      credits: 2,
      job: (params) => (/^(slow|gate)/.test(nameOf(params)) ? running : {}),
    },
  ],
};

const run = (action_id: string, q: string) => ({ action_id, params: { q } });

/** What became of them in the earlier version is what their names say. */
export const runs = {
  delivered: run('list', 'delivered'),
  deliveredInline: run('inline', 'delivered'),
  finished: run('list', 'finished'),
  finishedInline: run('inline', 'finished'),
  finishedLarge: run('large', 'finished'),
  finishedComputed: { action_id: 'computed', params: { q: 'finished', text: 'long '.repeat(100) } },
  finishedOfAccount: { ...run('private', 'finished'), identity: 'work' },
  /** Written to a client that left at once. */
  unconfirmed: run('list', 'unconfirmed'),
  finishedByTask: run('list', 'finished by task'),
  underWay: run('slow', 'under way'),
  underWayByTask: run('slow', 'under way by task'),
  givenUp: run('slow', 'given up'),
  lost: run('slow', 'lost'),
  lostAndTold: run('slow', 'lost and told'),
  refused: run('list', 'refused'),
  unknown: run('list', 'unknown'),
  unknownWithKey: run('list', 'unknown with key'),
  intended: run('list', 'intended'),
  intendedWithKey: run('list', 'intended with key'),
  /** An input of the batch that was left half done. */
  unknownInBatch: run('mixed', 'unknown before'),
};

const build = (domain: string) => ({ website_url: `https://${domain}/`, goal: 'List the prices' });
export const builds = {
  finished: build('finished.example'),
  pending: build('pending.example'),
  inDoubt: build('doubt.example'),
};

const batch = (...names: readonly string[]) => ({ action_id: 'mixed', batch: names.map((q) => ({ q })) });
export const batches = {
  delivered: batch('delivered 1', 'delivered 2'),
  /** Its answer was not delivered. */
  ended: batch('ended 1', 'ended 2', 'ended 1'),
  /** Its process died: what became of an input is what its name says. */
  halfDone: batch(
    ...['linked 1', 'linked 2', 'unknown before', 'gate failed and linked'],
    ...['slow 1', 'slow 2', 'slow 3', 'slow 4', 'intended', 'left 1', 'left 2', 'left 3'],
  ),
};
