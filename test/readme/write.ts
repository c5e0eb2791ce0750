/** `npm run readme`: writes the generated tables into the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './tables.ts';

writeFileSync('README.md', withTables(readFileSync('README.md', 'utf8')));
