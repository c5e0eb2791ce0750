/** What may be spent: refusals before anything is sent. */
import { ConfirmationNeeded, GatewayError } from '../errors.ts';
import type { CallContext } from '../gateway.ts';
import type { GatewaySettings } from '../settings.ts';
import { startOfDay } from './intents.ts';

const dayMs = 86_400_000;

export interface Purchase {
  readonly actionId: string;
  readonly actionName: string;
  readonly price: number;
}

/**
 * Rejects where the purchase is above a budget, or needs a confirmation that was not given. Runs inside the
 * transaction that writes the intent, so that calls at the same time cannot both fit into what is left.
 */
export async function admit(
  purchase: Purchase,
  readSpent: () => Promise<number>,
  settings: Pick<GatewaySettings, 'maxCreditsPerCall' | 'maxCreditsPerDay' | 'confirmAboveCredits'>,
  confirmation: CallContext['confirmation'],
): Promise<void> {
  const { maxCreditsPerCall, maxCreditsPerDay, confirmAboveCredits } = settings;
  const { price, actionId } = purchase;
  const limits = [maxCreditsPerCall, maxCreditsPerDay, confirmAboveCredits];
  if (limits.every((limit) => limit === undefined)) return;
  const spentToday = await readSpent();
  if (maxCreditsPerCall !== undefined && price > maxCreditsPerCall) {
    throw new GatewayError(
      'BUDGET_EXCEEDED',
      `${actionId} costs ${price} credits; one call may cost ${maxCreditsPerCall} (SVC_MAX_CREDITS_PER_CALL). Nothing was sent.`,
      'Choose a cheaper action, or let the user raise SVC_MAX_CREDITS_PER_CALL.',
      { price, limit: maxCreditsPerCall, spent: spentToday },
    );
  }
  if (maxCreditsPerDay !== undefined && spentToday + price > maxCreditsPerDay) {
    const resetsAt = new Date(startOfDay(Date.now()) + dayMs).toISOString();
    throw new GatewayError(
      'BUDGET_EXCEEDED',
      `${actionId} costs ${price} credits; ${spentToday} of today's ${maxCreditsPerDay} (SVC_MAX_CREDITS_PER_DAY) are spent. Nothing was sent.`,
      `Wait until ${resetsAt}, or let the user raise SVC_MAX_CREDITS_PER_DAY.`,
      { price, limit: maxCreditsPerDay, spent: spentToday, resets_at: resetsAt },
    );
  }
  if (confirmAboveCredits === undefined || price <= confirmAboveCredits) return;
  switch (confirmation) {
    case 'accepted':
      return;
    case 'unasked':
      throw new ConfirmationNeeded({ ...purchase, credits: price, spentToday });
    case 'declined':
      throw new GatewayError(
        'CONFIRMATION_DECLINED',
        `The user declined to spend ${price} credits on ${actionId}. Nothing was sent.`,
        'Do not repeat the call unless the user asks for it.',
        { price },
      );
    case 'cannot-ask':
      throw new GatewayError(
        'CONFIRMATION_UNAVAILABLE',
        `${actionId} costs ${price} credits, more than the ${confirmAboveCredits} of SVC_CONFIRM_ABOVE_CREDITS, and this client cannot ask the user. Nothing was sent.`,
        'Let the user raise SVC_CONFIRM_ABOVE_CREDITS, or use a client that can ask (elicitation).',
        { price, limit: confirmAboveCredits },
      );
  }
}
