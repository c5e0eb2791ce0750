import { expect, it } from 'vitest';
import { fieldLabel } from '../../src/contract/login-fields.ts';

it.each([
  ['username', 'User name; demo on the practice site', 'Username', 'demo on the practice site'],
  ['password', 'Password', 'Password', ''],
  ['account_id', 'The number on your card', 'Account id', 'The number on your card'],
  ['email', '', 'Email', ''],
  ['e-mail', 'Email, as you registered', 'E mail', 'as you registered'],
])(
  'a person is asked for %s (%j) by its name, with what more there is to say',
  (name, description, label, hint) => {
    expect(fieldLabel(name, description)).toEqual({ label, hint });
  },
);
