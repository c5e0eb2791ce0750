/** A chart of bars as SVG, which needs no script. */
import { html } from 'hono/html';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';

const height = 100;

/** Credits by day, from left to right; each bar says its figure. A sentence where there is none. */
export function spendingChart(days: readonly { readonly day: string; readonly credits: number }[]): Html {
  const most = Math.max(0, ...days.map(({ credits }) => credits));
  if (most === 0) return html`<p class="quiet">No credits were spent in the last ${days.length} days.</p>`;
  const bars = days.map(({ day, credits }, index) => {
    const tall = credits <= 0 ? 0 : Math.max(2, (credits / most) * height);
    return html`<rect x="${index * 10 + 1}" y="${(height - tall).toFixed(1)}" width="8" height="${tall.toFixed(1)}"><title>${day}: ${creditsText(credits)}</title></rect>`;
  });
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const total = days.reduce((sum, { credits }) => sum + credits, 0);
  const label = `Credits spent by day from ${first} to ${last}: ${total} in all, at most ${most} in a day`;
  return html`<figure class="card"><svg class="chart" role="img" aria-label="${label}" viewBox="0 0 ${days.length * 10} ${height}" preserveAspectRatio="none">
<line x1="0" x2="${days.length * 10}" y1="${height}" y2="${height}"/>${bars}</svg>
<figcaption><span>${first}</span><span>at most ${creditsText(most)} a day</span><span>${last}</span></figcaption></figure>`;
}
