/** Requests that no library sends: smuggled, split, forged in their headers, and never ending. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, expectAlive, expectTrue, type Family, startTarget, type Target } from './attack.ts';

/** Milliseconds after which a connection that neither answers nor ends is ended. */
const patienceMs = 3_000;

/** Sends the bytes and resolves to everything that comes back. */
async function send(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => resolve()).on('error', () => resolve());
  });
  socket.write(Buffer.from(bytes, 'latin1'));
  await ended;
  clearTimeout(timer);
  return text;
}

const statusesOf = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));

/** What a reader of the second request would be answered: by AUTH the sender may read it. */
const secret = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nAUTH\r\nConnection: close\r\n\r\n';
const post = (headers: string, body: string) =>
  `POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nAUTH\r\nConnection: close\r\n${headers}\r\n${body}`;
const get = (headers: string, path = '/metrics') =>
  `GET ${path} HTTP/1.1\r\nHost: HOST\r\nAUTH\r\nConnection: close\r\n${headers}\r\n`;

/** Two readers of these see two requests, or two bodies: they are refused whole. */
const smuggled: Readonly<Record<string, string>> = {
  'a length and chunks': post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${secret}`),
  'two lengths': post('Content-Length: 2\r\nContent-Length: 90\r\n', `{}${secret}`),
  'two lengths in one': post('Content-Length: 2, 90\r\n', `{}${secret}`),
  'a length with a sign': post('Content-Length: +2\r\n', `{}${secret}`),
  'a negative length': post('Content-Length: -1\r\n', secret),
  'a length in hexadecimal': post('Content-Length: 0x2\r\n', `{}${secret}`),
  'a length beyond all numbers': post('Content-Length: 99999999999999999999999\r\n', `{}${secret}`),
  'chunks by another name': post('Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n', `{}${secret}`),
  'chunks that are not last': post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${secret}`),
  'chunks with a blank before the colon': post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${secret}`),
  'chunks by a tab': post('Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${secret}`),
  'a chunk beyond all numbers': post(
    'Transfer-Encoding: chunked\r\n',
    `fffffffffffffffff\r\n{}\r\n0\r\n\r\n${secret}`,
  ),
  'a chunk with a sign': post('Transfer-Encoding: chunked\r\n', `-1\r\n{}\r\n0\r\n\r\n${secret}`),
  'a chunk longer than it says': post('Transfer-Encoding: chunked\r\n', `1\r\n{}xx\r\n0\r\n\r\n${secret}`),
  'lines that end in a return alone': `GET /metrics HTTP/1.1\rHost: HOST\r\r`,
  'a folded header': get('X-A: b\r\n Host: evil.example\r\n'),
  'a header without a name': get(': x\r\n'),
  'a header with NUL': get('X-A: a\0b\r\n'),
  'a header with a return': get('X-A: a\rHost: evil.example\r\n'),
  'a name with a blank': get('Ho st: evil.example\r\n'),
  'no host': 'GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n',
  'no version': 'GET /metrics\r\n\r\n',
  'an unknown version': 'GET /metrics HTTP/9.9\r\nHost: HOST\r\nConnection: close\r\n\r\n',
  'HTTP/2 at once': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a hello of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a connection to another host': 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
  'an address of another host': `GET http://evil.example/metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
  '100 kB of a header': get(`X-A: ${'a'.repeat(100_000)}\r\n`),
  '5,000 headers': get(Array.from({ length: 5_000 }, (_, n) => `X-${n}: a\r\n`).join('')),
  'an address of 100 kB': get('', `/${'a'.repeat(100_000)}`),
  'an unknown expectation': post('Expect: 200-maybe\r\nContent-Length: 2\r\n', '{}'),
};

const getWith = (headers: string) => get(`${headers}\r\n`);
const byName = (all: readonly string[], toRequest: (one: string) => string) =>
  Object.fromEntries(all.map((one) => [JSON.stringify(one), toRequest(one)]));

/** Names of other hosts, and pages of other sites: refused, by the gateway also with its token. */
const foreign: Readonly<Record<string, string>> = {
  'two hosts': getWith('Host: evil.example'),
  'two hosts, the own one last': get('').replace('HOST', 'evil.example\r\nHost: localhost'),
  ...byName(
    [
      ...[
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        'localhost, evil.example',
        'localhost evil',
      ],
      ...[
        'evil.example#localhost',
        'evil.example?@localhost',
        'user@evil.example',
        'localhost@evil.example',
        '127.0.0.2',
      ],
      ...[
        '[::ffff:8.8.8.8]',
        '[::1%25evil]',
        '169.254.169.254',
        'l\u00d0\u00becalhost',
        'localhost\0',
        '',
        '*',
      ],
      ...['localhost/..//evil.example', '\tlocalhost\tevil', 'xn--lcalhost-2of', 'localhost.localdomain'],
    ],
    (host) => get('').replace('HOST', host),
  ),
  ...byName(
    [
      ...[
        'Origin: http://evil.example',
        'Origin: http://localhost.evil.example',
        'Origin: http://localhost@evil.example',
      ],
      ...[
        'Origin: http://evil.example\r\nOrigin: http://localhost',
        'Origin: http://127.0.0.1.evil.example:80',
      ],
    ],
    getWith,
  ),
};

/** Requests that are not this machine's own: without a key they read nothing that is for it alone. */
const forged = byName(
  [
    ...[
      'Origin: null',
      'Origin: file://',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Host: localhost',
      'X-Real-IP: ::1',
    ],
    ...[
      'Via: 1.1 proxy',
      'Forwarded: for=127.0.0.1',
      'x-forwarded-for:',
      'Forwarded: for="[::1]";host=localhost',
    ],
  ],
  getWith,
);

/** Keys and tokens that two readers would read in two ways, or that are none. */
const credentials: readonly string[] = [
  ...[
    'X-API-Key: wrong\r\nX-API-Key: KEY',
    'X-API-Key: KEY\r\nX-API-Key: wrong',
    'X-API-Key: KEY, KEY',
    'X-API-Key: KEY;',
  ],
  ...[
    'X-API-Key:',
    'X-API-Key: null',
    'X-API-Key: *',
    'X-API-Key: \xff',
    "X-API-Key: ' or '1'='1",
    'X_API_Key: KEY',
  ],
  ...[
    'Authorization: Basic KEY',
    'Authorization: Bearer',
    'Authorization: bearer wrong',
    'Cookie: x-api-key=KEY',
  ],
  ...['Authorization: Digest username="KEY"', 'Authorization: Bearer wrong\r\nAuthorization: Bearer KEY'],
];

/** `auth`: a header that would let each of them in. */
const refusals = (target: Target, auth: string, all: Readonly<Record<string, string>>): readonly Attack[] =>
  Object.entries(all).map(([attack, bytes]) => ({
    name: `${attack} to ${target.origin}`,
    async run() {
      const text = bytes.replaceAll('HOST', new URL(target.origin).host).replaceAll('AUTH', auth);
      const answer = await target.survive(() => send(target.origin, text));
      const statuses = statusesOf(answer);
      expectTrue(statuses.length <= 1, `${statuses.length} answers: ${statuses}`);
      expectTrue(
        statuses.every((status) => status >= 400),
        answer.slice(0, 200),
      );
      expectTrue(!/svc_jobs|svc_mcp_|\n\s+at \S+ \(/.test(answer), answer.slice(0, 200));
    },
  }));

/** Connections that send a byte now and then, or nothing: others are served meanwhile. */
const slow = (target: Target, name: string): Attack => ({
  name: `400 connections that never end their requests to ${name}`,
  async run() {
    const { hostname, port } = new URL(target.origin);
    const before = target.resetPeakMemory();
    const sockets = Array.from({ length: 400 }, (_, index) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(
        index % 2 === 0 ? 'GET / HTTP/1.1\r\nHost: loc' : post('Content-Length: 90000\r\n', '{"a":'),
      );
      return socket;
    });
    try {
      for (let turn = 0; turn < 20; turn += 1) {
        for (const socket of sockets) if (socket.writable) socket.write('a');
        await expectAlive(target.origin);
        await delay(20);
      }
      const grown = target.peakMemory() - before;
      expectTrue(grown < 100, `${Math.round(grown)} MiB more`);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
});

export const wire: Family = {
  name: 'wire',
  async prepare(closeLater) {
    // All addresses: then the name of the host is all that tells whom a request is for.
    const service = await startTarget('service', {}, [], ['--host', '0.0.0.0']);
    closeLater(() => service.close());
    const gateway = await startTarget('http', {
      SVC_BASE_URL: service.origin,
      SVC_API_KEY: service.apiKey,
      SVC_HTTP_TOKEN: 'a-token-of-the-attack',
    });
    closeLater(() => gateway.close());
    const token = 'Authorization: Bearer a-token-of-the-attack';
    const apiKey = `X-API-Key: ${service.apiKey}`;
    const withKeys = (path: string, key: string) =>
      byName(credentials, (header) => get(`${header.replaceAll('KEY', key)}\r\n`, path));
    const honest = ([target, auth]: readonly [Target, string]): Attack => ({
      name: `an honest request of ${target.origin} is served`,
      async run() {
        const host = new URL(target.origin).host;
        const answer = await send(target.origin, get('').replace('HOST', host).replace('AUTH', auth));
        expectTrue(statusesOf(answer)[0] === 200 && /svc_/.test(answer), answer.slice(0, 200));
      },
    });
    const nothing = 'Accept: */*';
    return [
      ...[[service, nothing] as const, [service, apiKey] as const, [gateway, token] as const].map(honest),
      // Whoever has a key of the service may come by any name: a browser sends none by itself.
      ...refusals(service, apiKey, smuggled),
      ...refusals(service, nothing, foreign),
      ...refusals(gateway, token, { ...smuggled, ...foreign }),
      ...refusals(service, nothing, { ...forged, ...withKeys('/v1/svc/usage', service.apiKey) }),
      ...refusals(gateway, nothing, { ...forged, ...withKeys('/metrics', 'a-token-of-the-attack') }),
      slow(service, 'the service'),
      slow(gateway, 'the gateway'),
    ];
  },
};
