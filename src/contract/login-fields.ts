/** The fields of a login: which are secret, and what a typed text means. */
import type { LoginField } from './resources.ts';

const secretType = /pass|secret|token|pin|otp|code|key/i;
const secretName = /pass|pwd|secret|token|pin$|^pin|otp|code|api_?key|credential/i;

/** Whether what is typed must not be shown: by the field's type, else by its name. */
export const isSecretField = ({ type, name }: LoginField): boolean =>
  secretType.test(type) || secretName.test(name);

export const isSwitchField = ({ type }: LoginField): boolean => /^bool/i.test(type);

/** A text as the value of its field: numbers and booleans where the field is one. */
export function typedValue(field: LoginField, text: string): unknown {
  if (isSwitchField(field)) return ['true', 'on', 'yes', '1'].includes(text.toLowerCase());
  if (/^(number|integer|int|float)$/i.test(field.type) && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  return text;
}
