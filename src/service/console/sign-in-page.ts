import { html } from 'hono/html';
import type { Html } from './html.ts';
import { csrfField, errorSummary, layout } from './layout.ts';

/** Shown wherever somebody comes who is not signed in; `target` is the path to go on with. */
export function signInPage(form: { csrfToken: string; target: string; problem?: string | undefined }): Html {
  const { problem } = form;
  return layout(
    { title: problem === undefined ? 'Sign in' : 'Error: Sign in' },
    html`<h1>Sign in</h1>
${problem === undefined ? '' : errorSummary(problem, html`<p><a href="#api-key">Enter the API key</a></p>`)}
<form class="card" method="post" action="/console/sign-in">
${csrfField(form.csrfToken)}
<input type="hidden" name="target" value="${form.target}">
<div class="field">
<label for="api-key">API key</label>
<span class="hint" id="api-key-hint">It begins with svc_. The key of the user “default” is in the file api-key in the
service’s data folder.</span>
<input id="api-key" name="api_key" type="password" autocomplete="current-password" required
aria-describedby="api-key-hint">
</div>
<button>Sign in</button>
</form>`,
  );
}

/**
 * A browser that follows a link of another site does not send the session's cookie (SameSite=Strict). Going on from
 * a page of ours it does.
 */
export const redirectPage = (address: string): Html =>
  layout(
    { title: 'One moment', head: html`<meta http-equiv="refresh" content="0; url=${address}">` },
    html`<h1>One moment</h1><p><a href="${address}">Continue to the console</a></p>`,
  );
