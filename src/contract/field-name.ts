/** A name for a field of a choice, made from a column's label: letters, digits and `_`; empty where the label has none. */
export const fieldName = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\p{N})/u, '_')
    .slice(0, 40);
