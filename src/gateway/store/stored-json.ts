/** What the gateway stores as JSON text, read back. Each throws where the text is not what was written. */
import * as z from 'zod';
import type { ErrorDetail, JsonObject } from '../interface/outcomes.ts';

const StoredError = z.looseObject({ code: z.string(), message: z.string() });
const StoredObject = z.record(z.string(), z.unknown());

export const parseError = (text: string): ErrorDetail => StoredError.parse(JSON.parse(text));

/** Params of a run, or a body. */
export const parseObject = (text: string): JsonObject => StoredObject.parse(JSON.parse(text));
