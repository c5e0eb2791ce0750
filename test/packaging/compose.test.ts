/** The compose file of the server example, held against the program, the Dockerfile and nginx: there is not always an engine to ask. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settings } from '../../src/cli/config/settings.ts';
import { program } from '../../src/cli/program.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const Service = z.strictObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  healthcheck: z.strictObject({ test: z.array(z.string()) }).optional(),
  depends_on: z.array(z.string()).optional(),
  restart: z.literal('unless-stopped'),
});
const { services, volumes } = z
  .strictObject({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(read('examples/server/compose.yaml'), { merge: true }));
const [database, service, http] = ['database', 'service', 'http'].map((name) => services[name]);
/** The options of a command line, `--port 8080` as `port: 8080`. */
const optionsOf = (args: readonly string[] = []) =>
  Object.fromEntries(
    args.flatMap((arg, index) => (arg.startsWith('--') ? [[arg.slice(2), args[index + 1] ?? '']] : [])),
  );
const dockerfile = read('Dockerfile');

it('runs commands of the program with options that they have, in an image of its name', () => {
  expect(Object.keys(services)).toEqual(['database', 'service', 'http']);
  for (const one of [service, http]) {
    expect(one?.image).toBe(/docker build -t (\S+)/.exec(read('examples/server/compose.yaml'))?.[1]);
    const [name, ...rest] = one?.command ?? [];
    const command = program().commands.find((known) => known.name() === name);
    const known = command?.options.map(({ long }) => long);
    for (const option of rest.filter((word) => word.startsWith('--'))) expect(known).toContain(option);
    // A container is reached by its own address.
    expect(optionsOf(rest).host).toBe('0.0.0.0');
  }
});

it('sets what the program knows, to values that it takes', () => {
  const environments = [service, http].map((one) => one?.environment ?? {});
  for (const [name, value] of environments.flatMap((one) => Object.entries(one))) {
    const setting = Object.values(settings).find((known) => known.env === name);
    expect([name, setting === undefined]).toEqual([name, false]);
    expect([name, setting?.type.safeParse(value).success]).toEqual([name, true]);
  }
});

it('has one database, named alike where it is made and where it is used', () => {
  for (const one of [service, http]) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: compose replaces it
    const url = new URL(one?.environment.SVC_DATABASE_URL?.replace('${POSTGRES_PASSWORD:?}', 'secret') ?? '');
    expect(url).toMatchObject({ hostname: 'database', port: '5432', password: 'secret' });
    expect([url.username, url.pathname]).toEqual([
      database?.environment.POSTGRES_USER,
      `/${database?.environment.POSTGRES_DB}`,
    ]);
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: compose replaces it
  expect(database?.environment.POSTGRES_PASSWORD).toBe('${POSTGRES_PASSWORD:?}');
});

it('leads from nginx to http, from http to the service, and nobody else in', () => {
  const { port: servicePort } = optionsOf(service?.command);
  const { port: httpPort } = optionsOf(http?.command);
  expect(http?.environment.SVC_BASE_URL).toBe(`http://service:${servicePort}`);
  expect(service?.ports).toBeUndefined();
  expect(database?.ports).toBeUndefined();
  expect(http?.ports).toEqual([`127.0.0.1:8080:${httpPort}`]);
  expect(read('examples/server/nginx.conf')).toContain('proxy_pass http://127.0.0.1:8080;');
  const [, name] = /server_name (\S+);/.exec(read('examples/server/nginx.conf')) ?? [];
  expect(http?.environment.SVC_PUBLIC_URL).toBe(`https://${name}`);
  expect(http?.environment.SVC_TRUST_PROXY).toBe('on');
});

it('keeps what must last in volumes, at the folders where it is written', () => {
  const mounted = [database, service, http].flatMap((one) => one?.volumes ?? []);
  for (const volume of mounted) expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
  const [, folder] = /SVC_DATA_DIR=(\S+)/.exec(dockerfile) ?? [];
  expect(service?.volumes).toEqual([`data:${folder}`]);
});

it('waits for services that are there, and asks after their health by an address that they answer', () => {
  for (const one of [database, service, http])
    for (const name of one?.depends_on ?? []) expect(Object.keys(services)).toContain(name);
  const { port } = optionsOf(service?.command);
  expect(service?.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/healthz`);
  // The image looks at http's own port by itself.
  expect(dockerfile).toContain(`http://127.0.0.1:${optionsOf(http?.command).port}/healthz`);
});
