/** The look of the sign-in pages: one column, readable on a phone. */
import { baseStyle } from '../../http/page.ts';

export const signInStyle = `${baseStyle}
body { min-height: 100vh; display: grid; place-items: center; padding: 1rem; }
main {
  width: 100%; max-width: 27rem; padding: 1.75rem 1.5rem; background: var(--card);
  border: 1px solid color-mix(in srgb, var(--line) 45%, transparent); border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.site { margin-bottom: 1rem; color: var(--quiet); }
.quiet { margin: 1.25rem 0 0; }
.failure {
  margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-left: 0.25rem solid var(--bad);
  border-radius: 0.25rem; background: var(--bad-ground);
}
.failure strong { display: block; color: var(--bad); }
button { width: 100%; padding: 0.75rem; border: 0; }
.good { color: var(--good); }
.busy {
  width: 2rem; height: 2rem; margin: 1.25rem 0; border: 0.25rem solid var(--line);
  border-top-color: var(--accent); border-radius: 50%; animation: turn 1s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .busy { animation-duration: 6s; } }
`;
