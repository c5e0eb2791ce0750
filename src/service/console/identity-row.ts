import { html } from 'hono/html';
import type { Identity } from '../../contract/resources.ts';
import { type Html, tag, time } from './html.ts';

const kinds: Readonly<Record<string, string>> = {
  credentials: 'signed in',
  browser_state: 'browser cookies',
};

/** The cells `State` and `Last used` of an identity's row: a line for each credential. */
export function credentialRows({ credentials }: Identity): Html {
  const states = credentials.map(
    ({ credential_type, status }) =>
      html`<div>${
        status === 'active' ? tag('Active', 'good') : tag('Expired', 'bad')
      } <span class="quiet">${kinds[credential_type] ?? credential_type}</span></div>`,
  );
  const uses = credentials.map(
    ({ last_used_at, created_at }) =>
      html`<div>${last_used_at === null || last_used_at === created_at ? 'never' : time(last_used_at)}</div>`,
  );
  return html`<td>${states.length === 0 ? 'Not connected' : states}</td><td class="wide">${uses}</td>`;
}
