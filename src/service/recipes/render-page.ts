/** Opens the page of a recipe with `render` in a browser and does there what the recipe says. */

import type { RenderedPage, Renderer } from '../fetch/renderer.ts';
import type { StorageState } from '../fetch/session-state.ts';
import { RunError } from '../foundation/errors.ts';
import type { Extract, Render } from './recipe-schema.ts';

/** The page as a browser shows it, with the JSON answers that the extraction reads. */
export function renderPage(
  renderer: Renderer | undefined,
  url: string,
  options: {
    extract: Extract;
    render: Render;
    session: StorageState | undefined;
    named: readonly string[];
    signal: AbortSignal;
  },
): Promise<RenderedPage> {
  const { extract, render, session, named, signal } = options;
  if (renderer === undefined)
    throw new RunError(
      'This page needs a browser, and this service has none. Run svc-mcp doctor to check the browser',
    );
  const steps: Exclude<Render, true> = render === true ? { clicks: 0 } : render;
  return renderer.render({
    url,
    session,
    named,
    waitFor: steps.wait_for,
    click: steps.click === undefined ? undefined : { selector: steps.click, times: steps.clicks },
    responses: extract.kind === 'json' && extract.response !== undefined ? [extract.response] : [],
    signal,
  });
}
