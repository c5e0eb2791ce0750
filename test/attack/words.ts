/** What a service may write: its key in other forms, escape sequences, addresses to open. */
import { once } from 'node:events';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { envelope } from '../support/upstream-faults.ts';
import type { UpstreamScript } from '../support/upstream-script.ts';
import {
  type Attack,
  type CloseLater,
  callTool,
  expectTrue,
  type Family,
  spawnNode,
  startTarget,
} from './attack.ts';

const key = 'sk-live-4f9Ab2c+d7e6f1/0b9c8d7';
const codes = (form: (code: string) => string) =>
  [...key].map((character) => form(character.charCodeAt(0).toString(16))).join('');
const keyForms: Readonly<Record<string, string>> = {
  'as it is': key,
  'with blanks': [...key].join(' '),
  'in lines': key.replace(/(.{5})/g, '$1\n'),
  'between invisible characters': key.replace(/(.{5})/g, '$1\u200b\u2060'),
  'between colours and tags': key.replace(/(.{5})/g, '$1\u001b[31m<b>'),
  'percent-encoded': codes((code) => `%${code}`),
  'percent-encoded twice': encodeURIComponent(encodeURIComponent(key)),
  'as references': codes((code) => `&#x${code};`),
  'as escapes': codes((code) => `\\u00${code}`),
  'in hexadecimal': Buffer.from(key).toString('hex'),
  'in Base64': Buffer.from(key).toString('base64'),
  'as Basic authentication': Buffer.from(`user:${key}`).toString('base64'),
};
/** What nobody may read of it, however they clean the text. */
const readable = (text: string) =>
  [...Object.values(keyForms), key, Buffer.from(key).toString('base64').slice(4, -4)].filter((form) =>
    [text, text.replace(/\s+/g, '')].some((one) => one.includes(JSON.stringify(form).slice(1, -1))),
  );

/** The places in which a service has the word, and the call that shows it. */
const places: Readonly<Record<string, (upstream: Upstream, word: string) => readonly [string, object]>> = {
  'the message of an error'(upstream, word) {
    upstream.fail('listIdentities', envelope(400, 'BAD', `Refused: ${word}.`));
    return ['list_identities', {}];
  },
  'the code and the members of an error'(upstream, word) {
    upstream.fail('submitTask', envelope(400, word, 'Refused', { hint: word, [word]: [{ [word]: word }] }));
    return ['run_action', { action_id: 'shop-list', params: { word } }];
  },
  'a job that failed'(_, word) {
    return ['run_action', { action_id: 'shop-failing', params: { word } }];
  },
  'a build that failed'(upstream, word) {
    const build = { id: 'b-1', status: 'failed', website_url: 'https://a.example/', goal: word, error: word };
    upstream.fail('listBuildRequests', { kind: 'answer', body: { build_requests: [build] } });
    return ['list_build_requests', {}];
  },
  'an account'(upstream, word) {
    const identity = { id: 'i-1', name: word, catalog_slug: 'shop', status: 'active', credentials: [] };
    upstream.fail('listIdentities', { kind: 'answer', body: { identities: [identity] } });
    return ['list_identities', {}];
  },
  'a catalog'(upstream, word) {
    const catalog = {
      id: 'c-1',
      slug: 'shop',
      name: word,
      description: word,
      category: word,
      domain: 'a.example',
    };
    upstream.fail('getCatalog', { kind: 'answer', body: { catalog, actions: [] } });
    return ['browse_catalogs', { catalog: 'shop' }];
  },
  'the search'(upstream, word) {
    const found = {
      action_id: 'shop-x',
      name: word,
      description: word,
      tags: [word],
      catalog_slug: 'shop',
      credits: 1,
    };
    upstream.fail('search', { kind: 'answer', body: { results: [found] } });
    return ['search_actions', { q: `${word.slice(0, 20)} list` }];
  },
};

export async function startShop(closeLater: CloseLater, script: UpstreamScript, more: object = {}) {
  const upstream = await startUpstream({ apiKey: key, balance: 1e6, ...script });
  closeLater(() => upstream.close());
  const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: key, SVC_WAIT_SECONDS: '2', ...more };
  const gateway = await startTarget('http', environment);
  closeLater(() => gateway.close());
  return { upstream, gateway, environment };
}

const keys = async (closeLater: CloseLater): Promise<readonly Attack[]> => {
  const { upstream, gateway } = await startShop(closeLater, {
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop' },
      {
        action_id: 'shop-failing',
        catalog_slug: 'shop',
        job: (params) => {
          const { word = '' } = Object(params);
          return { error: { code: 'UPSTREAM', message: `Refused: ${word}` } };
        },
      },
    ],
  });
  return Object.entries(places).flatMap(([place, prepare]) =>
    Object.entries(keyForms).map(
      ([form, word]): Attack => ({
        name: `the key ${form} in ${place}`,
        async run() {
          const [tool, args] = prepare(upstream, word);
          try {
            // The model has sent `params` itself.
            const { text } = await callTool(gateway.origin, tool, args);
            const shown = place === 'a job that failed' ? text.replaceAll(/"params":\{[^}]*\}/g, '') : text;
            expectTrue(readable(shown).length === 0, `it is readable: ${shown.slice(0, 400)}`);
          } finally {
            upstream.clearFaults();
          }
        },
      }),
    ),
  );
};

const evil = 'evil.example';
const addresses = [
  ...[`https://${evil}/x`, `//${evil}/x`, `/\\${evil}/x`, `\\\\${evil}/x`, `\t//${evil}/x`, `/\n/${evil}/x`],
  ...[
    `https:/${evil}`,
    `https:${evil}`,
    `http:\\\\${evil}`,
    `javascript:alert('${evil}')`,
    `JaVaScRiPt:'${evil}'`,
  ],
  ...[
    `java\nscript:'${evil}'`,
    `data:text/html,${evil}`,
    `vbscript:${evil}`,
    `file://${evil}/x`,
    `blob:https://${evil}/`,
  ],
  ...[
    `https://user:pass@${evil}/`,
    `https://localhost@${evil}/`,
    `@${evil}`,
    `:pass@${evil}`,
    ` https://${evil}/`,
  ],
  ...[
    `/connect/../../..//${evil}/${'x'.repeat(3_000)}`,
    `https://${evil}/${'x'.repeat(100_000)}`,
    `///${evil}`,
  ],
  ...[
    `${evil}:443/x`.replace(/^/, 'ws://'),
    `view-source:https://${evil}`,
    `\u0000//${evil}`,
    `\u202e//${evil}`,
  ],
];
/** Pages of other sites are for `login_url` alone, which has no path of the service (specification: Authentication). */
const opens = (text: string): readonly string[] =>
  [...text.matchAll(/"(?:connect_url|login_url)":"((?:[^"\\]|\\.)*)"/g)].map(([, address = '']) => address);

const links = async (closeLater: CloseLater): Promise<readonly Attack[]> => {
  const { upstream, gateway } = await startShop(closeLater, {
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }],
  });
  let n = 0;
  const answerTo = async (member: string, address: string) => {
    n += 1;
    upstream.fail('submitTask', envelope(401, 'AUTH_REQUIRED', 'Sign in', { [member]: address }));
    try {
      return (await callTool(gateway.origin, 'run_action', { action_id: 'shop-list', params: { n } })).text;
    } finally {
      upstream.clearFaults();
    }
  };
  const honest: Attack = {
    name: 'an own path in connect_url is handed on',
    async run() {
      const text = await answerTo('connect_url', '/connect/shop');
      expectTrue(opens(text).includes(`${upstream.origin}/connect/shop`), text);
    },
  };
  return [
    honest,
    ...addresses.flatMap((address) => [
      {
        name: `connect_url ${JSON.stringify(address).slice(0, 60)}`,
        async run() {
          const text = await answerTo('connect_url', address);
          const shown = opens(text).filter((one) => one.includes(evil) || !one.startsWith(upstream.origin));
          expectTrue(
            shown.every((one) => one.startsWith(`${upstream.origin}/`)),
            `${shown}`.slice(0, 200),
          );
        },
      },
      {
        name: `login_url ${JSON.stringify(address).slice(0, 60)}`,
        async run() {
          const shown = opens(await answerTo('login_url', address));
          const isPlain = (one: string) =>
            /^https?:\/\/[\w.:-]+\/[\x21-\x7e]*$/.test(one) && one.length <= 2_048;
          expectTrue(shown.every(isPlain), `${shown}`.slice(0, 200));
        },
      },
    ]),
  ];
};

/** What changes a terminal, or shows other letters than there are. */
const sequences: Readonly<Record<string, string>> = {
  'a title': '\u001b]0;owned\u0007',
  'a cleared screen': '\u001b[2J\u001b[H',
  'C1 instead of ESC': '\u009b2J\u009d0;owned\u009c',
  'a link': '\u001b]8;;https://evil.example/\u001b\\docs\u001b]8;;\u001b\\',
  'the clipboard': '\u001b]52;c;ZXZpbA==\u0007',
  'a device string': '\u001bPq\u001b\\\u0090q\u009c',
  'another direction': '\u202egpj.exe\u2066\u2069\u200f',
  'lines of its own': '\r\nFAKE-ROW  1  completed\u2028FAKE\u2029\u0085FAKE\u000b\u000c',
  'erased letters': 'good\u0008\u0008\u0008\u0008evil\u007f',
  'letters of tags': '\u{e0049}\u{e0067}\ufe0f\u00ad\u034f',
};

const terminals = async (closeLater: CloseLater): Promise<readonly Attack[]> => {
  const text = Object.values(sequences).join(' ');
  const { environment, gateway } = await startShop(closeLater, {
    catalogs: [{ slug: 'shop', name: text, category: text }],
    actions: [
      {
        action_id: 'shop-data',
        catalog_slug: 'shop',
        name: text,
        description: text,
        job: { data: [{ [text]: text }] },
      },
      { action_id: 'shop-failing', catalog_slug: 'shop', job: { error: { code: text, message: text } } },
    ],
    identities: [
      {
        id: 'i-1',
        catalog_id: 'c-1',
        name: text,
        is_default: true,
        created_at: '2026-01-01T00:00:00Z',
        credentials: [],
      },
    ],
  });
  const commands: readonly (readonly string[])[] = [
    ['call', 'run_action', '{"action_id":"shop-failing"}'],
    ['call', 'run_action', '{"action_id":"shop-data"}'],
    ['call', '--csv', 'run_action', '{"action_id":"shop-data"}'],
    ['call', 'search_actions', '{}'],
    ['call', 'browse_catalogs', '{"catalog":"shop"}'],
    ['call', 'list_identities', '{}'],
    ['call', text.replaceAll(/[\0\n]/g, ''), '{}'],
    ['tools'],
    ['jobs'],
    ['doctor'],
  ];
  return commands.map((args) => ({
    name: `svc-mcp ${args.join(' ')}`.slice(0, 80),
    async run() {
      const child = spawnNode(args, { ...environment, SVC_DATA_DIR: gateway.folder });
      const chunks: Buffer[] = [];
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
      child.stdin?.end();
      await once(child, 'close');
      const shown = Buffer.concat(chunks).toString();
      expectTrue(shown !== '', 'nothing was printed');
      const raw = /(?![\t\n]|\r\n)[\p{Cc}\p{Cf}\u2028\u2029]/u.exec(shown);
      expectTrue(raw === null, `${JSON.stringify(raw?.[0])} in ${JSON.stringify(shown).slice(0, 300)}`);
      // A cell of CSV may have lines; it stands in quotes.
      if (!args.includes('--csv')) expectTrue(!/^\s*FAKE/m.test(shown), 'a line of its own');
    },
  }));
};

export const words: Family = {
  name: 'words',
  prepare: async (closeLater) =>
    (await Promise.all([keys, links, terminals].map((part) => part(closeLater)))).flat(),
};
