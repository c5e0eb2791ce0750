import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/mcp/instructions.ts';
import { listStaticTools, reservedByStaticTools, toolList } from '../../src/mcp/tool-list.ts';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { listedTool } from '../support/fake-gateway.ts';

/** Names others rely on. */
const parameters = {
  search_actions: ['q', 'catalog', 'category', 'auth', 'limit', 'cursor'],
  browse_catalogs: ['slug', 'scope'],
  run_action: ['action_id', 'params', 'identity', 'resubmit'],
  get_job: ['job_id', 'wait_seconds', 'path', 'offset', 'limit'],
  login: ['catalog_slug', 'identity_name', 'params'],
  list_identities: ['catalog_slug', 'id'],
  request_build: ['website_url', 'goal', 'catalog_id', 'visibility', 'force'],
  list_build_requests: ['id', 'wait_seconds'],
};
const required: Record<string, string[]> = {
  run_action: ['action_id'],
  login: ['catalog_slug'],
  request_build: ['website_url', 'goal'],
};
const costsCredits = ['run_action', 'request_build'];

describe('the static tools', () => {
  it('have the agreed names and parameters', () => {
    const found = staticTools.map(({ name, input }) => [name, Object.keys(input.shape)]);
    expect(found).toEqual(Object.entries(parameters));
  });

  it('cost less than 9,000 characters together', () => {
    const { names, chars } = reservedByStaticTools();
    expect(chars).toBe(JSON.stringify(listStaticTools()).length);
    expect(chars).toBeLessThan(9_000);
    expect(names).toEqual(Object.keys(parameters));
  });

  it.each(listStaticTools())(
    '$name keeps the rules of a description',
    ({ name, title, description = '' }) => {
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
    },
  );

  it.each(listStaticTools())('$name says all about its effects', ({ name, annotations }) => {
    expect(Object.keys(annotations ?? {}).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    if (costsCredits.includes(name)) {
      expect(annotations).toMatchObject({ readOnlyHint: false, idempotentHint: false });
    }
    if (annotations?.readOnlyHint === true) expect(annotations.destructiveHint).toBe(false);
  });

  it.each(listStaticTools())(
    '$name has a schema that every model provider takes',
    ({ name, inputSchema, outputSchema }) => {
      expect(outputSchema).toBeUndefined();
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(inputSchema.required ?? []).toEqual(required[name] ?? []);
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toMatchObject({ type: expect.stringMatching(/^(string|integer|boolean|object)$/) });
      }
      const plain = ['type', 'properties', 'required', 'additionalProperties', 'description', 'enum'];
      const bounds = ['minimum', 'maximum', 'minLength', 'maxLength'];
      const used = JSON.stringify(inputSchema, (key, value) =>
        key === 'properties' ? Object.values(value) : value,
      );
      const keywords = [...used.matchAll(/"(\$?\w+)":/g)].map(([, keyword]) => keyword);
      expect(keywords.filter((keyword) => ![...plain, ...bounds].includes(keyword ?? ''))).toEqual([]);
    },
  );
});

describe('the list', () => {
  it('is the same array for the same listing', () => {
    const listing = { tools: [listedTool('a')], unlisted: 0, unavailable: [] };
    expect(toolList(listing)).toBe(toolList(listing));
    expect(toolList({ ...listing })).not.toBe(toolList(listing));
  });

  it('leaves the schema of an action as it is', () => {
    const inputSchema = {
      type: 'object' as const,
      properties: { q: { type: 'string', 'x-odd': 1 } },
      anyKeyword: {},
    };
    const tools = toolList({ tools: [listedTool('a', { inputSchema })], unlisted: 0, unavailable: [] });
    expect(tools.at(-1)?.inputSchema).toBe(inputSchema);
  });
});

it('has instructions that no client cuts', () => {
  expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2048);
  for (const { name } of staticTools.filter(({ name }) => /search|run_action|get_job|login/.test(name))) {
    expect(instructions).toContain(name);
  }
});
