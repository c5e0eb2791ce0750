/** What all views show of an answer that failed or is not there yet. */
import { errorTitles } from '../contract/error-titles.ts';
import { creditsText } from '../contract/price.ts';
import { button, element, visible, webAddress } from './elements.ts';
import type { Body } from './host-connection.ts';
import type { OpenLink } from './values.ts';

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const body = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What an answer costs; where an earlier one told the cost of its job, that stands beside it. */
export function answerCost({ credits_used: told, job_credits: cost }: Body): string | undefined {
  if (typeof told !== 'number') return undefined;
  const isEarlier = typeof cost === 'number' && cost !== told;
  return isEarlier ? `${creditsText(told)}; the job cost ${creditsText(cost)}` : creditsText(told);
}

function describeStatus(status: unknown): string {
  if (status === 'failed') return 'The run failed';
  return status === 'unknown' ? 'The outcome is not known' : 'This did not work';
}

/** The error of an answer with what a person can do; undefined where there is none. */
export function createProblem(answer: Body, openLink: OpenLink): HTMLElement | undefined {
  const error = body(answer.error);
  const message = text(error.message);
  if (message === undefined) return undefined;
  const issues = toList(error.issues).map(describeIssue);
  const address = webAddress(text(error.login_url) ?? text(error.connect_url) ?? '');
  return element(
    'div',
    { class: 'message bad', role: 'alert' },
    element('h2', {}, errorTitles[text(error.code) ?? ''] ?? describeStatus(answer.status)),
    element('p', {}, visible(message)),
    ...(issues.length === 0 ? [] : [element('ul', {}, ...issues.map((issue) => element('li', {}, issue)))]),
    ...nextStep(text(answer.next), issues.length > 0, address, openLink),
  );
}

/** The answer's own next step is for a model; a sign-in and a list of issues speak to the person instead. */
function nextStep(
  next: string | undefined,
  hasIssues: boolean,
  address: string | undefined,
  openLink: OpenLink,
): HTMLElement[] {
  if (address !== undefined)
    return [
      element(
        'p',
        { class: 'sending' },
        button('Sign in', () => openLink(address)),
      ),
      element('p', { class: 'quiet' }, 'Ask for the same again when you are signed in.'),
    ];
  return next === undefined || hasIssues ? [] : [element('p', { class: 'quiet' }, visible(next))];
}

function describeIssue(value: unknown): string {
  const issue = body(value);
  const path = text(issue.path) ?? '';
  const message = text(issue.message) ?? '';
  const allowed = toList(issue.allowed).map(String);
  const sentence = message.includes(path) ? message : `${path} ${message}`;
  return visible(allowed.length === 0 ? sentence : `${sentence} (allowed: ${allowed.join(', ')})`);
}

/** Facts as terms, without those that are undefined. */
export function facts(entries: Readonly<Record<string, string | undefined>>): HTMLElement {
  const shown = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [element('div', {}, element('dt', {}, name), element('dd', {}, element('bdi', {}, visible(value))))],
  );
  return element('dl', { class: 'facts' }, ...shown);
}
