/** What is paid for: one call with its request, its price and what its caller agreed to. */
import type { CallContext } from '../interface/gateway.ts';
import type { Agreed, PaidCall } from './call.ts';
import type { Quote, Quoted } from './quote.ts';
import type { PaidRequest } from './send.ts';
import type { OpenStore } from './store.ts';

/** One paid call, ready to be sent. */
export interface Purchase {
  readonly call: PaidCall;
  readonly request: PaidRequest;
  readonly resubmit: boolean;
  /** As of `PaidRow`. */
  readonly account: string | null;
  /** What the caller agreed to, for a row that waits for its claim. */
  readonly agreed: Agreed;
  /** What a further run costs, in words. */
  readonly repeatCosts: string;
  /** The price now, or why it is not paid. */
  quote(store: OpenStore, context: CallContext): Promise<Quoted>;
  /** The progress message while the request is sent. */
  announcement(quote: Quote): string;
}

/** The same call after its consent has paid for an earlier one: the person is asked anew. */
export const withoutConsent = (context: CallContext): CallContext => ({
  ...context,
  confirmation: 'unasked',
});

/** The credits that a person confirmed. */
export const getConfirmed = ({ confirmation }: Pick<CallContext, 'confirmation'>): number | undefined =>
  typeof confirmation === 'object' && confirmation.answer === 'accepted' ? confirmation.credits : undefined;

/** The person's answer that this call uses up. */
export const getConsent = ({ confirmation }: Pick<CallContext, 'confirmation'>): string | undefined =>
  typeof confirmation === 'object' && confirmation.answer === 'accepted' ? confirmation.consent : undefined;
