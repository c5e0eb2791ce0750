/** Formulas of a page as TeX: what their authors wrote if the page keeps it, else what MathML draws. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse, getElements } from './elements.ts';

/** In braces unless it is one sign. */
const grouped = (tex: string) => (/^(?:.|\\[a-z]+)$/iu.test(tex) ? tex : `{${tex}}`);

const structures: Readonly<Record<string, (...parts: string[]) => string>> = {
  mfrac: (above = '', below = '') => `\\frac{${above}}{${below}}`,
  msup: (base = '', raised = '') => `${grouped(base)}^${grouped(raised)}`,
  mover: (base = '', above = '') => placed(base, '', above),
  msub: (base = '', lowered = '') => `${grouped(base)}_${grouped(lowered)}`,
  munder: (base = '', below = '') => placed(base, below, ''),
  msubsup: (base = '', lowered = '', raised = '') =>
    `${grouped(base)}_${grouped(lowered)}^${grouped(raised)}`,
  munderover: (base = '', below = '', above = '') => placed(base, below, above),
  msqrt: (...parts) => `\\sqrt{${parts.join('')}}`,
  mroot: (base = '', degree = '') => `\\sqrt[${degree}]{${base}}`,
  mtr: (...cells) => cells.join(' & '),
  mtable: (...rows) => rows.join(' \\\\ '),
  mtext: (...parts) => ` ${parts.join('')} `,
  // It only takes its place.
  mphantom: () => '',
  none: () => '',
};

/** Limits stand below and above a large sign, or a word such as "lim"; a bar or a hat above anything else. */
function placed(base: string, below: string, above: string): string {
  if (/^(?:[\p{Sm}\u220f]|\p{L}{2,})$/u.test(base))
    return `${base}${below && `_${grouped(below)}`}${above && `^${grouped(above)}`}`;
  const under = below === '' ? base : `\\underset{${below}}{${base}}`;
  return above === '' ? under : `\\overset{${above}}{${under}}`;
}

/** `mmultiscripts`: pairs of an index and an exponent behind the base, then those before it. */
function withScripts([base, ...scripts]: readonly Element[]): string {
  const behind: string[] = [];
  const before: string[] = [];
  let [side, place] = [behind, 0];
  for (const script of scripts) {
    if (script.name === 'mprescripts') [side, place] = [before, 0];
    else {
      const text = drawn(script);
      if (text !== '') side.push(`${place % 2 === 0 ? '_' : '^'}${grouped(text)}`);
      place += 1;
    }
  }
  const own = base === undefined ? '' : drawn(base);
  return `${before.length > 0 ? `{}${before.join('')}` : ''}${own}${behind.join('')}`;
}

/** What only the attributes of an element tell. */
function drawnByAttributes(element: Element): string | undefined {
  const { name, attribs } = element;
  if (name === 'mmultiscripts') return withScripts(getElements(element));
  if (name === 'mfenced') {
    const marks = [...(attribs.separators ?? ',').replace(/\s/g, '')];
    const parts = getElements(element).map(drawn);
    const inner = parts.map((part, index) =>
      index === 0 ? part : `${marks[Math.min(index, marks.length) - 1] ?? ''}${part}`,
    );
    return `${attribs.open ?? '('}${inner.join('')}${attribs.close ?? ')'}`;
  }
  if (name !== 'menclose') return undefined;
  const content = getElements(element).map(drawn).join('');
  if (/strike/.test(attribs.notation ?? '')) return `\\cancel{${content}}`;
  return /radical/.test(attribs.notation ?? '') ? `\\sqrt{${content}}` : content;
}

function drawn(node: AnyNode): string {
  if (isText(node)) return collapse(node.data);
  if (!isTag(node) || /^annotation/.test(node.name)) return '';
  const special = drawnByAttributes(node);
  if (special !== undefined) return special;
  const isPair = structures[node.name] !== undefined && node.name !== 'mtext';
  const parts = (isPair ? getElements(node) : node.children).map(drawn);
  return structures[node.name]?.(...parts) ?? parts.join('');
}

/** The TeX of a `math` element. */
function toTex(html: CheerioAPI, math: Element): string {
  const notes = html(math).find('annotation').toArray();
  const isTex = ({ attribs }: Element) => /(?:^|[^a-z])(?:la)?tex$/i.test(attribs.encoding ?? '');
  const written = html(notes.filter(isTex)).first().text();
  const tex = collapse(written) || collapse(math.attribs.alttext ?? '') || collapse(drawn(math));
  return tex.replace(/^\{\\(?:display|text)style\s*(.*)\}$/, '$1').trim();
}

/** A formula that MathJax drew stands beside its source: one of the two is enough. */
const drawnTwice =
  '.MathJax, .MathJax_Preview, .MathJax_Display, .MathJax_SVG, .MathJax_CHTML, .MJX_Assistive_MathML';

/** Replaces formulas by what `write` makes of their TeX. Changes the tree. */
export function replaceFormulas(
  html: CheerioAPI,
  root: Element,
  write: (tex: string, isBlock: boolean) => AnyNode,
): void {
  const scripts = html(root).find('script[type^="math/tex"]');
  if (scripts.length > 0) html(root).find(drawnTwice).remove();
  for (const script of scripts.toArray())
    html(script).replaceWith(
      write(collapse(html(script).text()), /mode\s*=\s*display/.test(script.attribs.type ?? '')),
    );
  html(root).find('.katex:has(math) .katex-html').remove();
  for (const math of html(root).find('math').toArray()) {
    const tex = toTex(html, math);
    const isBlock = math.attribs.display === 'block' || html(math).closest('.katex-display').length > 0;
    html(math).replaceWith(write(tex, isBlock));
  }
}
