/** What is remembered of a sign-in page, and where: in this process, or for all replicas in one database. */
import * as z from 'zod';
import { LoginField } from '../../contract/resources.ts';

const SignInFailure = z.object({ message: z.string(), advice: z.string() });
/** Why a sign-in did not work, for the person at the page. */
export type SignInFailure = Readonly<z.infer<typeof SignInFailure>>;

const PageStatus = z.object({
  state: z.enum(['open', 'signing-in', 'verified', 'expired']),
  /** How many sign-ins were begun. */
  attempts: z.number(),
  /** When the attempt under way ends, even if its process died. Milliseconds since the epoch. */
  attemptEndsAt: z.number(),
  /** The failure of the last attempt. */
  failure: SignInFailure.optional(),
  /** The service's answer, once verified. */
  answer: z.record(z.string(), z.unknown()).optional(),
  /** A caller learned how it ended. */
  told: z.boolean(),
  /** The person saw that it worked; opened again, the page only says that it was used. */
  seen: z.boolean(),
  /** Digest of the secret of the browser that the page belongs to. */
  browser: z.string().optional(),
  /** Another browser was refused the page. */
  turnedAway: z.boolean(),
});
export type PageStatus = Readonly<z.infer<typeof PageStatus>>;

export const PageRecord = z.object({
  /** 256 bits: the address, and with it the right to type. */
  id: z.string(),
  principal: z.string(),
  catalog: z.object({ slug: z.string(), name: z.string(), domain: z.string() }),
  /** Label of the account; undefined: derived from what is typed. */
  identityName: z.string().optional(),
  fields: z.array(LoginField).readonly(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** Grows with every change. */
  version: z.number(),
  status: PageStatus,
  /** The key for replicas that do not know the principal otherwise; kept while the page is pending. */
  apiKey: z.string().optional(),
});
export type PageRecord = Readonly<z.infer<typeof PageRecord>>;

/** Whose page, for which account. */
export interface PageAccount {
  readonly principal: string;
  /** The principal's key, where replicas share the pages. */
  readonly apiKey?: string | undefined;
  readonly slug: string;
  readonly identityName: string | undefined;
}

export interface PageRecords {
  /** Whether other processes see them, and go on with them when this one ends. */
  readonly shared: boolean;
  /** The clock by which pages end, the same for all who share them. Milliseconds since the epoch. */
  now(): number;
  /** The account's newest record that is `wanted`; else what `create` makes at `now`. One for all who ask at once. */
  open(
    account: PageAccount,
    wanted: (record: PageRecord) => boolean,
    create: (now: number) => PageRecord,
  ): Promise<PageRecord>;
  latest(account: PageAccount, wanted: (record: PageRecord) => boolean): Promise<PageRecord | undefined>;
  find(ids: readonly string[]): Promise<PageRecord[]>;
  /** Resolves to the changed record, or to undefined if it no longer equals `record`, and then changes nothing. */
  change(record: PageRecord, status: Partial<PageStatus>): Promise<PageRecord | undefined>;
  /** Calls the listener after changes, of any process. Returns how to stop. */
  listen(listener: () => void): Promise<() => Promise<void>>;
}

/** How long the address of an ended page still says that it has ended. */
export const rememberedMs = 60 * 60_000;

/** The state at `now`: a page expires without a write. */
export function stateNow({ status, expiresAt }: PageRecord, now: number): PageStatus['state'] {
  const { state, attemptEndsAt } = status;
  if (state === 'verified' || state === 'expired') return state;
  if (now >= expiresAt) return 'expired';
  return state === 'signing-in' && now >= attemptEndsAt ? 'open' : state;
}

export const isPending = (record: PageRecord, now: number): boolean =>
  ['open', 'signing-in'].includes(stateNow(record, now));

export function applyStatus(record: PageRecord, status: Partial<PageStatus>, now: number): PageRecord {
  const next = { ...record, version: record.version + 1, status: { ...record.status, ...status } };
  if (isPending(next, now)) return next;
  const { apiKey: _, ...rest } = next;
  return rest;
}
