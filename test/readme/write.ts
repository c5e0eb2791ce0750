/** `npm run readme`: writes what is generated: the tables of the documents, and server.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { serverJson } from '../../packaging/server-json.ts';
import { documents, fillTables } from './tables.ts';

for (const document of documents) writeFileSync(document, fillTables(readFileSync(document, 'utf8')));
writeFileSync('server.json', `${JSON.stringify(serverJson(), undefined, 2)}\n`);
