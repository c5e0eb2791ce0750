/** Orders and quotes as tests of the paid rows take them. */

import { fixedPrice } from '../../src/gateway/catalog/prices.ts';
import { GatewayError } from '../../src/gateway/foundation/errors.ts';
import type { PaidCall } from '../../src/gateway/paid/call-identity.ts';
import type { Order, Quote } from '../../src/gateway/paid/order.ts';
import type { Insertion } from '../../src/gateway/paid/order-rows.ts';
import type { SpendLimits } from '../../src/gateway/paid/spending-limits.ts';

export const createCall = (page = 1) =>
  ({ kind: 'run', subject: 'shop-list', params: { page }, credentialId: undefined }) satisfies PaidCall;

/** One call that costs 5 credits; nothing sends it. */
export const createOrder = (more: Partial<Order> = {}): Order => ({
  ...createCall(),
  account: null,
  name: 'List',
  listed: fixedPrice(5),
  resubmit: false,
  submitWithinMs: 30_000,
  announcement: 'Submitting List',
  send: () => Promise.reject(new Error('It is not sent')),
  refusal: () => new GatewayError('EXECUTION_FAILED', 'It is not sent', { kind: 'retry', when: 'now' }),
  ...more,
});

/** What a call is quoted and how its row is written. */
export interface Terms extends Partial<Insertion> {
  readonly call?: PaidCall;
  readonly price?: number;
  readonly reserve?: number;
  readonly limits?: SpendLimits;
  readonly isCostKnown?: boolean;
  readonly consent?: string | undefined;
  readonly submitWithinMs?: number;
}

export function createQuote({
  price = 5,
  reserve = 5,
  limits = {},
  isCostKnown = true,
  consent,
}: Terms = {}): Quote {
  const cost = { ...fixedPrice(price), reserve, isKnown: isCostKnown };
  const priced = { actionId: 'shop-list', actionName: 'List', cost };
  return { priced, limits, isCostKnown, consent };
}
