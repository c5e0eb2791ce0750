/** The look of the console beyond what it shares with other pages: readable on a phone. */
import { baseStyle } from '../../http/page.ts';

export const consoleStyle = `${baseStyle}
html { scrollbar-gutter: stable; }
body { display: flex; flex-direction: column; min-height: 100vh; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a, strong, code, summary { unicode-bidi: isolate; overflow-wrap: anywhere; }
.skip { position: absolute; left: 0.5rem; top: -4rem; padding: 0.5rem 0.75rem; background: var(--card); z-index: 1; }
.skip:focus { top: 0.5rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { background: var(--card); border-bottom: 1px solid var(--faint); }
.bar > div, main, footer { width: 100%; max-width: 76rem; margin: 0 auto; padding: 0.5rem 1rem; }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; padding-bottom: 0; }
.brand { display: flex; align-items: center; gap: 0.5rem; font-weight: 700; color: inherit; text-decoration: none; padding: 0.25rem 0; }
.bar nav { width: 100%; }
.bar nav ul { display: flex; flex-wrap: wrap; gap: 0 0.25rem; margin: 0 0 0 -0.625rem; padding: 0; list-style: none; }
.bar nav a {
  display: block; padding: 0.375rem 0.625rem; color: inherit; text-decoration: none;
  border-bottom: 2px solid transparent;
}
.bar nav a:hover { color: var(--accent); }
.bar nav a[aria-current] { color: var(--accent); border-bottom-color: var(--accent); }
.who { display: flex; align-items: center; gap: 0.75rem; margin-left: auto; font-size: 0.875rem; }
.who > span { color: var(--quiet); }
.who strong { display: inline-block; max-width: 9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
main { padding-top: 1.5rem; padding-bottom: 3rem; flex: 1; }
main.narrow { max-width: 30rem; }
footer { padding-bottom: 1rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.1875rem; line-height: 1.3; overflow-wrap: anywhere; }
h3 { margin: 1.25rem 0 0.5rem; font-size: 1.0625rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.nowrap { white-space: nowrap; }
.balance { font-size: 2rem; font-weight: 700; line-height: 1.2; margin: 0; }

/* Links that stand alone are high enough for a finger. */
td a, th a, dd a, li a, .parent a, .pages a, .filters a, p > a:only-child, .quiet > a:only-child, .tag a { display: inline-block; min-height: 1.5rem; }
summary { cursor: pointer; padding: 0.25rem 0; min-height: 2rem; color: var(--accent); }
.parent { margin-bottom: 0.25rem; font-size: 0.9375rem; }

.card { padding: 1rem 1.125rem; background: var(--card); border: 1px solid var(--faint); border-radius: 0.5rem; min-width: 0; }
form.card { max-width: 44rem; margin: 0.75rem 0; }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
.cards-list, .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 0.75rem; margin: 0.75rem 0; padding: 0; list-style: none; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr)); }
.cards-list h3 { margin: 0; }
.stack > * + * { margin-top: 0.75rem; }
.beside { display: grid; grid-template-columns: minmax(0, 2fr) minmax(min(18rem, 100%), 1fr); gap: 0 2rem; align-items: start; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
.columns > * { min-width: 0; }
.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0.75rem 0; }
.buttons form { margin: 0; }
.empty { padding: 0.5rem 0; }
.tags { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0.5rem 0 0.75rem; }
.tag {
  display: inline-block; padding: 0.0625rem 0.5rem; border-radius: 1rem; background: var(--faint);
  font-size: 0.8125rem; font-weight: 400; white-space: nowrap;
}
.tag.good { background: var(--good-ground); color: var(--good); }
.tag.bad { background: var(--bad-ground); color: var(--bad); }
.tag.wait { background: var(--wait-ground); color: var(--wait); }

table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--faint); }
thead th { color: var(--quiet); font-size: 0.8125rem; font-weight: 600; white-space: nowrap; border-top: 0; }
tbody th { font-weight: 600; }
th, td { overflow-wrap: anywhere; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td form { margin: 0; }
td input:not([type='checkbox']) { min-width: 9rem; margin: 0; padding: 0.3125rem 0.5rem; }
.cards td:not(.long, .number) { overflow-wrap: break-word; }
.scroll { background: var(--card); border: 1px solid var(--faint); border-radius: 0.5rem; }
.scroll .quiet { display: block; font-weight: 400; }
/* The shadow at an edge shows that there is more behind it. */
.scroll.records {
  overflow-x: auto; border-radius: 0.25rem;
  background: linear-gradient(90deg, var(--card) 30%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(270deg, var(--card) 30%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(90deg, var(--line), transparent) left / 0.75rem 100% no-repeat scroll,
    linear-gradient(270deg, var(--line), transparent) right / 0.75rem 100% no-repeat scroll, var(--card);
}
.records th, .records td { overflow-wrap: break-word; }
.records td.long { min-width: 14rem; overflow-wrap: anywhere; }
.records td a { overflow-wrap: anywhere; }

code { font-size: 0.875em; }
pre {
  max-height: 32rem; overflow: auto; margin: 0.5rem 0; padding: 0.75rem; background: var(--ground);
  border: 1px solid var(--faint); border-radius: 0.375rem; font-size: 0.8125rem; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; margin: 0 0 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
textarea { min-height: 6rem; font: 0.8125rem/1.5 ui-monospace, monospace; resize: vertical; }
a.button { padding: 0.375rem 1rem; text-decoration: none; }
input[type='checkbox'] { width: 1.5rem; height: 1.5rem; }
.column { display: block; min-width: 11rem; white-space: normal; }
.pick { display: flex; align-items: center; gap: 0.25rem; margin-top: 0.25rem; }
.pick input[type='checkbox'] { flex: none; }
.pick input:not([type='checkbox']) { width: 100%; min-width: 7rem; margin: 0; padding: 0.25rem 0.5rem; }
button.small {
  padding: 0.1875rem 0.625rem; min-height: 2rem; font-size: 0.875rem; font-weight: 400; color: var(--accent);
  background: transparent; border-color: var(--line);
}
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; margin: 0 0 1rem; }
.filter { flex: 0 1 11rem; min-width: 8rem; }
.filter label { font-size: 0.8125rem; font-weight: 400; color: var(--quiet); }
.filters .filter input, .filters .filter select { margin: 0; padding: 0.3125rem 0.5rem; height: 2.25rem; }
.filters button.small { height: 2.25rem; }
.filters a { padding: 0.375rem 0; }
.message { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-left: 0.25rem solid; border-radius: 0.25rem; }
.message h2 { margin: 0 0 0.25rem; font-size: 1rem; }
.message p { margin: 0; }
.message ul { margin: 0.25rem 0 0; padding-left: 1.25rem; }
.message.bad { border-color: var(--bad); background: var(--bad-ground); }
.message.bad h2 { color: var(--bad); }
.message.bad a { color: inherit; }
.message.wait { border-color: var(--wait); background: var(--wait-ground); }
.message.wait h2 { color: var(--wait); }
.message.good { border-color: var(--good); background: var(--good-ground); }
.message.good h2 { color: var(--good); }
.pages { display: flex; align-items: center; gap: 1.25rem; margin-top: 1rem; }
figure { margin: 0; }
.chart { display: block; width: 100%; height: 7rem; }
.chart rect { fill: var(--accent); }
.chart line { stroke: var(--line); vector-effect: non-scaling-stroke; }
figcaption { display: flex; justify-content: space-between; color: var(--quiet); font-size: 0.8125rem; }

/* The table of the views, where scripts run. */
.tools, .paging { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0.75rem 0; }
.tools input:not([type='checkbox']) { width: min(18rem, 100%); margin: 0; font-weight: 400; }
.paging button { padding: 0.375rem 0.875rem; }
.paging button:disabled { opacity: 0.5; cursor: default; }
div.records > .scroll { overflow-x: auto; }
th button.sort { min-height: 1.5rem; padding: 0; border: 0; background: none; color: inherit; font: inherit; font-weight: 600; }
th[aria-sort='ascending'] button::after { content: ' ↑'; }
th[aria-sort='descending'] button::after { content: ' ↓'; }
.records .folded[open] > summary > bdi { display: none; }
.records .folded[open] > summary::after { content: 'Fold'; }
.records .folded:not([open]) > summary { color: inherit; }
.records .whole { white-space: pre-wrap; }
[hidden] { display: none; }

@media (max-width: 48rem) {
  .beside { grid-template-columns: minmax(0, 1fr); }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards table, .cards tbody, .cards tr, .cards td, .cards tbody th { display: block; }
  .cards tr { padding: 0.625rem 0.75rem; border-top: 1px solid var(--faint); }
  .cards tr:first-child { border-top: 0; }
  .cards td, .cards tbody th { padding: 0.125rem 0; border: 0; text-align: left; }
  .cards td[data-name] { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: 0.5rem; }
  .cards td[data-name]::before { content: attr(data-name); color: var(--quiet); font-size: 0.875rem; }
  .cards td:has(> div:empty) { display: none; }
}
@media (max-width: 40rem) {
  .bar nav ul { margin-left: -0.5rem; gap: 0; }
  .bar nav a { padding: 0.3125rem 0.5rem; font-size: 0.9375rem; }
  main { padding-top: 1rem; }
  .records th, .records td { padding: 0.5rem; }
  main.narrow button:not(.small) { width: 100%; }
  dl { grid-template-columns: 7rem minmax(0, 1fr); gap: 0.25rem 0.75rem; }
}
`;
