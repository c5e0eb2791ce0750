import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { buildCredits, maxGoal } from '../../contract/limits.ts';
import { readTypedAddress } from '../../contract/web-address.ts';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import { defineTool } from './define-tool.ts';
import { boolean, object } from './inputs.ts';

/** A choice without fields only says which candidate to show. */
const Candidate = z.strictObject({ candidate: z.string().min(1).max(20).optional() });

export const requestBuild = defineTool({
  name: 'request_build',
  title: 'Request a new action',
  description:
    `Builds, tests and publishes a new action for a website. Costs ${buildCredits} credits, refunded if the build ` +
    'fails; preview is free. Waits for its end, then names the new tool with its params and sample rows, or fails with ' +
    'CHOICE_NEEDED, the candidates and a guess to correct; a longer build goes on: list_build_requests. Use it only when ' +
    'search_actions found nothing that fits. ACTION_EXISTS lists similar actions: use one, or set force. Not for running an action.',
  scope: 'builds:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  mayBeTask: true,
  input: z.strictObject({
    website_url: z.string().min(1).max(2000).describe('The page that shows the data'),
    goal: z
      .string()
      .min(1)
      .max(maxGoal)
      .describe(
        'What to extract, with the fields: list all jobs with title, company, salary. A preview needs none',
      )
      .optional(),
    preview: boolean()
      .describe(
        'Only shows what the page offers, up to 5 candidates; with choose {candidate: "t1"} all its columns, with fields its first rows',
      )
      .optional(),
    name: z.string().describe('End of its id').optional(),
    catalog: z.string().describe('Slug of the catalog to extend').optional(),
    visibility: z.enum(['private', 'public']).describe('Default private: only you see it').optional(),
    force: boolean().describe('Build although similar ones exist; the same goal replaces it').optional(),
    choose: object()
      .describe(
        'Which columns become which fields, by ids of a preview or CHOICE_NEEDED: ' +
          '{candidate: "t1", fields: {price: "c3", code: {column: "c1", match: "No\\. (\\S+)"}}}',
      )
      .optional(),
  }),
  run: async (gateway, { choose, preview, goal, ...rest }, context) => {
    const website_url = readTypedAddress(rest.website_url);
    const input = { ...rest, website_url };
    if (preview === true) {
      return gateway.previewBuild({ website_url, goal, ...parsePreview(choose) }, context);
    }
    const chosen = choose === undefined ? {} : { choose: parseChoice(choose) };
    if (goal === undefined)
      throw invalid('A build needs a goal; only a preview does without.', [
        { path: 'goal', message: 'is missing' },
      ]);
    return gateway.requestBuild({ ...input, goal, ...chosen }, context);
  },
});

/** What a preview shows: everything, all columns of one candidate, or the first rows of a choice. */
function parsePreview(choose: unknown) {
  if (choose === undefined) return {};
  const candidate = Candidate.safeParse(choose);
  if (candidate.success) return candidate.data;
  return { choose: parseChoice(choose) };
}

function parseChoice(value: unknown): BuildChoice {
  const parsed = BuildChoice.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(
    'choose is not {candidate, fields: {name: column id or {column, match}}, params?}.',
    toIssues('choose', parsed.error),
  );
}

const toIssues = (argument: string, { issues }: z.ZodError) =>
  issues.map(({ path, message }) => ({ path: [argument, ...path].join('.'), message }));

const invalid = (message: string, issues: readonly { path: string; message: string }[]) =>
  new GatewayError('INVALID_PARAMS', message, { kind: 'correct', named: 'issues' }, { issues });
