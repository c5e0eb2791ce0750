/** The tutorial, the cookbook and other pages, run as they are written, from top to bottom. Needs `dist/`. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeShell, readCommands, runCommands } from '../support/document-commands.ts';
import { freePort } from '../support/free-port.ts';
import { closeGateways } from '../support/gateway.ts';

afterEach(closeGateways);

it('the tutorial leads from a first answer to a tool, a watch and what it cost', {
  timeout: 300_000,
}, async () => {
  const folder = await makeShell();
  const stdout = await runCommands(await readCommands('docs/tutorial.md'), { folder });
  expect(stdout).toContain('"title": "Around the World in Eighty Days"');
  // The built tool, as CSV.
  expect(stdout).toMatch(/^station,temperature\r?\n\S.*,-?\d/m);
  expect(stdout).toMatch(/^watch-\S+ +active +1h/m);
  expect(stdout).toContain('refused, and nothing was sent');
});

it('each recipe of the cookbook gives what it says', { timeout: 300_000 }, async () => {
  const folder = await makeShell();
  await cp('examples', join(folder, 'examples'), { recursive: true });
  const [service, site] = [String(await freePort()), String(await freePort())];
  const stdout = await runCommands(await readCommands('docs/cookbook.md'), {
    folder,
    replaced: {
      'node examples': `sed -i s/9000/${site}/ examples/catalogs/*\nnode examples`,
      8081: service,
      9000: site,
    },
  });
  expect(stdout).toContain('5,Spring,6.5,true');
  expect(stdout).toContain('A-1002,2026-11-09,3.5');
  expect(stdout).toContain('refused, and nothing was sent');
  expect(stdout).toContain('Hinge price: 2.5 -> 1.75');
  // Before its page changed, and after the repair.
  expect(stdout.match(/^part,price\r?\nHinge,/gm)).toHaveLength(2);
  expect(stdout).toMatch(/"rows_completed": 2/);
});

it('a build of a practice page, the service by itself, its interface and questions are as written', {
  timeout: 120_000,
}, async () => {
  const folder = await makeShell();
  const stdout = await runCommands(
    [
      ...(await readCommands('docs/builder.md', 'On a practice page')),
      ...(await readCommands('docs/operations.md')),
      ...(await readCommands('docs/faq.md')),
      'rm service.json; svc-mcp service --port 8081 > service.json & until grep -qs practice_url service.json; do sleep 0.1; done',
      'cd "$HOME/.local/share/svc-mcp"',
      ...(await readCommands('docs/interface.md')),
    ],
    { folder, replaced: { 8081: String(await freePort()) } },
  );
  // The preview, the rows of the built tool, the users, and what it all cost.
  expect(stdout).toMatch(/^t1: table .*, 12 rows$/m);
  expect(stdout).toContain('"station": "Holm Lighthouse"');
  expect(stdout).toMatch(/^default +973 /m);
  expect(stdout).toMatch(/"balance": 973/);
  expect(stdout).toContain('{"status":"ok","balance":973,"spent_today":27}');
});
