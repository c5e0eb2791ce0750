/** `npm run readme`: writes what is generated: the README's tables, and server.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { serverJson } from '../../packaging/server-json.ts';
import { withTables } from './tables.ts';

writeFileSync('README.md', withTables(readFileSync('README.md', 'utf8')));
writeFileSync('server.json', `${JSON.stringify(serverJson(), undefined, 2)}\n`);
