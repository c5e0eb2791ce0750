import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';
import { integer, waitSeconds } from './inputs.ts';

export const listBuildRequests = defineTool({
  name: 'list_build_requests',
  title: 'List build requests',
  description:
    'Lists your requests for new actions with their state, newest first; a finished one names its action_id; free. ' +
    'Use it to follow a request_build: with id it waits for its end. Not for jobs of actions: use get_job.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    id: z.string().describe('Only this build request').optional(),
    offset: integer(0, 1e6).describe('First of the list').optional(),
    wait_seconds: waitSeconds().describe('How long to wait for it to end').optional(),
  }),
  run: (gateway, input, context) => gateway.listBuildRequests(input, context),
});
