/**
 * Values that both engines take. The SQLite binding aborts the whole process on a boolean and cuts text at NUL;
 * PostgreSQL refuses both for the columns we use. This is the only place that checks them.
 */
export function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  if (value === null || typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new TypeError('Text with a NUL character cannot be stored');
    return value;
  }
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`A ${value instanceof Date ? 'Date' : typeof value} cannot be stored as it is`);
}
