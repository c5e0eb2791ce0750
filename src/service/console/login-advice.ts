import type { LoginErrorCode } from '../../contract/errors.ts';

/** What went wrong with a sign-in and what to do, for the person at the form (specification: Errors, Login). */
export const loginAdvice: Readonly<Record<LoginErrorCode, string>> = {
  INVALID_BODY: 'The form data is incomplete. Open the page again.',
  INVALID_INPUT: 'The account’s name is too long. Choose a shorter one.',
  INVALID_PARAMS: 'Fill in every field that is not marked as optional.',
  CATALOG_NOT_FOUND: 'This site is no longer in the catalogs.',
  LOGIN_NOT_SUPPORTED: 'This site does not support signing in with a form.',
  LOGIN_NOT_AVAILABLE: 'This service is not configured to sign in to sites. Ask its operator.',
  LOGIN_TRANSPORT_ERROR: 'The service could not complete the sign-in. Try again in a minute.',
  BAD_PASSWORD:
    'The site did not accept what you typed. Check the user name and the password, and try again.',
  MFA_REQUIRED: 'The account asks for a second factor, which is not supported. Use an account without one.',
  CAPTCHA_REQUIRED:
    'The site asks you to prove that you are a person. Sign in there with your own browser once, then try again later.',
  ACCOUNT_LOCKED: 'The site says that this account is locked. Unlock it there first.',
  LOGIN_TIMEOUT: 'The site took too long. Try again in a minute.',
  LOGIN_PAGE_CHANGED:
    'The site’s sign-in page has changed, so signing in does not work until the catalog is updated.',
  LOGIN_NO_COOKIES:
    'The site let you in but started no session. Try again; if it happens again, the catalog needs an update.',
  LOGIN_INFRASTRUCTURE_ERROR: 'The site could not be reached or is busy. Try again in a minute.',
  LOGIN_FAILED: 'The sign-in did not work, and the site does not say why. Try again in a minute.',
};
