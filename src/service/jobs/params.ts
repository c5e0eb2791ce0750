/** The params of a job, as the submission stored them. */
import * as z from 'zod';

const Params = z.record(z.string(), z.unknown());

export const parseParams = (json: string | null): Readonly<Record<string, unknown>> =>
  Params.parse(JSON.parse(json ?? '{}'));
