import * as z from 'zod';
import { maxJobIdChars } from '../../contract/limits.ts';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import { defineTool, readOnly } from './define-tool.ts';
import { integer, resultFormat, waitSeconds } from './inputs.ts';

const needsJob = (names: readonly string[]) =>
  new GatewayError(
    'INVALID_PARAMS',
    `Without a job_id there is no result, and ${names.join(' and ')} ${names.length === 1 ? 'reads' : 'read'} one.`,
    { kind: 'correct', named: 'issues', tool: 'get_job' },
    { issues: names.map((path) => ({ path, message: 'only with job_id' })) },
  );

export const getJob = defineTool({
  name: 'get_job',
  title: 'Get a job and its result',
  description:
    'Waits for a job and returns its result, or reads a part of a large result; free. Without job_id it lists ' +
    'your recent jobs. Use it after status "processing", after a lost answer, or when a result says truncated: ' +
    'select picks a part (JMESPath into data), offset and limit page through a list or a text. ' +
    'Not for starting work: use run_action or the tool of the action.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    job_id: z.string().max(maxJobIdChars).describe('Absent: recent jobs').optional(),
    wait_seconds: waitSeconds().describe('How long to wait for the job to end').optional(),
    select: z.string().max(1000).describe('JMESPath into data, such as items[*].name').optional(),
    offset: integer(0, 1e12).describe('First element or character, counted from 0').optional(),
    limit: integer(1, 1e9).describe('Elements or characters at most').optional(),
    format: resultFormat().optional(),
  }),
  run: (gateway, input, context) => {
    const { job_id, select, format } = input;
    // `offset` and `limit` page through the list, too.
    const ofResult = Object.entries({ select, format }).filter(([, value]) => value !== undefined);
    if (job_id === undefined && ofResult.length > 0) throw needsJob(ofResult.map(([name]) => name));
    return gateway.getJob(input, context);
  },
});
