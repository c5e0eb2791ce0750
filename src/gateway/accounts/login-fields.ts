/** What the environment holds for the fields of a login. */
import { typedValue } from '../../contract/login-fields.ts';
import type { LoginField } from '../../contract/resources.ts';
import type { JsonObject } from '../interface/outcomes.ts';

/** Reads one value of a login from the environment; throws a `GatewayError` if it is set but cannot be read. */
export type LoginValue = (catalogSlug: string, fieldName: string) => string | undefined;

/** The environment's values, if all required ones exist; undefined where a person must be asked. */
export function getLoginValues(
  slug: string,
  fields: readonly LoginField[],
  read: LoginValue | undefined,
): JsonObject | undefined {
  if (read === undefined) return undefined;
  const values = fields.map((field) => ({ field, text: read(slug, field.name) || undefined }));
  const setValues = values.flatMap(({ field, text }) =>
    text === undefined ? [] : [[field.name, typedValue(field, text)] as const],
  );
  if (setValues.length === 0 || values.some(({ field, text }) => field.required && text === undefined)) {
    return undefined;
  }
  return Object.fromEntries(setValues);
}
