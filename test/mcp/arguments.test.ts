import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/gateway/foundation/errors.ts';
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { checkBounds, readInput } from '../../src/mcp/tools/arguments.ts';
import { browseCatalogs } from '../../src/mcp/tools/browse-catalogs.ts';
import { getJob } from '../../src/mcp/tools/get-job.ts';
import { login } from '../../src/mcp/tools/login.ts';
import { requestBuild } from '../../src/mcp/tools/request-build.ts';
import { runAction } from '../../src/mcp/tools/run-action.ts';
import { searchActions } from '../../src/mcp/tools/search-actions.ts';
import { watch } from '../../src/mcp/tools/watch.ts';

const refusal = (act: () => unknown): JsonObject => {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error.body;
    throw error;
  }
  throw new Error('was accepted');
};

describe('input is repaired', () => {
  it.each([
    [runAction, { action_id: 'a', params: '{"q": [1]}' }, { action_id: 'a', params: { q: [1] } }],
    [runAction, { action_id: 'a', resubmit: 'true' }, { action_id: 'a', resubmit: true }],
    [runAction, { action_id: 'a', identity: null, params: null }, { action_id: 'a' }],
    [getJob, { job_id: 'j', wait_seconds: '30', offset: 0 }, { job_id: 'j', wait_seconds: 30, offset: 0 }],
    [getJob, { job_id: '', select: '' }, {}],
    [watch, { action_id: ['a'], key: ['part'] }, { action_id: 'a', key: 'part' }],
    [watch, { action_id: 'a', ignore: ['at'] }, { action_id: 'a', ignore: ['at'] }],
    [getJob, { job_id: ['j'], format: ['csv'] }, { job_id: 'j', format: 'csv' }],
    [searchActions, { auth: false }, { auth: false }],
    [searchActions, { auth: 'false' }, { auth: false }],
    [searchActions, { auth: true, limit: '5' }, { auth: true, limit: 5 }],
    [searchActions, { auth: 'true' }, { auth: true }],
    [
      requestBuild,
      { website_url: 'https://a.b', preview: true },
      { website_url: 'https://a.b', preview: true },
    ],
    [
      requestBuild,
      { website_url: 'https://a.b', preview: 'true' },
      { website_url: 'https://a.b', preview: true },
    ],
    [
      requestBuild,
      { website_url: 'https://a.b', goal: 'g', force: 'false' },
      { website_url: 'https://a.b', goal: 'g', force: false },
    ],
  ])('%#: $name', (tool, given, read) => {
    expect(readInput(tool, given)).toEqual(read);
  });
});

describe('input is refused', () => {
  it.each([
    [runAction, {}, 'action_id'],
    [runAction, { action_id: 'a', params: '[1]' }, 'params'],
    [runAction, { action_id: 'a', params: '{broken' }, 'params'],
    [runAction, { action_id: 7 }, 'action_id'],
    [getJob, { wait_seconds: -1 }, 'wait_seconds'],
    [getJob, { limit: '1.5' }, 'limit'],
    [searchActions, { auth: 'maybe' }, 'auth'],
    [requestBuild, { website_url: 'https://a.b', goal: 'g', visibility: 'secret' }, 'visibility'],
    [requestBuild, { website_url: 'https://a.b/\0', goal: 'g' }, 'website_url'],
    [getJob, { job_id: 'a\0b' }, 'job_id'],
    [watch, { action_id: 'a', key: ['part', 'colour'] }, 'key'],
    [watch, { action_id: 'a', key: [7] }, 'key'],
    [login, { catalog: 'shop', catalog_slug: 'shop' }, 'catalog_slug'],
    [browseCatalogs, { slug: 'shop' }, 'slug'],
    [searchActions, { catalog_slug: 'shop' }, 'catalog_slug'],
    [requestBuild, { website_url: 'https://a.b', goal: 'g', catalog_id: 'shop' }, 'catalog_id'],
    [getJob, { job_id: 'j', path: 'b' }, 'path'],
    [runAction, { action_id: 'a', path: 'b' }, 'path'],
    [requestBuild, { website_url: 'https://a.b', preview: { candidate: 't1' } }, 'preview'],
  ])('%#: $name', (tool, given, path) => {
    expect(refusal(() => readInput(tool, given))).toMatchObject({
      status: 'error',
      error: { code: 'INVALID_PARAMS', issues: [{ path, message: expect.any(String) }] },
      next: { kind: 'correct', named: 'issues', tool: tool.name },
    });
  });

  it('names unknown arguments and the allowed ones', () => {
    const { error } = refusal(() => readInput(getJob, { job_id: 'j', jobId: 'j', nope: 1 }));
    const text = JSON.stringify(error);
    for (const word of ['jobId', 'nope', 'job_id', 'wait_seconds', 'select', 'offset', 'limit']) {
      expect(text).toContain(word);
    }
  });

  it('with an error that says what is wrong once, in issues', () => {
    const { error } = refusal(() => readInput(getJob, { wait_seconds: -1 }));
    const { message, issues } = Object(error);
    expect(message).toContain('the input schema of get_job (wait_seconds); see issues');
    expect(message).not.toContain(issues[0].message);
  });

  it('without repeating a value, which may be a password', () => {
    const body = refusal(() => readInput(login, { catalog: 's', params: 'canary-7' }));
    expect(JSON.stringify(body)).not.toContain('canary-7');
  });

  it('and never crashes, whatever comes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        for (const tool of [runAction, getJob, searchActions]) {
          try {
            checkBounds(tool.name, args);
            readInput(tool, args);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
          }
        }
      }),
    );
  });
});
