/** What is kept of watches, read. */
import * as z from 'zod';
import type { WatchRow } from '../store/schema.ts';

const Names = z.array(z.string());

/** Throws where the text is not what was written. */
export const parseNames = (text: string): readonly string[] => Names.parse(JSON.parse(text));

/** Whether the watch still runs by its schedule. */
export const isServed = ({ state }: Pick<WatchRow, 'state'>): boolean =>
  state === 'active' || state === 'failing';
