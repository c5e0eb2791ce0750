/** Lossless paging through a result: exactly the elements or characters asked for, as many as fit the budget. */
import { type JSONValue, search } from '@jmespath-community/jmespath';
import { preview, splitsPair, wholeCharacters } from './preview.ts';

export interface SliceRequest {
  /** JMESPath into the whole data. */
  readonly path?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface Slice {
  readonly data: unknown;
  /** Where the slice stands; `next_offset` is null at the end. Only for arrays and strings. */
  readonly page?: { readonly offset: number; readonly total: number; readonly next_offset: number | null };
  /** Something in the slice was too large by itself: where it is, and its size in characters of JSON. */
  readonly tooLarge?: { readonly path: string; readonly totalChars: number };
}

/** The path cannot be read; `message` says why. */
export class PathError extends Error {}

const maxPathChars = 1_000;

export function sliceOf(data: unknown, request: SliceRequest, budget: number): Slice {
  const value = pathOf(request) === '@' ? data : valueAt(data, pathOf(request));
  const offset = request.offset ?? 0;
  if (Array.isArray(value)) return sliceArray(value, request, offset, budget);
  if (typeof value === 'string') return sliceString(value, request.limit, offset, budget);
  return fitting(value, pathOf(request), budget);
}

/** A job's data came out of a JSON parser, so it is JSON unless it is missing. */
const isJson = (data: unknown): data is JSONValue => data !== undefined;
const pathOf = (request: SliceRequest) => request.path?.trim() || '@';

function valueAt(data: unknown, path: string): unknown {
  if (path.length > maxPathChars) throw new PathError(`longer than ${maxPathChars} characters`);
  try {
    return isJson(data) ? (search(data, path) ?? null) : null;
  } catch (error) {
    throw new PathError(error instanceof Error ? error.message : 'not a JMESPath expression');
  }
}

function sliceArray(value: readonly unknown[], request: SliceRequest, offset: number, budget: number): Slice {
  const asked = value.slice(offset, offset + (request.limit ?? value.length));
  const shown: unknown[] = [];
  let used = 2;
  for (const element of asked) {
    const size = JSON.stringify(element).length + 1;
    if (used + size > budget) break;
    shown.push(element);
    used += size;
  }
  const first = asked[0];
  if (shown.length === 0 && asked.length > 0) {
    const large = fitting(first, `${pathOf(request)} | [${offset}]`, budget);
    return { ...large, data: [large.data], page: page(offset, 1, value.length) };
  }
  return { data: shown, page: page(offset, shown.length, value.length) };
}

function sliceString(value: string, limit: number | undefined, offset: number, budget: number): Slice {
  // A page that starts in the middle of a character would begin with half of it.
  const start = splitsPair(value, offset) ? offset - 1 : offset;
  let shown = wholeCharacters(value.slice(start), Math.min(limit ?? budget, budget));
  while (shown.length > 1 && JSON.stringify(shown).length - 2 > budget) {
    shown = wholeCharacters(shown, Math.floor(shown.length / 2));
  }
  // One character outside the basic plane takes two places: a limit of one still makes progress.
  if (shown === '' && start < value.length && (limit ?? 1) > 0) shown = value.slice(start, start + 2);
  return { data: shown, page: page(start, shown.length, value.length) };
}

function fitting(value: unknown, path: string, budget: number): Slice {
  const totalChars = JSON.stringify(value).length;
  if (totalChars <= budget) return { data: value };
  const { data, cut } = preview(value, budget);
  return {
    data,
    tooLarge: { path: cut === undefined ? path : joined(path, cut.path, cut.kind), totalChars },
  };
}

/** An object is read by its `items()`: pairs of name and value, which can be paged like any array. */
function joined(path: string, below: string, kind: 'array' | 'string' | 'object'): string {
  const end = kind === 'object' ? `items(${below === '' ? '@' : below})` : below;
  if (path === '@') return end === '' ? '@' : end;
  return end === '' ? path : `${path} | ${end}`;
}

const page = (offset: number, shown: number, total: number) => ({
  offset,
  total,
  next_offset: offset + shown < total ? offset + shown : null,
});
