/**
 * Opens a SQLite file (`SVC_TEST_FILE`) with a migration that it is copied before, as a start of a newer version does. A
 * line on stdout says that it begins.
 */
import { writeSync } from 'node:fs';
import { afterCopy, type Migration } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';

const createThing: Migration = async ({ schema }) => {
  await schema.createTable('thing').addColumn('id', 'text').execute();
};
const dropThing = afterCopy(async ({ schema }) => {
  await schema.dropTable('thing').execute();
});

writeSync(1, 'opening\n');
const database = await openDatabase({ file: process.env.SVC_TEST_FILE ?? '' }, [createThing, dropThing]);
await database.close();
