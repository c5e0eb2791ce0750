import { expect, it } from 'vitest';
import { type Task, toCreatedTask, toTaskObject } from '../../../src/mcp/tasks/task.ts';

const task: Task = {
  id: 't',
  status: 'completed',
  isError: false,
  message: 'The run of shop-list has completed.',
  createdAt: 2_000,
  updatedAt: 1_000,
  ttlMs: 60_000,
  pollMs: 500,
};

it('a task that is announced as working does not say that it has completed', () => {
  const begun = toCreatedTask(task, 'extension');
  expect(begun).toMatchObject({ status: 'working', statusMessage: expect.not.stringContaining('completed') });
});

it('a task was never updated before it was created', () => {
  expect(toTaskObject(task, 'core')).toMatchObject({
    createdAt: '1970-01-01T00:00:02.000Z',
    lastUpdatedAt: '1970-01-01T00:00:02.000Z',
  });
});
