/** Sign-in pages on a real listener, with a sign-in that the test decides about, and a browser of plain requests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoginField } from '../../src/contract/resources.ts';
import type { SignInPageRequest } from '../../src/gateway/accounts/sign-in-pages.ts';
import { SignInPages, type SignInPagesOptions } from '../../src/gateway/accounts/sign-in-pages.ts';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import { PageRecords } from '../../src/gateway/store/page-records.ts';
import { LoopbackPages } from '../../src/mcp/pages/loopback-pages.ts';

const closers: (() => Promise<unknown>)[] = [];

/** For `afterEach`. */
export async function closePages(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

const loginFields: readonly LoginField[] = [
  { name: 'email', type: 'string', required: true, description: 'The address you signed up with' },
  { name: 'password', type: 'password', required: true, description: 'Password' },
  { name: 'pin', type: 'string', required: false, description: 'Card PIN' },
  { name: 'branch', type: 'number', required: false, description: 'Branch' },
  { name: 'remember', type: 'boolean', required: false, description: 'Remember' },
];

export function pageRequest(more: Partial<SignInPageRequest> = {}) {
  return {
    apiKey: 'a-key',
    principal: 'me',
    catalog: { slug: 'shop', name: 'The <b>Shop</b>', domain: 'shop.example' },
    identityName: undefined,
    fields: loginFields,
    signIn: async () => ({ status: 'verified' }),
    explain: (error: unknown) => ({
      message: error instanceof Error ? error.message : 'No',
      advice: 'Try again.',
    }),
    ...more,
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A plain request: unlike `fetch` it sends any Host and Origin. */
export function send(
  address: string,
  {
    method = 'GET',
    headers = {},
    body = '',
    ca,
  }: { method?: string; headers?: object; body?: string; ca?: string | undefined } = {},
): Promise<Reply> {
  const { protocol, hostname, port, pathname, search } = new URL(address);
  const request = protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: pathname + search, method, headers: { ...headers }, agent: false, ca },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export const formType = { 'content-type': 'application/x-www-form-urlencoded' };

/** The token of the form at an address. */
export async function csrfTokenAt(address: string): Promise<string> {
  const { text } = await send(address);
  const token = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error(`There is no form at the address: ${text}`);
  return token;
}

/** Fills in the form as a browser does: fields by their place. */
export async function submitForm(
  address: string,
  values: readonly string[],
  headers: object = {},
): Promise<Reply> {
  const form = new URLSearchParams({ csrf_token: await csrfTokenAt(address) });
  for (const [index, value] of values.entries()) form.set(`field-${index}`, value);
  const own = { ...formType, origin: new URL(address).origin };
  return send(address, { method: 'POST', headers: { ...own, ...headers }, body: form.toString() });
}

/** Pages of one process, in a database of their own. */
export function createPages(more: Partial<SignInPagesOptions> = {}): SignInPages {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-pages-'));
  const database = new GatewayDatabase({ file: join(folder, 'gateway.db') });
  const pages = new SignInPages({
    records: new PageRecords(database, { keepKeys: false }),
    createHandler: () => pageRequest(),
    ...more,
  });
  closers.push(async () => {
    await pages.close();
    await database.close();
    rmSync(folder, { recursive: true });
  });
  return pages;
}

export function startPages({ lifetimeMs, lingerMs }: { lifetimeMs?: number; lingerMs?: number } = {}) {
  const pages = createPages(lifetimeMs === undefined ? {} : { lifetimeMs });
  const listener = new LoopbackPages(pages, lingerMs === undefined ? {} : { lingerMs });
  closers.unshift(() => listener.close());
  return { pages, listener };
}

/** One page with its address. */
export async function startPage(
  more: Partial<SignInPageRequest> = {},
  times: Parameters<typeof startPages>[0] = {},
) {
  const started = startPages(times);
  const page = await started.pages.open(pageRequest(more));
  return { ...started, page, address: await started.listener.getAddress(page) };
}
