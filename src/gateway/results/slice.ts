/** Lossless paging through a result: exactly the elements or characters asked for, as many as fit the budget. */
import { splitsPair, wholeCharacters } from '../foundation/text.ts';
import type { ViewRequest } from '../interface/outcomes.ts';
import { preview } from './preview.ts';

export type SliceRequest = Omit<ViewRequest, 'format'>;

export interface Slice {
  readonly data: unknown;
  /** Where the slice stands; `next_offset` is null at the end. Only for arrays and strings. */
  readonly page?: { readonly offset: number; readonly total: number; readonly next_offset: number | null };
  /** The path of what is paged, where it is not the one that was asked for. */
  readonly path?: string;
  /** Something in the slice was too large by itself: where the rest begins, and its size in characters of JSON. */
  readonly tooLarge?: {
    readonly path: string;
    readonly offset: number;
    readonly totalChars: number;
    readonly alsoCut?: readonly string[] | undefined;
  };
}

/** A slice of the value that `path` led to. */
export function toSlice(value: unknown, request: SliceRequest, budget: number): Slice {
  const offset = request.offset ?? 0;
  if (Array.isArray(value)) return sliceArray(value, request, offset, budget);
  if (typeof value === 'string') return sliceString(value, request.limit, offset, budget);
  return fitting(value, request.select || '@', budget);
}

function sliceArray(value: readonly unknown[], request: SliceRequest, offset: number, budget: number): Slice {
  const requested = value.slice(offset, offset + (request.limit ?? value.length));
  const part: unknown[] = [];
  let usedChars = 2;
  for (const element of requested) {
    const size = JSON.stringify(element).length + 1;
    if (usedChars + size > budget) break;
    part.push(element);
    usedChars += size;
  }
  const first = requested[0];
  if (part.length === 0 && requested.length > 0) {
    const large = fitting(first, `${request.select || '@'} | [${offset}]`, budget);
    return { ...large, data: [large.data], page: partPage(offset, 1, value.length) };
  }
  return { data: part, page: partPage(offset, part.length, value.length) };
}

function sliceString(value: string, limit: number | undefined, offset: number, budget: number): Slice {
  // A page that starts in the middle of a character would begin with half of it.
  const start = splitsPair(value, offset) ? offset - 1 : offset;
  let part = wholeCharacters(value.slice(start), Math.min(limit ?? budget, budget));
  while (part.length > 1 && JSON.stringify(part).length - 2 > budget) {
    part = wholeCharacters(part, Math.floor(part.length / 2));
  }
  // One character outside the basic plane takes two places: a limit of one still makes progress.
  if (part === '' && start < value.length && (limit ?? 1) > 0) part = value.slice(start, start + 2);
  return { data: part, page: partPage(start, part.length, value.length) };
}

/** All of a value, or a preview and where its rest begins. */
export function fitting(value: unknown, path: string, budget: number): Slice {
  const totalChars = JSON.stringify(value).length;
  if (totalChars <= budget) return { data: value };
  const { data, cut, alsoCut } = preview(value, budget);
  if (cut === undefined) return { data, tooLarge: { path, offset: 0, totalChars } };
  // An object's members are previewed in a different order than its items have.
  const offset = cut.kind === 'object' ? 0 : cut.shownCount;
  return { data, tooLarge: { path: joined(path, cut.path, cut.kind), offset, totalChars, alsoCut } };
}

/** An object is read by its `items()`: pairs of name and value, which can be paged like any array. */
function joined(path: string, below: string, kind: 'array' | 'string' | 'object'): string {
  const end = kind === 'object' ? `items(${below === '' ? '@' : below})` : below;
  if (path === '@') return end === '' ? '@' : end;
  return end === '' ? path : `${path} | ${end}`;
}

export const partPage = (offset: number, part: number, total: number) => ({
  offset,
  total,
  next_offset: offset + part < total ? offset + part : null,
});
