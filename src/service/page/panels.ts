/** Panels of the content that are hidden until a reader opens them by a control that is shown: an answer, a tab. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { getParent, nextElement } from './elements.ts';
import { isHidden } from './text.ts';
import { areLinks, Weights } from './weights.ts';

/** Controls that say whether something is open, but not those of menus and dialogs. */
const openers = '[aria-expanded]:not([aria-haspopup]), [role="tab"]';
/** What a page says to be a panel, or to be found by the search of the browser. */
const panels = '[role="tabpanel"], [hidden="until-found"]';
const menus = 'nav, body > header, body > footer, [role="navigation"], [role="banner"]';

interface Panels {
  readonly panels: ReadonlySet<Element>;
  /** The controls that open them. Many are the only heading of their panel. */
  readonly openers: ReadonlySet<Element>;
}

/** The hidden element right behind a control, or behind the heading around the control. */
function hiddenBehind(opener: Element): Element | undefined {
  const parent = getParent(opener);
  const place = parent !== null && /^(?:h[1-6]|dt)$/.test(parent.name) ? parent : opener;
  const next = nextElement(place);
  return next !== undefined && isHidden(next) ? next : undefined;
}

export function findPanels(html: CheerioAPI): Panels {
  const weights = new Weights();
  const byId = new Map(
    html('[id]')
      .toArray()
      .map((element) => [element.attribs.id, element]),
  );
  const isContent = (panel: Element | undefined): panel is Element =>
    panel !== undefined && weights.of(panel).text > 0 && !areLinks(weights.of(panel));
  const found = new Set(html(panels).toArray().filter(isContent));
  const opening = new Set<Element>();
  for (const opener of html(openers).toArray()) {
    if (html(opener).closest(menus).length > 0) continue;
    const named = (opener.attribs['aria-controls'] ?? '').split(/\s+/).map((id) => byId.get(id));
    const opened = [...named, hiddenBehind(opener)].filter(isContent);
    for (const panel of opened) found.add(panel);
    if (opened.length > 0) opening.add(opener);
  }
  return { panels: found, openers: opening };
}
