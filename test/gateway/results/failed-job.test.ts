/** What a failed job says to do next. */
import { expect, it } from 'vitest';
import { endBody, getEnd } from '../../../src/gateway/results/job-body.ts';

const request = {
  website_url: 'https://site.example/list',
  goal: 'List "things"',
  visibility: 'private',
  force: true,
};
const bodyOf = (error: { code: string; message: string; [member: string]: unknown }) =>
  endBody('job', { status: 'failed', credits_used: 0, error }, { budget: 20_000, textLength: 0 });

it('offers to rebuild an own action in place where its site has changed, with the price', () => {
  const error = { code: 'SITE_CHANGED', message: 'It has changed', rebuild: { ...request, credits: 25 } };
  expect(bodyOf(error).next).toContain(`request_build ${JSON.stringify(request)} (25 credits`);
});

it('offers no rebuild where the action is not an own one', () => {
  for (const error of [
    { code: 'SITE_CHANGED', message: 'It has changed' },
    { code: 'EXECUTION_FAILED', message: 'No', rebuild: request },
  ])
    expect(bodyOf(error).next).not.toContain('request_build');
});

it.each([
  ['The site could not be reached, or the connection broke', /run the action again in some minutes/],
  ['The site is busy (HTTP status 503)', /run the action again in some minutes/],
  ['The site has no page at this address (HTTP status 404)', /check the param that names the page/],
  ['The address is not on the default port, so it is not fetched', /a public http or https page/],
  ['The robots.txt of the site asks programs not to fetch this page', /does not allow programs/],
  ['The result is larger than 15 MiB: use narrower params', /params that return less/],
  ['The page has no article; it may have changed', /give another page/],
  ['Something else', /check the params/],
])('says what to do about its cause: %s', (message, next) => {
  expect(bodyOf({ code: 'EXECUTION_FAILED', message }).next).toMatch(next);
});

it.each([
  [{ status: 'failed', credits_used: 0 }, true],
  // The specification: failed runs are refunded, whatever the answer counts.
  [{ status: 'failed' }, true],
  [{ status: 'aborted', credits_used: 0 }, true],
  [{ status: 'aborted', credits_used: 5 }, false],
  [{ status: 'aborted' }, false],
])('says that the credits came back only where that is known: %o', (job, isRefunded) => {
  const error = { code: 'EXECUTION_FAILED', message: 'No' };
  const body = endBody('job', { ...job, error }, { budget: 20_000, textLength: 0 });
  expect(body.status).toBe('failed');
  expect(String(body.next).includes('The credits were refunded')).toBe(isRefunded);
});

it.each([
  ['processing', { data: 1, error: { code: 'A', message: '' } }, undefined],
  ['done', { data: [] }, 'completed'],
  ['done', { data: null }, undefined],
  ['done', {}, undefined],
  ['done', { error: { code: 'A', message: '' }, data: 1 }, 'failed'],
  ['completed', { error: { code: 'A', message: '' } }, 'completed'],
])('knows whether a job of status "%s" has ended: %o', (status, members, end) => {
  expect(getEnd({ status, ...members })).toBe(end);
});
