/** What went wrong with a sign-in, for the person who typed: at the sign-in page of the gateway, and in the console. */
import { type LoginErrorCode, loginErrors } from './errors.ts';

interface LoginText {
  readonly message: string;
  /** The one next step. */
  readonly advice: string;
  /** In the web console, where that is another one. */
  readonly adviceInConsole?: string;
}

const tryAgain = 'Try again in a minute.';

/** For each code of the login table (specification: Errors, Login). */
export const loginTexts: Readonly<Record<LoginErrorCode, LoginText>> = {
  INVALID_BODY: { message: 'The service could not read the request.', advice: tryAgain },
  INVALID_INPUT: { message: 'The catalog or the fields are missing in the request.', advice: tryAgain },
  INVALID_PARAMS: {
    message: 'A required field is missing or empty.',
    advice: 'Fill in every required field and try again.',
  },
  CATALOG_NOT_FOUND: {
    message: 'There is no such catalog.',
    advice: 'Close this page: there is nothing to sign in to.',
  },
  LOGIN_NOT_SUPPORTED: {
    message: 'This catalog has no sign-in with user name and password.',
    advice: 'Connect the account in the web console of the service instead.',
    adviceInConsole: 'Connect the account in a browser window, where this page offers one.',
  },
  LOGIN_NOT_AVAILABLE: {
    message: 'The service has sign-in switched off.',
    advice: 'Ask whoever runs the service to switch it on.',
  },
  LOGIN_TRANSPORT_ERROR: { message: 'The service could not reach its sign-in runner.', advice: tryAgain },
  BAD_PASSWORD: {
    message: 'The site rejected the user name or the password.',
    advice: 'Check both and try again; several wrong tries may lock the account.',
  },
  MFA_REQUIRED: {
    message: 'The account asks for a second factor, which is not supported.',
    advice:
      'Use an account without a second factor, or connect this one in a browser window, where the web console of the service offers one.',
    adviceInConsole:
      'Use an account without a second factor, or connect this one in a browser window, where this page offers one.',
  },
  CAPTCHA_REQUIRED: {
    message: 'The site asks for a captcha.',
    advice: 'Wait some minutes and try again.',
  },
  ACCOUNT_LOCKED: {
    message: 'The site says that the account is locked.',
    advice: 'Unlock it on the site first, then try again here.',
  },
  LOGIN_TIMEOUT: { message: 'The sign-in took too long.', advice: tryAgain },
  LOGIN_PAGE_CHANGED: {
    message: "The site's sign-in page has changed.",
    advice: 'Trying again will not help; tell whoever runs the service.',
  },
  LOGIN_NO_COOKIES: {
    message: 'The site accepted the sign-in but started no session.',
    advice: tryAgain,
  },
  LOGIN_INFRASTRUCTURE_ERROR: { message: 'A temporary fault stopped the sign-in.', advice: tryAgain },
  LOGIN_FAILED: {
    message: 'The sign-in failed for a reason the service does not know.',
    advice: 'Check on the site itself that the account works, then try again.',
  },
};

export const isLoginCode = (code: string): code is LoginErrorCode => Object.hasOwn(loginErrors, code);
