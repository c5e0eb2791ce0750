/** Formulas of a page as TeX: what their authors wrote if the page keeps it, else what MathML draws. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse, getElements } from './elements.ts';

/** In braces unless it is one sign. */
const grouped = (tex: string) => (/^(?:.|\\[a-z]+)$/iu.test(tex) ? tex : `{${tex}}`);

const structures: Readonly<Record<string, (...parts: string[]) => string>> = {
  mfrac: (above = '', below = '') => `\\frac{${above}}{${below}}`,
  msup: (base = '', raised = '') => `${grouped(base)}^${grouped(raised)}`,
  mover: (base = '', above = '') => `${grouped(base)}^${grouped(above)}`,
  msub: (base = '', lowered = '') => `${grouped(base)}_${grouped(lowered)}`,
  munder: (base = '', below = '') => `${grouped(base)}_${grouped(below)}`,
  msubsup: (base = '', lowered = '', raised = '') =>
    `${grouped(base)}_${grouped(lowered)}^${grouped(raised)}`,
  munderover: (base = '', below = '', above = '') => `${grouped(base)}_${grouped(below)}^${grouped(above)}`,
  msqrt: (...parts) => `\\sqrt{${parts.join('')}}`,
  mroot: (base = '', degree = '') => `\\sqrt[${degree}]{${base}}`,
  mtr: (...cells) => cells.join(' & '),
  mtable: (...rows) => rows.join(' \\\\ '),
  mtext: (...parts) => ` ${parts.join('')} `,
};

function drawn(node: AnyNode): string {
  if (isText(node)) return collapse(node.data);
  if (!isTag(node) || /^annotation/.test(node.name)) return '';
  const isPair = structures[node.name] !== undefined && node.name !== 'mtext';
  const parts = (isPair ? getElements(node) : node.children).map(drawn);
  return structures[node.name]?.(...parts) ?? parts.join('');
}

/** The TeX of a `math` element. */
function toTex(html: CheerioAPI, math: Element): string {
  const written = html(math).find('annotation[encoding*="tex" i]').first().text();
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
