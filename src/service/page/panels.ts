/** Panels of the content that are hidden until a reader opens them by a control that is shown: an answer, a tab. */
import type { Cheerio, CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, hasChildren, isTag } from 'domhandler';
import { getClasses, getElements, getParent, nextElement, shownText } from './elements.ts';
import { getText, isHidden } from './text.ts';
import { areLinks, Weights } from './weights.ts';

/** Controls that say whether something is open, but not those of menus and dialogs. */
const openers =
  '[aria-expanded]:not([aria-haspopup]), [role="tab"], [data-toggle="collapse"], [data-bs-toggle="collapse"]';
/** What looks like a control: it is one where what is right behind it is hidden. */
const folded =
  'dt, h2, h3, h4, h5, h6, [role="button"], a:not([href]), a[href=""], a[href^="#"], [class*="accordion" i], [class*="toggle" i], [class*="expand" i], [class*="collaps" i], [class*="faq" i], [class*="question" i]';
/** What a page says to be a panel, or to be found by the search of the browser. */
const panels = '[role="tabpanel"], [hidden="until-found"]';
const menus = 'nav, body > header, body > footer, [role="navigation"], [role="banner"]';

export interface Panels {
  readonly panels: ReadonlySet<Element>;
  /** The controls that open them. Many are the only heading of their panel. */
  readonly openers: ReadonlySet<Element>;
  /** All controls whose panel is on the page, also those of blocks of links. */
  readonly leading: ReadonlySet<Element>;
}

/** The heading around a control, else the control. */
function placeOf(opener: Element): Element {
  const parent = getParent(opener);
  return parent !== null && /^(?:h[1-6]|dt)$/.test(parent.name) ? parent : opener;
}

/** The block of a class as most sites write it: "faq" of `faq__button`. */
const blocksOf = (element: Element) =>
  new Set(getClasses(element).flatMap((name) => /^(\w+?)(?:__|-)/.exec(name)?.[1] ?? []));

/** What such a block calls what its button opens: `faq__answer`. */
const opened = /[-_](?:content|panel|body|answer|collapse)s?(?:\s|$)/i;

/** Whether a button is of one block with the panel right behind it, which styles may hide. */
function opensByName(button: Element): boolean {
  const next = nextElement(placeOf(button));
  const own = blocksOf(button);
  return (
    next !== undefined &&
    opened.test(next.attribs.class ?? '') &&
    [...blocksOf(next)].some((block) => own.has(block))
  );
}

/** The hidden element right behind a control, or behind the heading around the control. */
function hiddenBehind(opener: Element): Element | undefined {
  const next = nextElement(placeOf(opener));
  return next !== undefined && isHidden(next) ? next : undefined;
}

interface Tabs {
  /** By the id of the panel that it shows. */
  readonly byPanel: Map<string, Element>;
  /** By its own id, which the panel names. */
  readonly byId: Map<string, Element>;
  /** The panels of tabs that say nothing of them: as many, in the same order. */
  readonly inOrder: Map<Element, Element>;
}

const roles = '[role="tab"]';
const toggles = ['data-toggle', 'data-bs-toggle'].flatMap((name) => [`[${name}="tab"]`, `[${name}="pill"]`]);
/** Whether an element says that it shows a panel in place of others. */
export const isTab = ({ attribs }: Element): boolean =>
  attribs.role === 'tab' || /^(?:tab|pill)$/.test(attribs['data-toggle'] ?? attribs['data-bs-toggle'] ?? '');
/** Selectors of tabs, by which recipes name them. */
export const tabSelectors: readonly string[] = [roles, toggles.join(', '), '[class*="tabs"] :is(a, button)'];

const known = new WeakMap<AnyNode, Tabs>();
const tabsClass = /(?:^|[\s_-])(?:nav-)?tabs(?:$|[\s_-])/i;

/** The ids that a control says to show. */
const targetsOf = ({ attribs }: Element): string[] =>
  [
    attribs['aria-controls'],
    ...[attribs.href, attribs['data-target'], attribs['data-bs-target']].map(
      (target) => /^#(.+)$/.exec(target ?? '')?.[1],
    ),
  ].flatMap((ids) => ids?.split(/\s+/) ?? []);

/** How far a list of tabs may stand from its panels, in levels. */
const levels = 4;
/** Whether a list of tabs is met, at which the panels of the one before end. */
function collectPanels(element: Element, into: Element[]): boolean {
  const { role } = element.attribs;
  if (role === 'tabpanel') into.push(element);
  return (
    role === 'tablist' ||
    (role !== 'tabpanel' && getElements(element).some((child) => collectPanels(child, into)))
  );
}

/** The panels behind a list of tabs, before the next list. */
function panelsBehind(list: Element): Element[] {
  const found: Element[] = [];
  let node: Element | null = list;
  for (
    let level = 0;
    level < levels && node !== null && found.length === 0;
    level++, node = getParent(node)
  ) {
    let next = nextElement(node);
    while (next !== undefined && !collectPanels(next, found)) next = nextElement(next);
  }
  return found;
}

const tabsIn = (list: Element): Element[] =>
  getElements(list).flatMap((child) => (child.attribs.role === 'tab' ? child : tabsIn(child)));

/** Names panels by the tabs at the same place, where neither says to which it belongs. */
function pairInOrder(list: Element, { byPanel, byId, inOrder }: Tabs): void {
  const tabs = tabsIn(list);
  const behind = panelsBehind(list);
  const isSaid = ({ attribs }: Element) =>
    byPanel.has(attribs.id ?? '') || byId.has(attribs['aria-labelledby'] ?? '');
  if (!behind.some(isSaid)) pair(tabs, behind, { byId, inOrder });
}

/** Names the panels, if there are as many. */
function pair(tabs: readonly Element[], panels: readonly Element[], found: Omit<Tabs, 'byPanel'>): void {
  if (tabs.length < 2 || tabs.length !== panels.length) return;
  for (const [index, panel] of panels.entries()) {
    const tab = tabs[index];
    if (tab === undefined) return;
    // Copies of the panel keep the name.
    panel.attribs['aria-labelledby'] = tab.attribs.id ?? `tab ${found.byId.size}`;
    found.byId.set(panel.attribs['aria-labelledby'], tab);
    found.inOrder.set(tab, panel);
  }
}

const isLabel = ({ name }: Element) => name === 'label';

/** Tabs without scripts: boxes of which one is ticked, their labels, and as many panels, also in an element of their own. */
function pairBoxes(around: Element, found: Tabs): void {
  const isBox = ({ name, attribs }: Element) => name === 'input' && attribs.type === 'radio';
  const children = getElements(around);
  const boxes = children.filter(isBox);
  if (boxes.length < 2) return;
  const parts = children.filter((child) => !isBox(child));
  const areLabels = (element: Element) =>
    isLabel(element) || (getElements(element).length > 0 && getElements(element).every(isLabel));
  const labels = parts.filter(areLabels).flatMap((part) => (isLabel(part) ? part : getElements(part)));
  const byBox = new Map(labels.map((label) => [label.attribs.for, label]));
  const tabs = boxes.flatMap(({ attribs }) => byBox.get(attribs.id) ?? []);
  const panels = parts.filter((part) => !areLabels(part));
  const [panel] = panels;
  pair(tabs, panel !== undefined && panels.length === 1 ? getElements(panel) : panels, found);
}

/** The most that a tab says, in characters. */
const longestTab = 40;
const tabClass = /(?:^|[\s_-])tab(?:s|links?)?(?:$|[\s_-])/i;
const isCalledTab = ({ attribs }: Element) => tabClass.test(attribs.class ?? '');
const isInPage = ({ attribs }: Element) => /^(?:#|javascript:|$)/.test(attribs.href ?? '');

/** The boxes right behind an element, at most as many as `most`. */
function boxesBehind(element: Element, most: number): Element[] {
  const found: Element[] = [];
  let next = nextElement(element);
  for (; next !== undefined && boxes.test(next.name) && found.length < most; next = nextElement(next))
    found.push(next);
  return found;
}

/** Tabs that only a class calls so: short texts that lead to no other page, and right behind them as many blocks. */
function pairNamed(list: Element, found: Tabs): void {
  const tabs = getElements(list).filter((child) => getText(child).trim() !== '' || child.name === 'button');
  const [next, ...others] = boxesBehind(list, tabs.length);
  if (next === undefined || tabs.some((tab) => shownText(tab).length > longestTab)) return;
  const links = tabs.flatMap((tab) => (tab.name === 'a' ? tab : getElements(tab)));
  const isKnown = ({ attribs }: Element) =>
    found.byPanel.has(attribs.id ?? '') || attribs.role === 'tabpanel' || 'aria-labelledby' in attribs;
  const isAlike = (other: Element) =>
    other.name === next.name && getClasses(other)[0] === getClasses(next)[0];
  const beside = [next, ...others.filter(isAlike)];
  const panels =
    beside.length === tabs.length ? beside : getElements(next).filter(({ name }) => boxes.test(name));
  if (links.every(isInPage) && !panels.some(isKnown)) pair(tabs, panels, found);
}

/** All tabs of the page that a node is in. They are looked for once, before parts of the page are taken out of it. */
function tabsAround(node: AnyNode): Tabs {
  let top = node;
  while (top.parent !== null) top = top.parent;
  const found = known.get(top) ?? { byPanel: new Map(), byId: new Map(), inOrder: new Map() };
  if (known.has(top)) return found;
  known.set(top, found);
  const lists: Element[] = [];
  const named: Element[] = [];
  const walk = (element: AnyNode, isInTabs: boolean) => {
    let isInside = isInTabs;
    if (isTag(element)) {
      const { attribs, name } = element;
      isInside ||= tabsClass.test(attribs.class ?? '');
      if (attribs.role === 'tablist') lists.push(element);
      else if (isCalledTab(element) || getElements(element).some(isCalledTab)) named.push(element);
      if (/tab/i.test(attribs.class ?? '')) pairBoxes(element, found);
      if (isTab(element) || (isInside && /^(?:a|button)$/.test(name))) {
        for (const id of targetsOf(element)) if (!found.byPanel.has(id)) found.byPanel.set(id, element);
        if (isTab(element) && attribs.id !== undefined) found.byId.set(attribs.id, element);
      }
    }
    if (hasChildren(element)) for (const child of element.children) walk(child, isInside);
  };
  walk(top, false);
  for (const list of lists) pairInOrder(list, found);
  for (const list of named) pairNamed(list, found);
  return found;
}

const boxes = /^(?:div|section|article|aside|form|fieldset|table|ul|ol|dl)$/;

/** The tab that shows an element, as its attributes say; undefined where it is no panel. `page`: the page, or a part of it. */
export function tabOf({ attribs, name }: Element, page: AnyNode): Element | undefined {
  const { id, role, 'aria-labelledby': by } = attribs;
  if (!boxes.test(name) || (id === undefined && by === undefined && role !== 'tabpanel')) return undefined;
  const { byPanel, byId } = tabsAround(page);
  const own = byPanel.get(attribs.id ?? '') ?? byId.get((attribs['aria-labelledby'] ?? '').trim());
  return own !== undefined && shownText(own) !== '' ? own : undefined;
}

/** The tab of the innermost panel that an element is in. */
export function tabAround(element: Element): Element | undefined {
  for (let node: Element | null = element; node !== null; node = getParent(node)) {
    const tab = tabOf(node, node);
    if (tab !== undefined) return tab;
  }
  return undefined;
}

/** `all`: the elements of the page. */
export function findPanels(html: CheerioAPI, all: Cheerio<Element>): Panels {
  const tabs = html.root().toArray().map(tabsAround);
  const weights = new Weights();
  const byId = new Map(
    all
      .toArray()
      .filter(({ attribs }) => attribs.id !== undefined)
      .map((element) => [element.attribs.id, element]),
  );
  const isContent = (panel: Element | undefined): panel is Element =>
    panel !== undefined && weights.of(panel).text > 0 && !areLinks(weights.of(panel));
  const found = new Set(all.filter(panels).toArray().filter(isContent));
  const opening = new Set<Element>();
  const leading = new Set(tabs.flatMap(({ inOrder }) => [...inOrder.keys()]));
  for (const panel of tabs.flatMap(({ inOrder }) => [...inOrder.values()]))
    if (isContent(panel)) found.add(panel);
  for (const opener of all.filter(openers).toArray()) {
    if (html(opener).closest(menus).length > 0) continue;
    const named = targetsOf(opener).map((id) => byId.get(id));
    const opened = [...named, ...tabs.map(({ inOrder }) => inOrder.get(opener)), hiddenBehind(opener)];
    if (opened.some((panel) => panel !== undefined)) leading.add(opener);
    for (const panel of opened.filter(isContent)) found.add(panel);
    if (opened.some(isContent)) opening.add(opener);
  }
  for (const [id, tab] of tabs.flatMap(({ byPanel }) => [...byPanel])) {
    const panel = byId.get(id);
    if (isContent(panel) && html(tab).closest(menus).length === 0) found.add(panel);
  }
  for (const head of all.filter(folded).not(openers).toArray()) {
    const panel = hiddenBehind(head);
    if (!isContent(panel) || shownText(head) === '' || html(head).closest(menus).length > 0) continue;
    found.add(panel);
    opening.add(head);
  }
  for (const button of all.filter('button').not(openers).toArray()) {
    if (shownText(button) === '' || html(button).closest(menus).length > 0) continue;
    if (opensByName(button) && isContent(nextElement(placeOf(button)))) opening.add(button);
    const panel = targetsOf(button)
      .flatMap((id) => byId.get(id) ?? [])
      .find(isHidden);
    if (!isContent(panel) || 'aria-haspopup' in button.attribs) continue;
    found.add(panel);
    // Where it is a tab, the panel gets its name.
    (tabOf(panel, panel) === undefined ? opening : leading).add(button);
  }
  return { panels: found, openers: opening, leading };
}
