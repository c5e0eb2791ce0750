/** How goals are read, in many manners and languages. */
import { describe, expect, test } from 'vitest';
import { readGoal } from '../../../src/service/builder/goal.ts';
import { goals } from './goals.ts';

const listOf = (text: string) => text.split(/[,\s]+/).filter((word) => word !== '');

describe.each(Object.entries(goals))('%s', (_, lines) => {
  const rows = lines
    .trim()
    .split('\n')
    .map((line) => {
      const at = line.lastIndexOf(' =>');
      const [fields = '', subject = '', many = ''] = line.slice(at + 3).split('|');
      return {
        goal: line.slice(0, at).replaceAll('¶', '\n'),
        fields,
        subject,
        many: many.trim(),
      };
    });
  test.each(rows)('$goal', ({ goal, fields, subject, many }) => {
    const read = readGoal(goal);
    const asked = read.fields.filter(({ optional }) => optional !== true);
    expect({
      fields: asked.map(({ name, ifAny }) => `${name}${ifAny === true ? '*' : ''}`),
      subject: [...read.subject].sort(),
      many: read.many === undefined ? 'open' : read.many ? 'many' : 'one',
    }).toEqual({ fields: listOf(fields), subject: listOf(subject).sort(), many });
  });
});
