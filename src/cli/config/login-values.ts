/** Logins in the environment: `SVC_LOGIN_<SLUG>_<FIELD>`, or `…_FILE` with the path of a file that holds the value. */
import type { LoginValue } from '../../gateway/accounts/login.ts';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import type { NextStep } from '../../gateway/interface/next-step.ts';
import { readRegularFileSync, toText } from '../../store/regular-file.ts';

/** Upper case, and `_` for every other character than letters and digits. */
export const loginVariable = (slug: string, field: string): string =>
  `SVC_LOGIN_${slug}_${field}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');

export function loginValues(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => toText(readRegularFileSync(path)),
): LoginValue {
  return (slug, field) => {
    const name = loginVariable(slug, field);
    const direct = environment[name] || undefined;
    const path = environment[`${name}_FILE`] || undefined;
    if (path === undefined) return direct;
    if (direct !== undefined) throw unreadable(`${name} and ${name}_FILE are both set`, 'removing-one');
    try {
      // An editor ends a file with a line break; a password may end with a space.
      return readFile(path).replace(/\r?\n$/, '');
    } catch {
      throw unreadable(`The file that ${name}_FILE names cannot be read`, 'mending-file');
    }
  };
}

function unreadable(message: string, by: NextStep<'correct-login-values'>['by']): GatewayError {
  return new GatewayError('LOGIN_VALUES_UNREADABLE', `${message}. Nothing was sent.`, {
    kind: 'correct-login-values',
    by,
  });
}
