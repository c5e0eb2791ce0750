/**
 * `npm run attack`: tries the hostile corpora on started programs, and prints what held and what broke, by family. With names
 * behind it (`npm run attack -- JSON paths`) only those. Needs no internet.
 */
import type { Family } from './attack.ts';
import { machine } from './machine.ts';
import { oauth, session } from './people.ts';
import { bodies, json, paths } from './requests.ts';
import { csv, schemas, services } from './services.ts';
import { sites } from './sites.ts';

const families: readonly Family[] = [
  bodies,
  json,
  paths,
  csv,
  schemas,
  services,
  sites,
  oauth,
  session,
  machine,
];

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => families.every((family) => family.name !== name));
if (unknown !== undefined) {
  process.stderr.write(`There is no family ${unknown}: ${families.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

let broken = 0;
for (const family of families.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const failures = await tryFamily(family);
  broken += failures.length;
  for (const failure of failures) process.stdout.write(`  broken: ${failure}\n`);
}
process.exitCode = broken === 0 ? 0 : 1;

/** What it broke, a line each. */
async function tryFamily({ name, prepare }: Family): Promise<readonly string[]> {
  const closers: (() => Promise<unknown>)[] = [];
  const failures: string[] = [];
  try {
    const attacks = await prepare((close) => closers.push(close));
    for (const attack of attacks) {
      await attack.run().catch((error: unknown) => {
        failures.push(`${attack.name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
    const held = attacks.length - failures.length;
    process.stdout.write(`${name.padEnd(12)} ${String(held).padStart(4)} held, ${failures.length} broken\n`);
  } finally {
    for (const close of closers.reverse()) await close();
  }
  return failures;
}
