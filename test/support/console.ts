/** A browser without scripts: follows no redirect by itself, keeps cookies, sends forms as they are on the page. */
import { load } from 'cheerio';

export interface View {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly $: ReturnType<typeof load>;
}

export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<View>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<View>;
  /** Fills in the form with this action as the page at `path` shows it, and sends it. */
  submit(
    path: string,
    action: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<View>;
  /** Signs in and follows to the page. */
  signIn(apiKey: string, path?: string): Promise<View>;
}

export function openBrowser(baseUrl: string): Browser {
  const cookies = new Map<string, string>();

  async function send(path: string, init: RequestInit): Promise<View> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0 && !headers.has('cookie')) {
      headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
    }
    const response = await fetch(new URL(path, baseUrl), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const html = await response.text();
    return { status: response.status, headers: response.headers, html, $: load(html) };
  }

  const browser: Browser = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
    async submit(path, action, fields = {}, headers = {}) {
      const { $ } = await browser.get(path);
      const form = $(`form[action="${action}"]`).first();
      if (form.length === 0) throw new Error(`${path} has no form ${action}`);
      const filled = form
        .find('input[name], textarea[name]')
        .toArray()
        .map((input) => [$(input).attr('name') ?? '', $(input).attr('value') ?? ''] as const);
      return browser.post(action, { ...Object.fromEntries(filled), ...fields }, headers);
    },
    async signIn(apiKey, path = '/') {
      const answer = await browser.submit(path, '/console/sign-in', { api_key: apiKey });
      if (answer.status !== 303) throw new Error(`Not signed in: ${answer.status}`);
      return browser.get(answer.headers.get('location') ?? '');
    },
  };
  return browser;
}
