/** Hostile requests to the two servers: bodies, JSON and paths. */
import { bodyClients } from '../support/body-clients.ts';
import { initialize, jsonHeaders, standalone } from '../support/http.ts';
import {
  type Attack,
  type CloseLater,
  expectRefused,
  expectTrue,
  type Family,
  startTarget,
  type Target,
} from './attack.ts';

interface Servers {
  readonly service: Target;
  readonly gateway: Target;
}

const startServers = async (closeLater: CloseLater): Promise<Servers> => {
  const service = await startTarget('service');
  closeLater(() => service.close());
  const gateway = await startTarget('http', { SVC_BASE_URL: service.origin, SVC_API_KEY: service.apiKey });
  closeLater(() => gateway.close());
  // What is only compiled or opened once is no cost of an attack.
  for (let times = 0; times < 5; times += 1)
    await (await fetch(`${gateway.origin}/mcp`, standalone('tools/list'))).text();
  return { service, gateway };
};

/** Places that take a body. */
const places = ({ service, gateway }: Servers) =>
  [
    { name: 'POST /task', target: service, url: `${service.origin}/v1/svc/task`, key: true },
    { name: 'POST /login', target: service, url: `${service.origin}/v1/svc/login`, key: true },
    {
      name: 'POST /build-request',
      target: service,
      url: `${service.origin}/v1/svc/build-request`,
      key: true,
    },
    { name: 'the console', target: service, url: `${service.origin}/console/sign-in`, form: true },
    { name: 'POST /mcp', target: gateway, url: `${gateway.origin}/mcp` },
    { name: 'POST /messages', target: gateway, url: `${gateway.origin}/messages` },
    { name: 'a sign-in page', target: gateway, url: `${gateway.origin}/sign-in/AAAA`, form: true },
  ].map(({ key = false, form = false, ...place }) => ({
    ...place,
    headers: {
      ...jsonHeaders,
      ...(key && { 'x-api-key': service.apiKey }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
  }));

export const bodies: Family = {
  name: 'bodies',
  prepare: async (closeLater) => {
    const sizes: readonly (readonly [string, string])[] = [
      ['4 MiB', 'x'.repeat(4 * 1024 * 1024)],
      ['just over 1 MiB', 'x'.repeat(1024 * 1024 + 1)],
      ['1 MiB of [', '['.repeat(1024 * 1024)],
      ['1 MiB of elements', `[${'0,'.repeat(500_000)}0]`],
      ['nothing', ''],
    ];
    return places(await startServers(closeLater)).flatMap(({ name, target, url, headers }) =>
      bodyClients.flatMap(([client, send]) =>
        sizes.map(
          ([size, body]): Attack => ({
            name: `${size} by ${client} to ${name}`,
            run: () =>
              target.survive(async () => {
                const [status, text] = await send(url, headers, body);
                expectRefused(status, text, [400, 403, 404, 413, 415, 429]);
              }),
          }),
        ),
      ),
    );
  },
};

const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',');
const message = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

/** JSON that parsers disagree about, and values that programs trip over. */
const texts: readonly string[] = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '"',
    '{"a"',
    '{"a":}',
    '[1,]',
    '{"a":1,}',
    'nul',
    'NaN',
    '-',
    '01',
    '1.',
    '.5',
    "{'a':1}",
  ],
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1e999',
    '-1e999',
    '9007199254740993',
    '1e-400',
    '""',
    '[]',
    '{}',
    '[[]]',
    '[null]',
  ],
  ...[
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\u0000"',
    '"\\x00"',
    '"\u0000"',
    '"\t"',
    '\ufeff{}',
    '{}\u0000',
    '{}{}',
    '/**/{}',
  ],
  ...[
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"toString":1}',
    '{"a":1,"a":2}',
    '{"":{"":{}}}',
  ],
  ...[
    '{"action_id":{"$gt":""}}',
    '{"action_id":["a"]}',
    '{"action_id":"\\u0000"}',
    '{"action_id":"../../etc/passwd"}',
  ],
  ...[
    '{"action_id":"a","params":[]}',
    '{"action_id":"a","params":"{}"}',
    '{"action_id":"a","params":{"__proto__":null}}',
  ],
  ...[
    '{"action_id":"\' or 1=1 --"}',
    '{"action_id":"$(id)`id`"}',
    '{"action_id":"<script>"}',
    '{"catalog":"\\u202e"}',
  ],
  ...[
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
  ],
  ...[
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
  ],
  ...['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{"a":1},"arguments":"x"}}'],
  ...['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toString","arguments":{}}}'],
  `${'['.repeat(65)}${']'.repeat(65)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  `[${'{},'.repeat(99_000)}{}]`,
  ...[1_900, 14_000, 90_000].flatMap((count) => [
    `{${members(count)}}`,
    message('tools/call', `{${members(count)}}`),
    message('tools/call', `{"name":"run_action","arguments":{${members(count)}}}`),
    message(
      'initialize',
      `{"protocolVersion":"2025-11-25","capabilities":{${members(count)}},"clientInfo":{"name":"a","version":"1"}}`,
    ),
  ]),
  `{"action_id":"${'a'.repeat(900_000)}"}`,
  `{"action_id":"a","params":{"n":${'9'.repeat(900_000)}}}`,
  JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ ...initialize, id }))),
];

export const json: Family = {
  name: 'JSON',
  prepare: async (closeLater) => {
    const servers = await startServers(closeLater);
    return places(servers).flatMap(({ name, target, url, headers }) =>
      texts.map(
        (text): Attack => ({
          name: `${text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text} to ${name}`,
          run: () =>
            target.survive(async () => {
              const answer = await fetch(url, { method: 'POST', headers, body: text });
              // A JSON-RPC error of the protocol comes with 200.
              const allowed = url.endsWith('/mcp') ? [200, 202] : [];
              expectRefused(answer.status, await answer.text(), [
                400,
                403,
                404,
                405,
                413,
                415,
                429,
                ...allowed,
              ]);
            }),
        }),
      ),
    );
  },
};

const names: readonly string[] = [
  ...[
    '..',
    '../..',
    '%2e%2e%2f%2e%2e%2fapi-key',
    '..%5c..%5capi-key',
    '%252e%252e%252fapi-key',
    '....//api-key',
  ],
  ...[
    '%00',
    'a%00.json',
    '%0d%0aset-cookie:%20a=b',
    '%0a',
    '%c0%ae%c0%ae/',
    '%ff',
    '%',
    '%zz',
    '%u2216',
    '%e2%80%ae',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    'NaN',
    '0',
    '-1',
    "'",
    '"',
    "' or '1'='1",
    '*',
    '$where',
  ],
  ...[
    'file:///etc/passwd',
    '//evil.example/',
    'http:%2f%2fevil.example',
    '@evil.example',
    '\\\\evil\\share',
    ';/etc',
    '?',
    '#',
  ],
  ...[
    'x'.repeat(8_000),
    '%41'.repeat(2_000),
    '/'.repeat(4_000),
    '../'.repeat(2_000),
    '%F0%9F%92%A9',
    'con',
    'nul.txt',
    '~root',
  ],
];

export const paths: Family = {
  name: 'paths',
  prepare: async (closeLater) => {
    const { service, gateway } = await startServers(closeLater);
    const folders: readonly (readonly [Target, string])[] = [
      ...[
        '/',
        '/v1/svc/',
        '/v1/svc/jobs/',
        '/v1/svc/catalog/',
        '/v1/svc/identities/',
        '/console/',
        '/console/runs/',
        '/connect/',
      ].map((path) => [service, path] as const),
      ...['/', '/mcp/', '/sign-in/', '/.well-known/', '/messages?sessionId='].map(
        (path) => [gateway, path] as const,
      ),
    ];
    return folders.flatMap(([target, folder]) =>
      names.map(
        (name): Attack => ({
          name: `${folder}${name.slice(0, 60)}`,
          run: () =>
            target.survive(async () => {
              const answer = await fetch(`${target.origin}${folder}${name}`, {
                headers: { 'x-api-key': service.apiKey, origin: target.origin },
                redirect: 'manual',
              });
              const text = await answer.text();
              // The first page of the console and of the interface are pages like another.
              expectRefused(answer.status, text, [200, 303, 400, 401, 403, 404, 405, 429, 431]);
              expectTrue(!text.includes(service.apiKey), 'the API key in the answer');
              expectTrue(!/root:.*:0:0/.test(text), '/etc/passwd in the answer');
              expectTrue(
                !answer.headers.has('set-cookie') || !/^a=b/.test(answer.headers.get('set-cookie') ?? ''),
                'a header of the path',
              );
            }),
        }),
      ),
    );
  },
};
