/** What a page offers to a build, as tables for people. */
import { styleText } from 'node:util';
import * as z from 'zod';
import { PreviewCandidate } from '../../contract/endpoints.ts';
import { cell, rowTable, table } from './table.ts';
import { countText, shellWord } from './text.ts';

/** The body of `request_build` with `preview`. */
export const PreviewAnswer = z.looseObject({
  page: z.looseObject({ title: z.string(), url: z.string() }),
  candidates: z.array(PreviewCandidate),
  sample: z.array(z.record(z.string(), z.unknown())).optional(),
  paging: z.string().optional(),
  search: z.string().optional(),
  next: z.string().optional(),
});
type Preview = z.infer<typeof PreviewAnswer>;

/** A candidate with its columns. `stream`: where it will be written, which decides about colours. */
export function candidateText(candidate: PreviewCandidate, stream: NodeJS.WriteStream): string {
  const { id, kind, about, rows, columns, more_columns = 0 } = candidate;
  const heading = `${id}: ${cell(kind)}${about === undefined ? '' : ` “${cell(about)}”`}, ${countText(rows, 'row')}`;
  return [
    stream.isTTY && process.env.NO_COLOR === undefined ? styleText('bold', heading) : heading,
    table(
      ['COLUMN', 'LABEL', 'KIND', 'SAMPLES'],
      columns.map(({ id: column, label, kind: kindOfValue, samples, part_of }) => [
        column,
        part_of === undefined ? cell(label) : `${cell(label)} (part of ${part_of})`.trimStart(),
        kindOfValue,
        samples.map(cell).join(' | '),
      ]),
    ),
    ...(more_columns === 0 ? [] : [`and ${countText(more_columns, 'more column')}`]),
  ].join('\n');
}

/** The page, then its candidates, the best first. */
function pageText({ page, candidates, paging, search }: Preview): string {
  return [
    `${page.title === '' ? 'Page' : page.title} (${page.url})`,
    ...(paging === undefined ? [] : [`Further pages: ${paging}`]),
    ...(search === undefined ? [] : [`Search form: ${search}`]),
    ...candidates.flatMap((candidate) => ['', candidateText(candidate, process.stdout)]),
  ].join('\n');
}

/** For `--preview`: the page with the commands that go on from it. */
export function previewText(preview: Preview, url: string): string {
  const cut = preview.candidates.find(({ more_columns = 0 }) => more_columns > 0);
  return [
    pageText(preview),
    ...(preview.sample === undefined ? [] : ['', 'The first rows of the choice:', rowTable(preview.sample)]),
    '',
    ...(cut === undefined
      ? []
      : [`All columns of one: svc-mcp build ${shellWord(url)} --preview ${shellWord(cut.id)}`]),
    ...(preview.next === undefined ? [] : [preview.next]),
  ].join('\n');
}
