/** The one wording of prices, for people and models alike. */

/** In credits. */
export interface ListedPrice {
  readonly base: number;
  /** Whether the final cost is computed from the result; undefined: the catalog does not say. */
  readonly computed: boolean | undefined;
  /** The most that a run costs, if the catalog declares it. */
  readonly maximum: number | undefined;
}

/** A number of credits in words: `1 credit`, `3 credits`. */
export const creditsText = (credits: number): string =>
  `${credits} ${Math.abs(credits) === 1 ? 'credit' : 'credits'}`;

/** `3 credits`, `3 credits, at most 15`, or `3 credits or more` where nothing bounds it. */
export function priceText({ base, computed, maximum }: ListedPrice): string {
  if (computed === false) return creditsText(base);
  if (maximum === undefined) return `${creditsText(base)} or more`;
  return maximum > base ? `${creditsText(base)}, at most ${maximum}` : creditsText(base);
}
