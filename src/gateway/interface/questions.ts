/** Questions to a person before a call goes on. They are values: the transport asks and makes the same call again. */

/** A question that a person must answer before money is spent. */
export interface Confirmation {
  readonly actionId: string;
  readonly actionName: string;
  /** The catalog or website that the action is of. */
  readonly site?: string | undefined;
  /** Credits that are reserved for this call: an answer counts for this figure. */
  readonly credits: number;
  /** What it costs, in words: `3 credits`, `3 credits, at most 15` or `3 credits or more`. */
  readonly cost: string;
  /** Credits this principal spent since the start of the UTC day. */
  readonly spentToday: number;
}

/** A page on which a person signs in; the address is a secret between us and that person. */
export interface SignInOffer {
  /** What `awaitSignIn` and `CallContext.signIn` take. */
  readonly id: string;
  readonly url: string;
  readonly catalogSlug: string;
  /** What the person is asked, in one sentence. */
  readonly message: string;
}

/** Asked before anything is sent. */
export type Question =
  | { readonly kind: 'confirmation'; readonly confirmation: Confirmation }
  | { readonly kind: 'sign-in'; readonly offer: SignInOffer };
