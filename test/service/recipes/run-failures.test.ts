/** What a failed run says of the site that failed it. */
import { expect, it } from 'vitest';
import { statusFailure } from '../../../src/service/recipes/run-failures.ts';

it('when a busy site asks to be called again is said, where that is more than a moment', () => {
  const later = new Date(Date.now() + 2 * 86_400_000);
  expect(statusFailure(429, later.toUTCString()).message).toContain(
    `wait until ${later.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  );
  expect(statusFailure(429, '3600').message).toMatch(/wait until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  for (const header of ['', '5', 'soon', '-1', '99999999999'])
    expect(statusFailure(429, header).message).not.toContain('wait until');
  expect(statusFailure(403, '3600').message).not.toContain('wait until');
});
