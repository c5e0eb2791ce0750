/** The Dockerfile, read as a builder reads it: there is not always a Docker engine to ask. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { settings } from '../../src/cli/config/settings.ts';
import { runProgram } from '../support/program.ts';

const instructions = readFileSync('Dockerfile', 'utf8')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return { keyword, rest };
  });
const all = (keyword: string) =>
  instructions.filter((one) => one.keyword === keyword).map(({ rest }) => rest);
/** The instructions of the stage that a `FROM` with this ending begins. */
function stage(ending: string) {
  const start = instructions.findIndex(({ keyword, rest }) => keyword === 'FROM' && rest.endsWith(ending));
  const rest = instructions.slice(start + 1);
  const end = rest.findIndex(({ keyword }) => keyword === 'FROM');
  return start < 0 ? [] : rest.slice(0, end < 0 ? undefined : end);
}
const plain = stage(' AS plain');
const browser = stage(' AS browser');
const last = (keyword: string) => plain.find((one) => one.keyword === keyword)?.rest ?? '';
const json = (keyword: string): string[] => JSON.parse(last(keyword).slice(last(keyword).indexOf('[')));
const ignored = readFileSync('.dockerignore', 'utf8').split('\n');

describe('the Dockerfile', () => {
  it('has instructions that exist, and one Node for all stages that the package supports', () => {
    const known = /^(FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/;
    expect(instructions.filter(({ keyword }) => !known.test(keyword))).toEqual([]);
    expect(new Set(all('FROM').map((from) => from.split(' ')[0]))).toEqual(
      new Set(['node:20-bookworm-slim', 'plain']),
    );
    // What is built without a target.
    expect(all('FROM').at(-1)).toBe('plain');
    expect(manifest.engines.node).toBe('>=20.19');
  });

  it('copies what exists, what the context holds, and from stages that are named before', () => {
    const stages = all('FROM').flatMap((from) => / AS (\w+)$/.exec(from)?.[1] ?? []);
    for (const copy of all('COPY')) {
      const [, stage, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(copy) ?? [];
      const sources = paths.split(' ').slice(0, -1);
      expect(sources.length).toBeGreaterThan(0);
      if (stage !== undefined) expect(stages).toContain(stage);
      else
        for (const source of sources) {
          expect([source, existsSync(source)]).toEqual([source, true]);
          expect(ignored).toContain(`!${source}`);
        }
    }
    expect(ignored).toContain('*');
  });

  it('runs as a user without rights, on data in a volume, with nothing secret in its layers', () => {
    expect(last('USER')).toBe('node');
    expect(last('VOLUME')).toBe('/data');
    expect(last('ENV')).toContain('SVC_DATA_DIR=/data');
    for (const one of Object.values(settings)) {
      if ('secret' in one) expect(all('ENV').join(' ')).not.toContain(one.env);
    }
    const fetches = (run: string) => /curl|wget|sudo|apt/.test(run);
    const installsBrowser = browser.filter(({ keyword }) => keyword === 'RUN').map(({ rest }) => rest);
    expect(all('RUN').filter(fetches)).toEqual(installsBrowser);
    const order = plain.map(({ keyword }) => keyword);
    expect(order.indexOf('USER')).toBeGreaterThan(order.lastIndexOf('RUN'));
    expect(order.indexOf('ENTRYPOINT')).toBeGreaterThan(order.indexOf('USER'));
  });

  it('starts what is built, and refuses a network that shares one key without a token', async () => {
    expect(json('ENTRYPOINT')).toEqual(['node', manifest.bin['svc-mcp']]);
    const { code, stderr } = await runProgram(json('CMD'), {});
    expect(code).toBe(2);
    expect(stderr).toContain('SVC_HTTP_TOKEN');
  });

  it('has a target with the browser that svc-mcp prefers, its driver, and no more rights', () => {
    const commands = browser.map(({ keyword, rest }) => `${keyword} ${rest}`);
    expect(commands.join('\n')).toMatch(
      /apt-get install -y --no-install-recommends chromium-headless-shell /,
    );
    expect(commands.at(-2)).toContain('node_modules/playwright-core');
    expect(Object.keys(manifest.devDependencies)).toContain('playwright-core');
    expect(commands.at(-1)).toBe('USER node');
  });

  it('asks for its health where the command listens', () => {
    const [, command = ''] = json('HEALTHCHECK').slice(1);
    expect(json('HEALTHCHECK').slice(0, 2)).toEqual(['node', '-e']);
    expect(last('HEALTHCHECK')).toContain(`http://127.0.0.1:${last('EXPOSE')}/healthz`);
    expect(() => new Function(command)).not.toThrow();
  });
});
