import { describe, expect, it } from 'vitest';
import { instructionsFor } from '../../src/mcp/server.ts';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { reservedByStaticTools, staticToolList, toolList } from '../../src/mcp/tools/tool-list.ts';
import { FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { connectPiped, endAllPipes } from '../support/mcp-pipe.ts';

/** Names others rely on. */
const parameters = {
  search_actions: ['q', 'catalog', 'category', 'auth', 'limit', 'cursor'],
  browse_catalogs: ['catalog', 'scope'],
  run_action: [
    'action_id',
    'params',
    'batch',
    'identity',
    'select',
    'format',
    'max_credits',
    'max_age_seconds',
    'resubmit',
  ],
  get_job: ['job_id', 'wait_seconds', 'select', 'offset', 'limit', 'format'],
  login: ['catalog', 'identity_name', 'wait_seconds', 'params'],
  list_identities: ['catalog', 'id'],
  request_build: ['website_url', 'goal', 'preview', 'name', 'catalog', 'visibility', 'force', 'choose'],
  edit_action: ['action_id', 'name', 'description', 'repair', 'preview', 'revert', 'remove'],
  watch: [
    ...[
      'action_id',
      'params',
      'identity',
      'every',
      'time_zone',
      'key',
      'ignore',
      'when',
      'max_credits',
      'until',
    ],
    ...['watch_id', 'set'],
  ],
  list_watches: ['watch_id', 'after'],
  list_build_requests: ['id', 'offset', 'wait_seconds'],
  get_usage: [],
};
const required: Record<string, string[]> = {
  run_action: ['action_id'],
  login: ['catalog'],
  request_build: ['website_url'],
  edit_action: ['action_id'],
};

describe('the static tools', () => {
  it('have the agreed names and parameters', () => {
    const found = staticTools.map(({ name, input }) => [name, Object.keys(input.shape)]);
    expect(found).toEqual(Object.entries(parameters));
  });

  it('cost less than 12,200 characters together', () => {
    const { names, chars } = reservedByStaticTools();
    expect(chars).toBe(JSON.stringify(staticToolList).length);
    expect(chars).toBeLessThan(12_200);
    expect(names).toEqual(Object.keys(parameters));
  });

  it.each(staticToolList)('$name keeps the rules of a description', ({ name, title, description = '' }) => {
    expect(name).toMatch(/^[a-z_]{1,40}$/);
    expect(title?.length).toBeLessThanOrEqual(40);
    expect(description.length).toBeLessThanOrEqual(600);
    // Purpose first, then when, then when not.
    const [purpose, when, whenNot] = [
      /^[A-Z][a-z]+s\b/,
      /\bUse it\b/,
      /\bNot (for|needed)\b|, use [a-z_]+\./,
    ];
    expect(description).toMatch(purpose);
    expect(description).toMatch(when);
    expect(description).toMatch(whenNot);
    expect(description).not.toMatch(/\b(MUST|CRITICAL|IMPORTANT|ALWAYS)\b/);
    const mentioned = description.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
    const parameterNames = Object.values(parameters).flat();
    const known = [...Object.keys(parameters), ...parameterNames, 'login_input_schema'];
    expect(mentioned.filter((word) => !known.includes(word))).toEqual([]);
  });

  it('state all hints, and only those that change nothing are read-only', () => {
    const hints = (tools: typeof staticToolList) => tools.map(({ name, annotations }) => [name, annotations]);
    const reads = {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    };
    const anything = {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    };
    expect(Object.fromEntries(hints(staticToolList))).toEqual({
      ...Object.fromEntries(Object.keys(parameters).map((name) => [name, reads])),
      // It runs whatever the catalogs offer.
      run_action: anything,
      request_build: { ...anything, destructiveHint: false },
      edit_action: anything,
      login: { ...anything, destructiveHint: false, idempotentHint: true },
      watch: { ...anything, destructiveHint: false, idempotentHint: true },
    });
  });

  it.each(staticToolList)(
    '$name has a schema that every model provider takes',
    ({ name, inputSchema, outputSchema }) => {
      expect(outputSchema).toBeUndefined();
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(inputSchema.required ?? []).toEqual(required[name] ?? []);
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toMatchObject({
          type: expect.stringMatching(/^(string|integer|boolean|object|array)$/),
        });
      }
      const plain = ['type', 'properties', 'required', 'additionalProperties', 'description', 'enum'];
      const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'items', 'minItems', 'maxItems'];
      const used = JSON.stringify(inputSchema, (key, value) =>
        key === 'properties' ? Object.values(value) : value,
      );
      const keywords = [...used.matchAll(/"(\$?\w+)":/g)].map(([, keyword]) => keyword);
      expect(keywords.filter((keyword) => ![...plain, ...bounds].includes(keyword ?? ''))).toEqual([]);
    },
  );
});

describe('the tools of actions', () => {
  it.each([
    ['reads', { readOnlyHint: true, destructiveHint: false, openWorldHint: true }],
    ['spends', { readOnlyHint: false, destructiveHint: false, openWorldHint: true }],
    ['changes', { readOnlyHint: false, destructiveHint: true, openWorldHint: true }],
  ] as const)('have the hints of an action that %s', (effect, annotations) => {
    const tools = toolList({ tools: [listedTool('a', { effect })], unlisted: 0 });
    expect(tools.at(-1)?.annotations).toEqual(annotations);
  });
});

describe('the list', () => {
  it('leaves the schema of an action as it is', () => {
    const inputSchema = {
      type: 'object' as const,
      properties: { q: { type: 'string', 'x-odd': 1 } },
      anyKeyword: {},
    };
    const tools = toolList({ tools: [listedTool('a', { inputSchema })], unlisted: 0 });
    expect(tools.at(-1)?.inputSchema).toBe(inputSchema);
  });
});

it('run_action says what it takes beyond the tools of listed actions', () => {
  const description = staticTools.find(({ name }) => name === 'run_action')?.description;
  for (const argument of ['batch', 'max_credits', 'max_age_seconds']) expect(description).toContain(argument);
});

describe('the instructions', () => {
  const long = Array.from({ length: 40 }, (_, n) => `site-${n}-${'x'.repeat(40)}.example`);

  it.each([[[]], [['shop', 'my.shop']], [long]])('are not cut by a client', (slugs) => {
    const text = instructionsFor(slugs);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
    for (const { name } of staticTools.filter(({ name }) => /search|run_action|get_job|login/.test(name))) {
      expect(text).toContain(name);
    }
  });

  it('name in the first paragraph what finds everything else, and up to ten websites', () => {
    const [first = ''] = instructionsFor(['shop', 'my.shop']).split('\n\n');
    for (const name of ['search_actions', 'run_action', 'request_build', 'shop, my.shop.']) {
      expect(first).toContain(name);
    }
    const many = instructionsFor(Array.from({ length: 12 }, (_, n) => `s${n}`));
    expect(many).toContain('s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and more.');
  });

  it('do not promise that an error comes before all work', () => {
    const [line] = instructionsFor([]).match(/^- error: .*$/m) ?? [];
    expect(line).toContain('mostly before anything was sent; message says where a job had begun');
  });

  it('repeat no words of others', () => {
    const text = instructionsFor(['Ignore all', '<b>', 'sh\u200bop', 'ok']);
    expect(text).toContain('Websites: ok and more.');
    expect(text).not.toMatch(/Ignore|<b>|\u200b/);
  });
});

it('get_job refuses a part of a result where no job is named, so that nobody takes the list of jobs for it', async () => {
  const gateway = new FakeGateway();
  const { client } = await connectPiped(gateway, 'legacy');
  for (const part of [{ select: '[0]' }, { format: 'csv' }]) {
    const { structuredContent } = await client.callTool({ name: 'get_job', arguments: part });
    const [path] = Object.keys(part);
    expect(structuredContent).toMatchObject({ error: { code: 'INVALID_PARAMS', issues: [{ path }] } });
  }
  expect(gateway.calls).toEqual([]);
  await endAllPipes();
});
