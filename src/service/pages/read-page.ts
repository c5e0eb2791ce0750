/** The one way to read a page: what a recipe extracts, what a build can choose from, and what the catalog `web` answers. */
import type { AnalysisTask } from '../builder/analysis/analyze.ts';
import type { ParseTask } from '../recipes/parse.ts';
import type { ReadingTask } from '../web/readings.ts';

export type PageTask =
  | { readonly work: 'extract'; readonly task: ParseTask }
  | { readonly work: 'candidates'; readonly task: AnalysisTask }
  | { readonly work: 'reading'; readonly task: ReadingTask };

/** Each kind of work is loaded with its first page, because most processes only extract. */
export async function readPage({ work, task }: PageTask): Promise<unknown> {
  switch (work) {
    case 'extract': {
      const { parse } = await import('../recipes/parse.ts');
      return parse(task);
    }
    case 'candidates': {
      const { analyze } = await import('../builder/analysis/analyze.ts');
      return analyze(task);
    }
    case 'reading': {
      const { answerReading } = await import('../web/answer-reading.ts');
      return answerReading(task);
    }
  }
}
