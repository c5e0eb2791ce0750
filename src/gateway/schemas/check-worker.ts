/** The process in which checks run that may stall. */
import * as z from 'zod';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { checkParams } from './check.ts';

const Task = z.object({
  schema: z.record(z.string(), z.unknown()),
  params: z.record(z.string(), z.unknown()),
});

serveTasks((task: unknown) => {
  const { schema, params } = Task.parse(task);
  return checkParams(schema, params);
});
