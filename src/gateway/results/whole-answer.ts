/** A whole result, read in a worker process because it is large: what stands beside its data, and a preview of them. */
import { gunzipSync } from 'node:zlib';
import { type ResultShape, shapeOf } from '../../compare/shape.ts';
import { parseJson } from '../../contract/exact-json.ts';
import { exceededLimit, maxJsonDepth } from '../../contract/json-limits.ts';
import { dataLength, type ShownData, show } from './preview.ts';

export interface WholeTask {
  readonly kind: 'whole';
  /** The service's answer as it is kept: gzipped JSON text. */
  readonly gzip: Uint8Array;
  /** Characters of data to show. */
  readonly budget: number;
}

export interface WholeAnswer {
  /** The answer, with an empty object in the place of its data; null where it is no object. */
  readonly head: unknown;
  /** Characters of the whole JSON text. */
  readonly chars: number;
  readonly shown?: ShownData | undefined;
  /** Of the data. */
  readonly shape?: ResultShape | undefined;
}

/** Bare data is wrapped into a job, which adds one level. */
const maxDepth = maxJsonDepth + 1;

/** Throws a `SyntaxError` for what is no JSON, and a `RangeError` for JSON that is nested too deeply. */
export function readWhole({ gzip, budget }: WholeTask): WholeAnswer {
  const text = gunzipSync(gzip).toString('utf8');
  if (exceededLimit(text, { depth: maxDepth }) !== undefined)
    throw new RangeError(`JSON nested more than ${maxJsonDepth} levels deep`);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { head: null, chars: text.length };
  const { data = null, ...others }: { data?: unknown } = value;
  const head = { ...others, ...(data !== null && { data: {} }) };
  return {
    head,
    chars: text.length,
    shape: shapeOf(data),
    shown: tryShow(data, budget, dataLength(head, text)),
  };
}

/** What cannot be shown is an answer all the same. */
function tryShow(...[data, budget, textLength]: Parameters<typeof show>): ShownData | undefined {
  try {
    return show(data, budget, textLength);
  } catch {
    return undefined;
  }
}
