import { describe, expect, it } from 'vitest';
import { findKnownClient } from '../../src/mcp/calls/client.ts';
import { toolResult, withResourceAddress } from '../../src/mcp/calls/result.ts';

const cut = {
  status: 'completed',
  job_id: 'job-1',
  truncated: { total_chars: 90_000, next: 'Call get_job {"job_id":"job-1","offset":7} for the rest.' },
  data: [1],
};

describe('the result of a tool call', () => {
  it('says the same as text and as structured content', () => {
    const result = toolResult(cut);
    expect(result.structuredContent).toEqual(cut);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(cut) }]);
  });

  it('has no structured content before 2025-06-18', () => {
    for (const revision of ['2024-11-05', '2025-03-26']) {
      expect(toolResult(cut, { revision })).toEqual({
        content: [{ type: 'text', text: JSON.stringify(cut) }],
      });
    }
    for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28', undefined]) {
      expect(toolResult(cut, { revision })).toHaveProperty('structuredContent');
    }
  });

  it('names the address of the whole as text, before the data', () => {
    const body = withResourceAddress(cut);
    expect(body).toEqual({ ...cut, truncated: { ...cut.truncated, resource: 'svc://jobs/job-1' } });
    expect(Object.keys(body).at(-1)).toBe('data');
    expect(withResourceAddress({ ...cut, truncated: undefined })).not.toHaveProperty('truncated.resource');
  });

  it('has a link only for clients known to take one', () => {
    for (const name of ['claude-code', 'Visual Studio Code', 'mcp-inspector']) {
      expect(findKnownClient(name).links).toBe(true);
    }
    for (const name of [
      undefined,
      '',
      'langchain-mcp-adapters',
      'codex-mcp-client',
      '@cline/core',
      'mastra',
    ]) {
      expect(findKnownClient(name).links).toBeUndefined();
    }
    expect(toolResult(cut, { client: { links: true } }).content).toMatchObject([
      { type: 'text' },
      { type: 'resource_link', uri: 'svc://jobs/job-1' },
    ]);
    expect(toolResult({ status: 'completed', data: 1 }, { client: { links: true } }).content).toHaveLength(1);
  });

  it('has no structured content for a client that would give its model both', () => {
    expect(toolResult(cut, { client: { textOnly: true } })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(cut) }],
    });
  });
});
