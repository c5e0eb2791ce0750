/** The systemd units of the server example, held against the program and each other; systemd itself reads them where it is. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settings } from '../../src/cli/config/settings.ts';
import { program } from '../../src/cli/program.ts';

const folder = 'examples/server';
const units = readdirSync(folder).filter((name) => name.endsWith('.service'));
const linesOf = (unit: string, key: string): string[] =>
  readFileSync(`${folder}/${unit}`, 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
const environmentOf = (unit: string): ReadonlyMap<string, string> =>
  new Map(
    linesOf(unit, 'Environment')
      .flatMap((line) => line.split(' '))
      .map((pair) => [pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1)] as const),
  );
const portOf = (unit: string) => /--port (\d+)/.exec(linesOf(unit, 'ExecStart').join())?.[1];

it('start commands of the program with options that they have', () => {
  expect(units).toEqual(['svc-mcp-http.service', 'svc-mcp-service.service']);
  for (const unit of units) {
    const [, name, rest] =
      /^\/usr\/bin\/env svc-mcp (\S+)(.*)$/.exec(linesOf(unit, 'ExecStart').join()) ?? [];
    const command = program().commands.find((known) => known.name() === name);
    expect([unit, command === undefined]).toEqual([unit, false]);
    const known = command?.options.map(({ long }) => long);
    for (const [option] of (rest ?? '').matchAll(/--\S+/g)) expect(known).toContain(option);
  }
});

it('set what the program knows, to values that it takes, in one folder', () => {
  for (const unit of units)
    for (const [name, value] of environmentOf(unit)) {
      const setting = Object.values(settings).find((known) => known.env === name);
      expect([name, setting?.type.safeParse(value).success]).toEqual([name, true]);
    }
  expect(new Set(units.map((unit) => environmentOf(unit).get('SVC_DATA_DIR'))).size).toBe(1);
});

it('name each other, the port of the service, and the port that nginx passes requests to', () => {
  const [http = '', service = ''] = units;
  for (const key of ['After', 'Wants']) expect(linesOf(http, key)).toEqual([service]);
  expect(environmentOf(http).get('SVC_BASE_URL')).toBe(`http://127.0.0.1:${portOf(service)}`);
  expect(readFileSync(`${folder}/nginx.conf`, 'utf8')).toContain(`127.0.0.1:${portOf(http)}`);
  const guide = readFileSync(`${folder}/README.md`, 'utf8');
  for (const named of [...units, environmentOf(service).get('SVC_DATA_DIR') ?? '', ...linesOf(http, 'User')])
    expect(guide).toContain(named);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
it.skipIf(!hasSystemd)('are read by systemd without a complaint', () => {
  const files = units.map((unit) => `${folder}/${unit}`);
  const { stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
  // It may complain of units of the machine, too.
  expect(stderr.split('\n').filter((line) => line.includes('svc-mcp'))).toEqual([]);
});
