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

/**
 * How a person is asked for a field: `Username` for `username`, and as a hint what the description says beyond that, as it is
 * written: after `User name;` comes perhaps a name.
 */
export function fieldLabel(
  name: string,
  description: string,
): { readonly label: string; readonly hint: string } {
  const label = name.replace(/[_-]+/g, ' ').replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const [start = '', rest = ''] = description.split(/[;:,.]\s*(.*)/s, 2);
  return { label, hint: letters(start) === letters(label) ? rest : description };
}
