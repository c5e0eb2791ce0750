/** JSON text never starts with gzip's first byte. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f;

/** Bytes of a JSON text, gzipped or not; gzip writes them at its end. */
export const countJsonBytes = (bytes: Uint8Array): number =>
  isGzip(bytes) ? Buffer.from(bytes.subarray(-4)).readUInt32LE() : bytes.length;
