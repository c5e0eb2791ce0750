/** Amounts of credits: how a service's are read, and how they are rounded. */
import * as z from 'zod';

/** No amount of a service is above it. More is an error of the service, and would overflow sums in a database. */
export const mostCredits = 1_000_000_000;

/** Without the dust of binary fractions: 0.07 · 1000 is 70.00000000000001. */
const toScaled = (credits: number): number => Number((credits * 1000).toPrecision(15));

/** Whole thousandths of a cost, rounded up: what is paid always counts. */
export const costThousandths = (credits: number): number => Math.ceil(toScaled(credits)) + 0;
/** Whole thousandths of a limit, rounded down: it is never passed. */
export const limitThousandths = (credits: number): number => Math.floor(toScaled(credits));

/** A cost in credits, in whole thousandths, rounded up. */
export const roundedUp = (credits: number): number => costThousandths(credits) / 1000;

/** A price of a list, as it counts. */
export const ListedCredits = z.number().nonnegative().max(mostCredits).overwrite(roundedUp);

/**
 * A cost as a service reports it: a number or a decimal text from 0 to `mostCredits`, rounded up to thousandths. Undefined
 * for anything else, which says nothing about the cost.
 */
export const ReportedCredits = z
  .unknown()
  .optional()
  .transform((value): number | undefined => {
    const text = typeof value === 'string' ? value.trim() : undefined;
    const credits = text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : value;
    if (typeof credits !== 'number' || !(credits >= 0 && credits <= mostCredits)) return undefined;
    return roundedUp(credits);
  });
