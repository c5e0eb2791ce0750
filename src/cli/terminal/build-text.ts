/** What `svc-mcp build` says to people about the end of a build. */
import * as z from 'zod';
import { BuildChoice, PreviewCandidate } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import { candidateText } from './candidate-text.ts';
import { orderNotApplied } from './next-steps.ts';
import { cell, oneLine, rowTable, table } from './table.ts';
import { shellWord } from './text.ts';

const Row = z.record(z.string(), z.unknown());
const Alternative = z.looseObject({
  kind: z.string().optional(),
  rows: z.number().optional(),
  fields: z.array(z.string()).default([]),
  sample: Row.default({}),
});
const Build = z.looseObject({
  id: z.string(),
  status: z.string(),
  website_url: z.string().default(''),
  sample: z.array(Row).default([]),
  missing: z.array(z.string()).default([]),
  unmatched: z.array(z.string()).default([]),
  unsorted: z.string().optional(),
  alternatives: z.array(Alternative).default([]),
  goal: z.string().default(''),
  choose: BuildChoice.optional().catch(undefined),
});

/** The body of `request_build`, or of `list_build_requests` with an id. */
export const BuildAnswer = z
  .looseObject({
    status: z.string().optional(),
    build_request: Build.optional(),
    build_requests: z.array(Build).optional(),
    candidates: z.array(PreviewCandidate).default([]),
    job_credits: z.number().nullish(),
    attached: z.boolean().optional(),
    action_id: z.string().optional(),
    tool: z.string().optional(),
    credits: z.number().optional(),
    params: z.looseObject({ properties: z.record(z.string(), z.looseObject({})).optional() }).optional(),
    error: z
      .looseObject({
        code: z.string(),
        message: z.string(),
        issues: z.array(z.looseObject({ path: z.string().default(''), message: z.string() })).optional(),
        existing_actions: z
          .array(z.looseObject({ action_id: z.string(), name: z.string(), tool: z.string().nullish() }))
          .optional(),
      })
      .optional(),
    next: z.string().optional(),
  })
  .transform((body) => ({ ...body, build: body.build_request ?? body.build_requests?.[0] }));
export type BuildAnswer = z.infer<typeof BuildAnswer>;

/** A built action: sample rows, the tool, its params, what it cost; unless it goes to a file, how to run it. */
export function successText(answer: BuildAnswer, { isSaved }: { readonly isSaved: boolean }): string {
  const { build, tool, action_id = '', params, credits } = answer;
  const name = tool ?? action_id;
  const call = tool === undefined ? `run_action '${JSON.stringify({ action_id })}'` : tool;
  return [
    ...(build === undefined || build.sample.length === 0 ? [] : [rowTable(build.sample), '']),
    ...(build?.missing ?? []).map((text) => `Not read: ${oneLine(text)}`),
    `Built ${name}${credits === undefined ? '' : `, ${creditsText(credits)} a call`}.`,
    ...(build === undefined || build.unmatched.length === 0
      ? []
      : [`No field is named ${build.unmatched.map(cell).join(', ')}.`]),
    ...(build?.unsorted === undefined ? [] : [orderNotApplied(cell(build.unsorted))]),
    ...paramLines(params?.properties ?? {}),
    costText(answer),
    ...(isSaved ? [] : [`Run it: svc-mcp call ${call}`]),
    ...alternativeLines(build, 'The site has more'),
  ].join('\n');
}

function costText({ job_credits, attached }: BuildAnswer): string {
  const submissionNote = attached === true ? ', when this was first asked for; nothing was paid again' : '';
  return `Paid: ${job_credits ?? buildCredits} credits for the build${submissionNote}.`;
}

/** A build that failed: why, that it cost nothing, what the site has instead and what to ask for it. */
export function failureText({ build, error, candidates }: BuildAnswer): string {
  return [
    `${error?.code ?? 'BUILD_FAILED'}: ${error?.message ?? 'The build failed.'}`,
    `Paid: nothing. The ${buildCredits} credits were refunded.`,
    ...alternativeLines(build, 'The site has instead'),
    ...choiceLines(build, candidates),
  ].join('\n');
}

/** What can be chosen, and the command with the service's best guess, to be corrected. */
function choiceLines(build: BuildAnswer['build'], candidates: BuildAnswer['candidates']): string[] {
  if (build === undefined || candidates.length === 0) return [];
  const command = `svc-mcp build ${shellWord(build.website_url)} ${shellWord(build.goal)} --choose`;
  const [best] = candidates;
  const example = { candidate: best?.id ?? '…', fields: { name: best?.columns[0]?.id ?? 'c1' } };
  return [
    ...candidates.flatMap((candidate) => ['', candidateText(candidate, process.stderr)]),
    '',
    build.choose === undefined
      ? 'Name the columns that you want, such as:'
      : 'Correct this guess where it is wrong:',
    `${command} ${shellWord(JSON.stringify(build.choose ?? example))}`,
  ];
}

/** Refused before anything was paid, or in doubt. */
export function errorText({ error, next }: BuildAnswer): string {
  const existing = error?.existing_actions ?? [];
  if (error?.code !== 'ACTION_EXISTS' || existing.length === 0)
    return [
      `${error?.code ?? 'ERROR'}: ${error?.message ?? 'No reason was given'}`,
      ...(error?.issues ?? []).map(({ path, message }) => `  ${path}: ${message}`),
      next ?? '',
    ].join('\n');
  return [
    'Not built: there are similar actions already. Nothing was paid.',
    '',
    table(
      ['TOOL', 'NAME'],
      existing.map((action) => [action.tool ?? action.action_id, action.name]),
    ),
    '',
    'Use one of them, or build another one with --force.',
  ].join('\n');
}

function paramLines(properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string[] {
  const rows = Object.entries(properties).map(([name, { type, default: preset, description }]) => [
    `  ${name}`,
    typeof type === 'string' ? type : '',
    preset === undefined ? '' : `default ${cell(preset)}`,
    typeof description === 'string' ? cell(description) : '',
  ]);
  return rows.length === 0
    ? ['It takes no params.']
    : [`Its params:`, table(['  PARAM', 'TYPE', '', ''], rows)];
}

function alternativeLines(build: BuildAnswer['build'], lead: string): string[] {
  const alternatives = build?.alternatives.filter(({ fields }) => fields.length > 1) ?? [];
  return alternatives.flatMap(({ kind, rows = 1, fields, sample }) => {
    const goal = `${rows > 1 ? 'List all rows with' : 'Get'} ${fields.map((name) => name.replaceAll('_', ' ')).join(', ')}`;
    return [
      '',
      `${lead} ${rows > 1 ? `${rows} rows` : 'one record'}${kind === undefined ? '' : ` (${kind})`}:`,
      rowTable([sample]),
      `Ask for it: svc-mcp build ${shellWord(build?.website_url ?? '')} ${shellWord(goal)}`,
    ];
  });
}
