import { Extract } from '../../recipes/schema.ts';
import type { NamedField } from './candidate.ts';

/** Checks what a finder writes against the schema of recipes, so that no wrong recipe is tried. */
export const toExtract =
  (write: (fields: readonly NamedField[]) => unknown) =>
  (fields: readonly NamedField[]): Extract =>
    Extract.parse(write(fields));
