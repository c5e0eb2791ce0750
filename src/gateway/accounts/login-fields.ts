/** The fields of a login form: which are secret, what a typed text means, what the environment holds for them. */
import type { LoginField } from '../../contract/resources.ts';
import type { JsonObject } from '../interface/outcomes.ts';

/** Reads one value of a login from the environment; throws a `GatewayError` if it is set but cannot be read. */
export type LoginValue = (catalogSlug: string, fieldName: string) => string | undefined;

const secretType = /pass|secret|token|pin|otp|code|key/i;
const secretName = /pass|pwd|secret|token|pin$|^pin|otp|code|api_?key|credential/i;

/** Whether what is typed must not be shown: by the field's type, else by its name. */
export const isSecretField = ({ type, name }: LoginField): boolean =>
  secretType.test(type) || secretName.test(name);

/** A text as the value of its field: numbers and booleans where the field is one. */
export function typedValue({ type }: LoginField, text: string): unknown {
  if (/^bool/i.test(type)) return ['true', 'on', 'yes', '1'].includes(text.toLowerCase());
  if (/^(number|integer|int|float)$/i.test(type) && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text);
  }
  return text;
}

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
