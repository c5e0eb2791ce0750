/** JSON objects and how JMESPath writes their keys. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const identifier = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));

/** The path of an object's key; the object's path is empty for the whole value. */
export const toPath = (path: string, key: string): string =>
  path === '' ? identifier(key) : `${path}.${identifier(key)}`;
