/** What stands around the data on real pages: bars, menus, sidebars with lists of their own, footers. */

const menu = (words: readonly string[]) =>
  words
    .map(
      (word) =>
        `<li class="menu-item"><a class="menu-link" href="/${word.toLowerCase().replace(/\W+/g, '-')}">${word}</a></li>`,
    )
    .join('');

/** A header with a menu of two levels, a sidebar and a wide footer. */
export const chrome = (body: string, { sidebar = '', section = 'Catalogue' } = {}) => `
<a class="skip-link" href="#content">Skip to content</a>
<div class="announcement-bar"><p>Free delivery on orders over 50</p></div>
<header id="masthead" class="site-header"><div class="container"><a class="logo" href="/"><img src="/logo.svg" alt="Logo"></a>
<ul id="primary-menu" class="menu">${menu(['Start', section, 'Journal', 'About us', 'Contact', 'Stockists'])}</ul>
<div class="header-icons"><a href="/account">Account</a><a href="/cart">Cart <span class="count">0</span></a></div></div></header>
<div class="breadcrumbs" aria-label="Breadcrumb"><a href="/">Start</a> / <span>${section}</span></div>
<div class="site-body"><div id="content" class="content-area">${body}</div>${
  sidebar === '' ? '' : `<aside class="widget-area">${sidebar}</aside>`
}</div>
<div class="newsletter"><h4>Join our newsletter</h4><form method="post" action="/subscribe"><input type="email" name="email"><button>Join</button></form></div>
<footer class="site-footer"><div class="footer-cols"><div><h5>Help</h5><ul>${menu(['Shipping', 'Returns', 'Size guide', 'FAQ'])}</ul></div>
<div><h5>Company</h5><ul>${menu(['Our story', 'Careers', 'Press', 'Imprint'])}</ul></div><div><h5>Follow</h5><ul class="social">${menu(['Mastodon', 'Pixelfed', 'Videos'])}</ul></div></div>
<p class="copyright">© 2024 All rights reserved</p></footer>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('js',new Date());</script>`;

export const tagCloud =
  '<section class="widget widget_tag_cloud"><h2 class="widget-title">Topics</h2><div class="tagcloud"><a href="/tag/a" class="tag-cloud-link">Autumn</a> <a href="/tag/b" class="tag-cloud-link">Travel</a> <a href="/tag/c" class="tag-cloud-link">Wool</a> <a href="/tag/d" class="tag-cloud-link">Letters</a></div></section>';

export const recentPosts =
  '<section class="widget widget_recent_entries"><h2 class="widget-title">Recent posts</h2><ul><li><a href="/journal/1">Why we mend</a></li><li><a href="/journal/2">A day at the mill</a></li><li><a href="/journal/3">Spring colours</a></li><li><a href="/journal/4">Meet the dyers</a></li></ul></section>';
