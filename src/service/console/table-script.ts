/** The table of a job's rows, which takes the place of the plain one where the browser runs scripts. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const tableScriptPath = '/console/table.js';

/** Built from `src/views/console-table.ts`. */
export const tableScript = (): Promise<string> =>
  readFile(fileURLToPath(import.meta.resolve('#view/console-table.js')), 'utf8');
