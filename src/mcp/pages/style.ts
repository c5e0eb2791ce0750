/** The look of the pages: one column, readable on a phone, light and dark as the person's system is. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --card: #ffffff; --text: #1b1f24; --quiet: #59636e; --line: #8b949e;
  --accent: #0b5cad; --on-accent: #ffffff; --bad: #9f1d20; --bad-ground: #fdecec; --good: #116329;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --card: #191f26; --text: #e8ebee; --quiet: #a3adb8; --line: #6e7883;
    --accent: #6cb2ff; --on-accent: #06203c; --bad: #ffb3ae; --bad-ground: #3b1a1c; --good: #6fd58a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 1.75rem 1.5rem; background: var(--card);
  border: 1px solid color-mix(in srgb, var(--line) 45%, transparent); border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.site { margin-bottom: 1rem; color: var(--quiet); }
.quiet { margin: 1.25rem 0 0; color: var(--quiet); font-size: 0.875rem; }
.failure {
  margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-left: 0.25rem solid var(--bad);
  border-radius: 0.25rem; background: var(--bad-ground);
}
.failure strong { display: block; color: var(--bad); }
.field { margin-bottom: 1.125rem; }
label { display: block; font-weight: 600; }
.optional { color: var(--quiet); font-weight: 400; }
.hint { display: block; margin-bottom: 0.25rem; color: var(--quiet); font-size: 0.875rem; }
input:not([type='checkbox']) {
  width: 100%; margin-top: 0.25rem; padding: 0.625rem 0.75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: 0.375rem;
}
input[type='checkbox'] { width: 1.25rem; height: 1.25rem; margin: 0 0.5rem 0 0; vertical-align: -0.25rem; }
button {
  width: 100%; padding: 0.75rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 0; border-radius: 0.375rem; cursor: pointer;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.good { color: var(--good); }
.busy {
  width: 2rem; height: 2rem; margin: 1.25rem 0; border: 0.25rem solid var(--line);
  border-top-color: var(--accent); border-radius: 50%; animation: turn 1s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .busy { animation-duration: 6s; } }
`;
