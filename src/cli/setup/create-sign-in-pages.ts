/** The pages on which persons sign in, of all gateways of a process. */
import { createPageHandler } from '../../gateway/accounts/login.ts';
import { SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import { PageRecords } from '../../gateway/store/page-records.ts';
import type { Gateways } from './gateways.ts';

/** `sharedKey`: the key that all act with; undefined: each page keeps the key of the principal it is for, encrypted. */
export const createSignInPages = (
  { database, createApi }: Pick<Gateways, 'database' | 'createApi'>,
  sharedKey: string | undefined,
): SignInPages =>
  new SignInPages({
    records: new PageRecords(database, { keepKeys: sharedKey === undefined }),
    createHandler: (page) => createPageHandler(() => createApi(page.apiKey ?? sharedKey ?? ''), page),
  });
