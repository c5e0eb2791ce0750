/** JSON text never starts with gzip's first byte. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f;
