/** The frame that the pages of a practice site share. */
import { html } from 'hono/html';

export type Markup = ReturnType<typeof html>;

const style = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #222; background: #faf9f6; }
header { background: #24424f; color: #fff; padding: 1rem 2rem; }
header a { color: #fff; margin-right: 1rem; }
main { max-width: 60rem; margin: 1.5rem auto; padding: 0 1rem; }
footer { color: #777; font-size: .85rem; text-align: center; padding: 2rem; }
table { border-collapse: collapse; width: 100%; background: #fff; }
th, td { border: 1px solid #ddd; padding: .4rem .6rem; text-align: left; }
ol.books { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem; }
article { background: #fff; border: 1px solid #ddd; border-radius: 6px; padding: 1rem; }
article img { float: right; width: 3rem; }
.price { font-weight: bold; color: #8a3324; }
.notice { border-left: 4px solid #8a3324; background: #fff; padding: .6rem 1rem; }
form label { display: block; margin: .5rem 0; }
`;

export interface SiteFrame {
  readonly name: string;
  readonly links: readonly (readonly [address: string, label: string])[];
  /** Goes into the page's head, such as the address of a feed. */
  readonly head?: Markup;
}

/** On the pages to sign in on. */
export const signInHint = html`<p>This is a practice site: the user name is <b>demo</b>, the password is <b>demo</b>.</p>`;

export function sitePage(site: SiteFrame, title: string, content: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title} · ${site.name}</title>
    <style>${style}</style>
    ${site.head ?? ''}
  </head>
  <body>
    <header>
      <strong>${site.name}</strong>
      <nav>${site.links.map(([address, label]) => html`<a href="${address}">${label}</a>`)}</nav>
    </header>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
    <footer>A practice site: invented content to try things on.</footer>
  </body>
</html>`;
}
