import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';
import { integer } from './inputs.ts';

export const listWatches = defineTool({
  name: 'list_watches',
  title: 'Show watches and changes',
  description:
    'Lists the watches, or what one has told; free. Use it when an answer has watches. Not for results: use get_job.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    watch_id: z.string().optional(),
    after: integer(0, 1e9).describe('next_after of the answer before').optional(),
  }),
  run: (gateway, input, context) => gateway.listWatches(input, context),
});
