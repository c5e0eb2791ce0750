/** What `svc-mcp actions` says of a change. */
import { expect, it } from 'vitest';
import { describeChange } from '../../src/cli/commands/actions.ts';

const proof = { rows_before: 9, rows_found: 9, rows_equal: 8 };

it('a preview shows the proof, and where each field is read now and would be', () => {
  const column = (label: string) => ({ label, kind: 'text', samples: ['Ada', 'Grace'] });
  const fields = { title: { before: column('name'), after: column('heading') } };
  const text = describeChange('shop_boats', { status: 'preview', proof, fields, next: 'To publish: …' });
  expect(text.split('\n').map((line) => line.replace(/ {2,}/g, ' '))).toEqual([
    'shop_boats: preview (8 of 9 earlier rows are on the page with the same values)',
    'FIELD READ FROM WOULD BE READ FROM ',
    'title name Ada heading Ada',
    'To publish: …',
  ]);
});

it.each([
  [
    { status: 'repaired', version: 'ab12', proof },
    'repaired (version ab12, 8 of 9 earlier rows are on the page',
  ],
  [{ status: 'not_repaired', reason: 'No list has these rows' }, 'not repaired (No list has these rows)'],
  [{ status: 'removed', proof: 'by hand' }, 'removed'],
])('%j is told', (body, text) => expect(describeChange('shop_boats', body)).toContain(`shop_boats: ${text}`));
