/** The inputs of a batch, each read as a single call would read it. */
import { GatewayError } from '../foundation/errors.ts';
import type { JsonObject } from '../interface/outcomes.ts';

const maxPlaces = 10;
const maxIssues = 50;

type Wrong = { readonly index: number; readonly error: GatewayError };

/** Rejects with a `GatewayError` that has the issues of all inputs that are wrong; the place of one is that in the batch. */
export async function eachInput<Value>(
  batch: readonly JsonObject[],
  read: (input: JsonObject) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const wrong: Wrong[] = [];
  for (const [index, input] of batch.entries()) {
    try {
      values.push(await read(input));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      wrong.push({ index, error });
    }
  }
  const [first, ...others] = wrong;
  if (first !== undefined) throw placedError(first, others);
  return values;
}

function placedError(first: Wrong, others: readonly Wrong[]): GatewayError {
  const { code, message, issues: _issues, ...extra } = first.error.body.error;
  const issues = [first, ...others].flatMap(placedIssues);
  const places = others.slice(0, maxPlaces).map(({ index }) => index + 1);
  const more = others.length > maxPlaces ? ` and ${others.length - maxPlaces} more` : '';
  const also = others.length === 0 ? '' : ` Also wrong: input ${places.join(', ')}${more}; see issues.`;
  return new GatewayError(
    { service: code },
    `Input ${first.index + 1} of the batch: ${message}${also}`,
    first.error.body.next,
    { ...extra, issues: issues.slice(0, maxIssues) },
  );
}

function placedIssues({ index, error }: Wrong): JsonObject[] {
  const { issues, message } = error.body.error;
  const own: readonly JsonObject[] = Array.isArray(issues) && issues.length > 0 ? issues : [{ message }];
  return own.map((issue) => ({ ...issue, path: [`batch[${index}]`, issue.path].filter(Boolean).join('.') }));
}
