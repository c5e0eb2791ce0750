/** How far a group has come. */
import type { GroupRow } from '../store/schema.ts';
import { isPlanned, isUnderWay, wasDropped } from '../store/states.ts';
import type { Member } from './group-rows.ts';

export interface GroupState {
  readonly state: 'under-way' | 'completed' | 'failed';
  /** Rows that have ended, and those of them that completed. */
  readonly ended: number;
  readonly completed: number;
  /** When the last of them ended, in milliseconds since the epoch; undefined while it is under way. */
  readonly endedAt: number | undefined;
}

export function getGroupState({ stopped }: GroupRow, members: readonly Member[]): GroupState {
  const rows = members.map(({ row }) => row).filter((row) => row !== undefined);
  const completed = rows.filter(({ outcome }) => outcome === 'completed').length;
  const running = rows.filter(isUnderWay).length;
  const planned = rows.filter(isPlanned).length;
  const isGoing = running > 0 || (planned > 0 && stopped === null);
  const ends = rows.map(({ finished_at }) => finished_at).filter((at) => at !== null);
  return {
    state: isGoing ? 'under-way' : completed > 0 ? 'completed' : 'failed',
    ended: rows.length - running - planned,
    completed,
    endedAt: isGoing || ends.length === 0 ? undefined : Math.max(...ends),
  };
}

/** Whether nothing of the input was sent, by now. */
export const wasNotSent = ({ member, row }: Member): boolean =>
  member.row_id === null || (row !== undefined && (isPlanned(row) || wasDropped(row)));
