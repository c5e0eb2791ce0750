import type { RateLimits } from '../http/rate-limits.ts';
import type { Context } from '../operations/context.ts';
import type { GuardOptions } from './guard.ts';

export interface ConsoleOptions extends GuardOptions {
  readonly context: Context;
  readonly rateLimits: RateLimits;
}
