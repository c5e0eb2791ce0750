/**
 * `npm run attack`: tries the hostile corpora on started programs, and prints what held and what broke, by family. With names
 * behind it (`npm run attack -- JSON paths`) only those. Needs no internet.
 */
import { tryFamily } from './attack.ts';
import { families } from './families.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => families.every((family) => family.name !== name));
if (unknown !== undefined) {
  process.stderr.write(`There is no family ${unknown}: ${families.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

let broken = 0;
for (const family of families.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const { held, failures } = await tryFamily(family);
  process.stdout.write(
    `${family.name.padEnd(12)} ${String(held).padStart(4)} held, ${failures.length} broken\n`,
  );
  broken += failures.length;
  for (const failure of failures) process.stdout.write(`  broken: ${failure}\n`);
}
process.exitCode = broken === 0 ? 0 : 1;
