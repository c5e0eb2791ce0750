/** The look of the console beyond what it shares with other pages: readable on a phone. */
import { baseStyle } from '../../http/page.ts';

export const consoleStyle = `${baseStyle}
a { color: var(--accent); text-underline-offset: 0.15em; }
a, strong, code, summary { unicode-bidi: isolate; overflow-wrap: anywhere; }
.skip { position: absolute; left: 0.5rem; top: -4rem; padding: 0.5rem 0.75rem; background: var(--card); z-index: 1; }
.skip:focus { top: 0.5rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { background: var(--card); border-bottom: 1px solid var(--faint); }
.bar > div {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1.25rem;
  max-width: 64rem; margin: 0 auto; padding: 0.5rem 1rem;
}
.brand { font-weight: 700; color: inherit; text-decoration: none; padding: 0.25rem 0; }
.bar nav ul { display: flex; flex-wrap: wrap; gap: 0 0.25rem; margin: 0; padding: 0; list-style: none; }
.bar nav a {
  display: block; padding: 0.5rem 0.625rem; color: inherit; text-decoration: none;
  border-bottom: 2px solid transparent;
}
.bar nav a:hover { color: var(--accent); }
.bar nav a[aria-current] { color: var(--accent); border-bottom-color: var(--accent); font-weight: 600; }
.who { display: flex; align-items: center; gap: 0.75rem; margin-left: auto; font-size: 0.875rem; }
.who > span { color: var(--quiet); }
.who strong { display: inline-block; max-width: 12rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
body:has([data-rows]) .bar > div, main:has([data-rows]) { max-width: 84rem; }
main.narrow { max-width: 30rem; }
.buttons + details, [data-rows] + details { margin-top: 0.75rem; }
.empty { padding: 1.5rem 0; }
.message ul { margin: 0.25rem 0 0; padding-left: 1.25rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.1875rem; line-height: 1.3; overflow-wrap: anywhere; }
h3 { margin: 0; font-size: 1.0625rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.scroll + .quiet, button + .quiet { margin-top: 0.75rem; }
.amount { font-variant-numeric: tabular-nums; white-space: nowrap; }
.balance { font-size: 2rem; font-weight: 700; line-height: 1.2; margin: 0 0 1rem; }
.card {
  padding: 1rem 1.125rem; background: var(--card); border: 1px solid var(--faint); border-radius: 0.5rem;
}
form.card { max-width: 36rem; }
.card + .card { margin-top: 0.75rem; }
.card > :last-child { margin-bottom: 0; }
.card > p:first-child, .card h3 + p { margin-top: 0; }
ul.cards {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 0.75rem;
  margin: 1rem 0 0; padding: 0; list-style: none;
}
ul.cards .card { margin: 0; display: flex; flex-direction: column; }
.card h2 { margin: 0; font-size: 1.0625rem; }
.card ol { margin: 0 0 1rem; padding-left: 1.25rem; }
ul.cards .tags { margin-top: auto; }
.tags { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0.5rem 0 0.75rem; padding: 0; list-style: none; }
.tag {
  display: inline-block; padding: 0.0625rem 0.5rem; border-radius: 1rem; background: var(--faint);
  font-size: 0.8125rem; font-weight: 400; white-space: nowrap;
}
.tag.good { background: var(--good-ground); color: var(--good); }
.tag.bad { background: var(--bad-ground); color: var(--bad); }
.tag.wait { background: var(--wait-ground); color: var(--wait); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--faint); border-radius: 0.5rem; }
.card .scroll { border: 0; border-radius: 0; margin: 0 -0.75rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--faint); }
thead th { color: var(--quiet); font-size: 0.8125rem; font-weight: 600; white-space: nowrap; }
tr:first-child > * { border-top: 0; }
tbody tr:first-child > * { border-top: 1px solid var(--faint); }
tbody th { font-weight: 600; }
th.number, td.number { text-align: right; }
td form { margin: 0; }
td input:not([type='checkbox']) { min-width: 9rem; margin: 0; padding: 0.3125rem 0.5rem; }
.scroll + .card { margin-top: 1.5rem; }
.buttons + .quiet { margin-top: 0.75rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1rem; }
td a, td code, th a, th code { overflow-wrap: break-word; }
.records td { overflow-wrap: break-word; }
.records td.long { min-width: 14rem; overflow-wrap: anywhere; }
.records td:has(a) { min-width: 10rem; }
.records td a { overflow-wrap: anywhere; }
.when { display: block; color: var(--quiet); font-size: 0.8125rem; font-weight: 400; white-space: nowrap; }
.nowrap { white-space: nowrap; }
pre {
  max-height: 32rem; overflow: auto; margin: 0.5rem 0; padding: 0.75rem; background: var(--ground);
  border: 1px solid var(--faint); border-radius: 0.375rem; font-size: 0.8125rem; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
code { font-size: 0.875em; }
summary { cursor: pointer; padding: 0.25rem 0; color: var(--accent); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; margin: 0 0 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
textarea { min-height: 9rem; font: 0.8125rem/1.5 ui-monospace, monospace; resize: vertical; }
a.button {
  display: inline-block; padding: 0.625rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 1px solid var(--accent); border-radius: 0.375rem; cursor: pointer;
}
a.button { padding: 0.375rem 1rem; text-decoration: none; }
button.small {
  padding: 0.1875rem 0.625rem; font-size: 0.875rem; font-weight: 400; color: var(--accent);
  background: transparent; border-color: var(--line);
}
.message { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-left: 0.25rem solid; border-radius: 0.25rem; }
.message h2 { margin: 0 0 0.25rem; font-size: 1rem; }
.message p { margin: 0; }
.message.bad { border-color: var(--bad); background: var(--bad-ground); }
.message.bad h2 { color: var(--bad); }
.message.bad a { color: inherit; }
.message.wait { border-color: var(--wait); background: var(--wait-ground); }
.message.wait h2 { color: var(--wait); }
.message.good { border-color: var(--good); background: var(--good-ground); }
.pages { display: flex; gap: 1.25rem; margin-top: 1rem; }
.tools, .paging { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0.75rem 0; }
.tools input:not([type='checkbox']) { width: min(18rem, 100%); margin: 0; font-weight: 400; }
.paging button { padding: 0.375rem 0.875rem; }
.paging button:disabled { opacity: 0.5; cursor: default; }
th button.sort { padding: 0; border: 0; background: none; color: inherit; font: inherit; font-weight: 600; }
th[aria-sort='ascending'] button::after { content: ' ↑'; }
th[aria-sort='descending'] button::after { content: ' ↓'; }
.records th.number, .records td.number { text-align: right; }
.records .folded[open] > summary > bdi { display: none; }
.records .folded[open] > summary::after { content: 'Fold'; }
.records .folded:not([open]) > summary { color: inherit; }
.records .whole { white-space: pre-wrap; }
[hidden] { display: none; }
@media (max-width: 40rem) {
  .bar > div { padding-bottom: 0; gap: 0.25rem 0.5rem; }
  .brand { font-size: 0.9375rem; }
  .bar nav { order: 3; width: 100%; }
  .bar nav ul { gap: 0; justify-content: space-between; }
  .bar nav a { padding: 0.5rem 0.3125rem; font-size: 0.875rem; }
  main { padding-top: 1rem; }
  th, td { padding: 0.5rem; }
  .card .scroll { margin: 0 -0.5rem; }
  .when { white-space: normal; }
  .wide, .who .wide { display: none; }
  main.narrow button { width: 100%; }
}
`;
