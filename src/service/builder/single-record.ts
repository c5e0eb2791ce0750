/** Pages about one thing: labelled values, named elements, the article's text, and what the page's head says. */
import type { Element } from 'domhandler';
import type { Document } from '../recipes/document.ts';
import { articleParts } from '../recipes/schema.ts';
import { type Candidate, type Column, fieldOf, type NamedColumn } from './candidate.ts';
import { columnsOf } from './columns.ts';
import { collapse, elementsOf, literally, quoted, shownText } from './elements.ts';
import { labelledValues } from './labelled-values.ts';
import { pathTo } from './row-selectors.ts';
import { inside } from './selectors.ts';
import { surroundings } from './surroundings.ts';
import { typeOfTexts, type ValueType } from './value-type.ts';
import { wordsOf } from './words.ts';

const maxPairs = 60;
/** Elements looked at for lines with labels. */
const maxLines = 2_000;

const columnOf = (column: Pick<Column, 'source' | 'names' | 'type'> & Partial<Column>): Column => ({
  nearNames: [],
  isTitle: false,
  fill: 1,
  constant: false,
  length: 20,
  samples: [],
  order: 0,
  ...column,
});

/** Labels and their values, lists among them. */
function labelledColumns({ html }: Document, language: string): Column[] {
  return labelledValues(html).flatMap(({ label, element, select, items }): Column[] => {
    const names = wordsOf(label);
    if (items !== undefined)
      return [
        columnOf({ source: { in: 'html', select: items, all: true }, names, type: plain('text') }),
        ...(html(items).length === 1
          ? [columnOf({ source: { in: 'html', select: items }, names, type: plain('text') })]
          : []),
      ];
    const value = shownText(element);
    const type = typeOfTexts([value], language);
    if (html(element).find('time[datetime]').length > 0)
      return [
        columnOf({
          source: { in: 'html', select: `${select} time`, attribute: 'datetime' },
          names: [...names, 'date'],
          type: { rules: { type: 'date' } },
        }),
      ];
    const links = html(element).find('a[href]');
    const leads = links.length === 1 && /^https?:/.test(links.attr('href') ?? '');
    return [
      columnOf({ source: { in: 'html', select }, names, type, samples: [value], length: value.length }),
      ...(leads
        ? [
            columnOf({
              source: { in: 'html', select: `${select} a` },
              names: [...names, 'link'],
              type: { rules: { type: 'url' } },
              samples: [links.attr('href') ?? ''],
            }),
          ]
        : []),
    ];
  });
}

const lineLabel = /^(\p{L}[\p{L} /()#.-]{1,28}?)\s*:\s*(\S.*)$/u;

/** "ISBN: 978…" in an item, a paragraph or a line of its own, the label in bold or not. */
function lineColumns(document: Document, language: string): Column[] {
  const { html } = document;
  const seen = new Set<string>();
  return html('li, p, div, td, span')
    .toArray()
    .slice(0, maxLines)
    .flatMap((element): Column[] => {
      const text = shownText(element);
      const [, label, value] = text.length > 160 ? [] : (lineLabel.exec(text) ?? []);
      if (label === undefined || value === undefined || seen.has(label) || seen.size >= maxPairs) return [];
      // The smallest element that holds both.
      if (elementsOf(element).some((child) => lineLabel.test(shownText(child)))) return [];
      const select = `${element.name}:contains(${quoted(`${label}:`)})`;
      if (
        html(select)
          .filter((_, one) => shownText(one).startsWith(label))
          .get(0) !== element
      )
        return [];
      const first = html(select).get(0);
      if (first !== element) return [];
      seen.add(label);
      const type = typeOfTexts([value], language);
      const match = `^${literally(label)}\\s*:\\s*(.*)`;
      return [
        columnOf({
          source: { in: 'html', select },
          names: /^by$/i.test(label) ? ['author'] : wordsOf(label),
          type: { ...type, rules: { ...type.rules, match } },
          samples: [value],
        }),
      ];
    });
}

const byline = /^(By|Von|Par|Por|Di|Door|Av|Af)\s+\p{Lu}[\p{L}.'’-]*(?:\s+\S+){1,8}$/u;

/** "By Ann Lee", where nothing but these words tells whose it is. */
function bylineColumns({ html }: Document): Column[] {
  for (const element of html('p, span, div, address, li, a').toArray().slice(0, maxLines)) {
    const text = shownText(element);
    const [, by] = text.length > 80 ? [] : (byline.exec(text) ?? []);
    if (by === undefined || elementsOf(element).some((child) => byline.test(shownText(child)))) continue;
    const select = `${element.name}:contains(${quoted(`${by} `)})`;
    if (html(select).get(0) !== element || html(element).closest(elsewhere).is('nav, footer, aside'))
      continue;
    const rules = { type: 'text', match: `^${by}\\s+(.*)` } as const;
    return [
      columnOf({ source: { in: 'html', select }, names: ['author'], type: { rules }, samples: [text] }),
    ];
  }
  return [];
}

const plain = (type: 'text' | 'image' | 'date'): ValueType => ({ rules: { type } });

function headColumns(document: Document): Column[] {
  const { html } = document;
  const parts: [select: string, names: string[], type: ValueType][] = [
    ['meta[name="description"]', ['description', 'summary'], plain('text')],
    ['meta[property="og:image"]', ['image'], plain('image')],
    [
      'meta[name="author"], meta[property="article:author"]:not([content^="http"])',
      ['author'],
      plain('text'),
    ],
    ['meta[property="article:published_time"]', ['date', 'published'], plain('date')],
    ['meta[property="article:modified_time"]', ['modified', 'updated'], plain('date')],
    ['meta[property="article:section"]', ['section', 'category'], plain('text')],
    ['meta[property="og:site_name"]', ['site', 'publisher', 'source'], plain('text')],
    ['meta[name="keywords"]', ['keyword'], plain('text')],
  ];
  const tags = 'meta[property="article:tag"]';
  return [
    ...parts
      .filter(([select]) => (html(select).attr('content') ?? '').trim() !== '')
      .map(([select, names, type]) =>
        columnOf({ source: { in: 'html', select, attribute: 'content' }, names, type }),
      ),
    ...(html(tags).length > 0
      ? [
          columnOf({
            source: { in: 'html', select: tags, attribute: 'content', all: true },
            names: ['tag', 'keyword'],
            type: plain('text'),
          }),
        ]
      : []),
  ];
}

const elsewhere = 'nav, header, footer, aside, [role="navigation"]';

/** One record of all that the page names, without what stands in its repeated records. */
export function pageCandidate(document: Document, language: string, root: Element): Candidate | undefined {
  const { html } = document;
  const main = html('main, [role="main"], article').get(0) ?? root;
  const selector = pathTo(main, { html, language, root });
  const pairs = labelledColumns(document, language);
  const named = columnsOf([[main]], { html, language, list: selector })
    .filter(
      ({ source, names }) =>
        source.in === 'html' &&
        source.select !== undefined &&
        !source.select.startsWith(':scope') &&
        names.length > 0,
    )
    .map((column) => ({
      column,
      found: html(main).find(inside(column.source.in === 'html' ? (column.source.select ?? '*') : '*')),
    }))
    .filter(
      ({ found, column }) =>
        found.length > 0 &&
        (found.length === 1 || (column.source.in === 'html' && column.source.all === true)),
    )
    .filter(({ found }) => found.closest(elsewhere).length === 0)
    .flatMap(({ column }): Column[] => {
      const { source } = column;
      if (source.in !== 'html') return [];
      // The same selector in the whole page must find the same element first.
      const select =
        html(source.select ?? '').get(0) ===
        html(main)
          .find(source.select ?? '')
          .get(0)
          ? source.select
          : `${selector} ${source.select}`;
      return [
        { ...column, isTitle: false, source: { ...source, ...(select === undefined ? {} : { select }) } },
      ];
    });
  const heading = html('h1');
  const headline = collapse(heading.first().text());
  const title: Column[] =
    headline === ''
      ? []
      : [
          columnOf({
            source: { in: 'html', select: 'h1' },
            names: ['title', 'name'],
            type: plain('text'),
            samples: [headline],
            isTitle: true,
          }),
        ];
  const told = new Set(pairs.map(({ names }) => names.join(' ')));
  const lines = lineColumns(document, language).filter(({ names }) => !told.has(names.join(' ')));
  const isSigned = named.some(({ names }) => names.includes('author'));
  const columns = [
    ...title,
    ...named.filter(
      ({ source, samples }) => source.in !== 'html' || source.all === true || samples[0] !== headline,
    ),
    ...pairs,
    ...lines,
    ...headColumns(document),
    ...(isSigned ? [] : bylineColumns(document)),
  ];
  if (columns.length === 0) return undefined;
  return {
    kind: pairs.length + lines.length >= 3 ? 'definition list' : 'page',
    many: false,
    rows: 1,
    about: [...surroundings(main), ...wordsOf(heading.text().slice(0, 100))],
    columns,
    extract: (fields: readonly NamedColumn[]) => ({
      kind: 'html',
      fields: Object.fromEntries(fields.map((field) => [field.name, fieldOf(field, false)])),
    }),
  };
}

const folded = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * The record of a page with what its JSON-LD states of the same thing. Of a product the one often has the number and the
 * brand, the other what it was before and how many rated it.
 */
export function withStated(
  page: Candidate,
  candidates: readonly Candidate[],
  html: Document['html'],
): Candidate {
  const heading = folded(html('h1').first().text()) || folded(html('title').first().text());
  const stated = candidates.find(({ many, kind, columns }) => {
    const name = folded(columns.find(({ isTitle }) => isTitle)?.samples[0] ?? '');
    const isSame = name !== '' && heading !== '' && (name.includes(heading) || heading.includes(name));
    return !many && kind === 'structured data' && isSame;
  });
  if (stated === undefined) return page;
  const extract = stated.extract(stated.columns.map((column, index) => ({ name: String(index), column })));
  if (extract.kind !== 'json' || extract.script === undefined) return page;
  const { script, fields = {} } = extract;
  const hasHeading = page.columns.some(({ isTitle }) => isTitle);
  const columns = stated.columns.flatMap((column, index): Column[] => {
    const path = fields[index]?.path;
    // The heading is what the page itself calls it.
    if (path === undefined || (column.isTitle && hasHeading)) return [];
    return [{ ...column, source: { in: 'script', script, path } }];
  });
  return { ...page, columns: [...columns, ...page.columns] };
}

const articleNames: Readonly<Record<(typeof articleParts)[number], string[]>> = {
  title: ['title', 'headline', 'name'],
  author: ['author'],
  published: ['published', 'date'],
  summary: ['summary', 'excerpt'],
  text: ['text', 'body', 'content'],
  image: ['image'],
  site_name: ['site', 'publisher', 'source'],
  language: ['language'],
};

/** A page of running text; what it holds is known only after it was read. */
export function articleCandidate(
  record: Readonly<Record<string, unknown>>,
  html: Document['html'],
): Candidate | undefined {
  const paragraphs = html('p')
    .toArray()
    .filter((paragraph) => shownText(paragraph).length > 80 && elementsOf(paragraph).length < 30);
  const { text } = record;
  if (typeof text !== 'string' || text.length < 400 || paragraphs.length < 2) return undefined;
  const columns = articleParts
    .filter((part) => record[part] !== null && record[part] !== undefined)
    .map((part) =>
      columnOf({
        source: { in: 'article', part },
        names: articleNames[part],
        type: plain(part === 'image' ? 'image' : part === 'published' ? 'date' : 'text'),
        isTitle: part === 'title',
      }),
    );
  return {
    kind: 'article',
    many: false,
    rows: 1,
    about: ['article', 'story', 'post', 'news', ...wordsOf(String(record.title ?? ''))],
    columns,
    extract: (fields: readonly NamedColumn[]) => ({
      kind: 'article',
      fields: Object.fromEntries(
        fields.flatMap(({ name, column }) => {
          const part =
            column.source.in === 'article'
              ? articleParts.find((one) => column.source.in === 'article' && one === column.source.part)
              : undefined;
          return part === undefined ? [] : [[name, part]];
        }),
      ),
    }),
  };
}
