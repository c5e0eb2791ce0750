/** Headings for the errors that people meet most, in the console and in the views. */
export const errorTitles: Readonly<Record<string, string>> = {
  AUTH_EXPIRED: 'The sign-in has expired',
  AUTH_REQUIRED: 'A sign-in is needed',
  BUDGET_EXCEEDED: 'This would exceed a limit',
  CONFIRMATION_UNAVAILABLE: 'This needs your consent',
  IDENTITY_NOT_FOUND: 'There is no such account',
  INSUFFICIENT_CREDITS: 'There are too few credits',
  INVALID_PARAMS: 'The params need a correction',
  PAGE_BLOCKED: 'The site asks for proof that a person reads it',
  PRICE_CHANGED: 'The price has changed',
  SITE_CHANGED: 'The website has changed',
};
