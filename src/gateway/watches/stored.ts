/** What is kept of watches, read. */
import * as z from 'zod';
import type { ErrorDetail } from '../interface/outcomes.ts';
import { parseError } from '../paid/call-identity.ts';
import type { WatchRow } from '../store/schema.ts';

/** From so many failures in a row a watch is failing, which is told once. */
export const failingFrom = 3;

const Names = z.array(z.string());

/** Throws where the text is not what was written. */
export const parseNames = (text: string): readonly string[] => Names.parse(JSON.parse(text));

export const parseProblem = (text: string | null): ErrorDetail | undefined =>
  text === null ? undefined : parseError(text);

/** Whether the watch still runs by its schedule. */
export const isServed = ({ state }: Pick<WatchRow, 'state'>): boolean =>
  state === 'active' || state === 'failing';
