/** A browser of plain requests, with cookies and redirects as browsers treat them, and no more. */
import { CookieJar } from 'tough-cookie';
import { formType, type Reply, send } from './sign-in-pages.ts';

export class PlainBrowser {
  readonly #jar = new CookieJar();
  readonly #cookies: boolean;
  readonly #ca: string | undefined;
  /** What was set, as it came. */
  readonly cookiesSet: string[] = [];
  /** Where the last request ended up. */
  address = '';

  /** `ca`: whom it trusts for https. */
  constructor({ cookies = true, ca }: { cookies?: boolean; ca?: string | undefined } = {}) {
    this.#cookies = cookies;
    this.#ca = ca;
  }

  /** Opens an address as a click on a link in another site's page does. */
  open(address: string, headers: object = {}): Promise<Reply> {
    return this.#request(address, { headers }, { sameSiteContext: 'lax' });
  }

  /** Fills in the form of the page that is shown, fields by their place. */
  async submit(page: Reply, values: readonly string[], more: object = {}): Promise<Reply> {
    const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1];
    if (token === undefined) throw new Error(`There is no form: ${page.text}`);
    const form = new URLSearchParams({ csrf_token: token });
    for (const [index, value] of values.entries()) form.set(`field-${index}`, value);
    // As a page without a referrer sends it.
    const headers = { ...formType, origin: 'null', 'sec-fetch-site': 'same-origin', ...more };
    const options = { method: 'POST', headers, body: form.toString() };
    return this.#request(this.address, options, { sameSiteContext: 'strict' });
  }

  async #request(
    address: string,
    options: { method?: string; headers: object; body?: string },
    context: { sameSiteContext: 'strict' | 'lax' },
    redirects = 5,
  ): Promise<Reply> {
    this.address = address;
    const cookie = await this.#jar.getCookieString(address, context);
    const headers = { ...options.headers, ...(this.#cookies && cookie !== '' && { cookie }) };
    const reply = await send(address, { ...options, headers, ca: this.#ca });
    for (const set of reply.headers['set-cookie'] ?? []) {
      this.cookiesSet.push(set);
      await this.#jar.setCookie(set, address);
    }
    const { location } = reply.headers;
    if (reply.status !== 303 || location === undefined || redirects === 0) return reply;
    const { 'content-type': _, ...kept } = { 'content-type': '', ...options.headers };
    return this.#request(new URL(location, address).href, { headers: kept }, context, redirects - 1);
  }
}
