#!/usr/bin/env node
/** The command. Serving an agent is the default and starts at once; everything else goes through the program. */
import { readFileSync } from 'node:fs';
import module from 'node:module';

// New files are readable by their owner only.
process.umask(0o077);
// Node 22.1 and later keep compiled code from one start to the next.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') {
  module.enableCompileCache();
}

const [command, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (command === '--version' || command === '-V')) {
  // Read, because a module of its own would be bundled with what all commands load.
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else if (rest.length === 0 && (command === undefined || command === 'stdio')) {
  const { stdio } = await import('./commands/stdio.ts');
  await stdio({});
} else {
  const { runProgram } = await import('./program.ts');
  await runProgram(process.argv);
}
