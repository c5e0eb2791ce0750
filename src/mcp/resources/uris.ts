/** The addresses of resources: `svc://catalogs`, `svc://jobs/{id}`, `svc://watches/{id}` and the others below. */

export type ResourceAddress =
  | { readonly kind: 'catalogs' }
  | { readonly kind: 'catalog'; readonly slug: string }
  | { readonly kind: 'job'; readonly id: string; readonly format?: 'csv' }
  | { readonly kind: 'watches' }
  | { readonly kind: 'watch'; readonly id: string };

export const catalogsUri = 'svc://catalogs';
export const catalogTemplate = 'svc://catalogs/{slug}';
export const jobTemplate = 'svc://jobs/{id}';
export const jobCsvTemplate = 'svc://jobs/{id}.csv';
export const watchesUri = 'svc://watches';
export const watchTemplate = 'svc://watches/{id}';

export const maxAddressLength = 1_000;
const maxIdLength = 100;
const loneSurrogate = /\p{Cs}/u;
const pattern = /^svc:\/\/(catalogs|jobs|watches)\/([^/?#]+)$/;

/** Undefined for an id that no address can carry. */
export function jobUri(id: string): string | undefined {
  return isName(id) && id.length <= maxIdLength
    ? `svc://jobs/${encodeURIComponent(id).replace(/\.csv$/, '%2Ecsv')}`
    : undefined;
}

export const watchUri = (id: string): string => `${watchesUri}/${encodeURIComponent(id)}`;

export const isWatchAddress = (uri: string): boolean => {
  const kind = readAddress(uri)?.kind;
  return kind === 'watch' || kind === 'watches';
};

/** Undefined if it is no address of a resource. */
export function readAddress(uri: string): ResourceAddress | undefined {
  if (uri === catalogsUri) return { kind: 'catalogs' };
  if (uri === watchesUri) return { kind: 'watches' };
  const [, folder, encoded = ''] = (uri.length <= maxAddressLength && pattern.exec(uri)) || [];
  const name = decoded(encoded);
  if (folder === undefined || name === undefined || !isName(name)) return undefined;
  if (folder === 'catalogs') return { kind: 'catalog', slug: name };
  if (folder === 'watches') return { kind: 'watch', id: name };
  // An id that ends like this has an encoded dot.
  const id = encoded.endsWith('.csv') ? name.slice(0, -'.csv'.length) : '';
  return isName(id) ? { kind: 'job', id, format: 'csv' } : { kind: 'job', id: name };
}

/** Dots alone name folders, in addresses and at the service; no database takes NUL. */
const isName = (text: string) =>
  !['', '.', '..'].includes(text) && !loneSurrogate.test(text) && !text.includes('\0');

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
