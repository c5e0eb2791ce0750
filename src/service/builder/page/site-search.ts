/** The search of a site: a form, or its OpenSearch description. */
import type { CheerioAPI } from 'cheerio/slim';
import { collapse } from './elements.ts';

export interface SearchForm {
  /** Without the query. */
  readonly url: string;
  /** The parameter that takes the words. */
  readonly query: string;
  /** What the form sends besides. */
  readonly constants: Readonly<Record<string, string>>;
  readonly label: string;
}

/** The form that searches the site, if it is sent by GET. */
export function searchFormOf(html: CheerioAPI, base: string): SearchForm | undefined {
  for (const form of html('form').toArray().slice(0, 20)) {
    if (
      /post/i.test(form.attribs.method ?? 'get') ||
      html(form).find('[type="password"], [type="email"]').length > 0
    )
      continue;
    const inputs = html(form).find('input[name]').toArray();
    const texts = inputs.filter(({ attribs }) => /^(?:text|search)?$/i.test(attribs.type ?? ''));
    const input = texts.find(
      ({ attribs }) =>
        attribs.type === 'search' ||
        /^(?:q|s|query|search|keywords?|term|text|find|k|suche|wd)$/i.test(attribs.name ?? '') ||
        /search|suche|find/i.test(
          `${attribs.placeholder ?? ''} ${attribs['aria-label'] ?? ''} ${form.attribs.role ?? ''} ${form.attribs.class ?? ''} ${form.attribs.id ?? ''} ${form.attribs.action ?? ''}`,
        ),
    );
    const name = input?.attribs.name;
    if (input === undefined || name === undefined || !URL.canParse(form.attribs.action ?? '', base)) continue;
    const url = new URL(form.attribs.action || base, base);
    const constants: Record<string, string> = {};
    for (const { attribs } of inputs)
      if (
        attribs.type === 'hidden' &&
        attribs.name !== undefined &&
        (attribs.value ?? '') !== '' &&
        !/[{}]/.test(attribs.value ?? '')
      )
        constants[attribs.name] = attribs.value ?? '';
    url.search = '';
    url.hash = '';
    const label =
      collapse(html(input).closest('label').text()) ||
      input.attribs['aria-label'] ||
      input.attribs.placeholder ||
      'Words to search for';
    return { url: url.href, query: name, constants, label: label.slice(0, 80) };
  }
  return undefined;
}

/** Where the page says how the site is searched (OpenSearch 1.1). */
export function openSearchOf(html: CheerioAPI, base: string): string | undefined {
  const href = html('link[rel~="search"][type="application/opensearchdescription+xml"]').attr('href');
  return href !== undefined && URL.canParse(href, base) ? new URL(href, base).href : undefined;
}

/** The search that an OpenSearch description names for people: `{searchTerms}` alone in one query parameter. */
export function openSearchForm(html: CheerioAPI, base: string): SearchForm | undefined {
  for (const { attribs } of html('Url, url').toArray()) {
    const { template = '', type = 'text/html' } = attribs;
    if (!/html/i.test(type) || /post/i.test(attribs.method ?? '')) continue;
    const address = template.replace(/\{searchTerms\}/g, 'svcsearchterms').replace(/\{[^}]*\}/g, '');
    if (!URL.canParse(address, base)) continue;
    const url = new URL(address, base);
    const query = [...url.searchParams].find(([, value]) => value === 'svcsearchterms')?.[0];
    if (query === undefined) continue;
    const constants = [...url.searchParams].filter(([name, value]) => name !== query && value !== '');
    const label = collapse(html('ShortName, shortname').first().text());
    url.search = '';
    return {
      url: url.href,
      query,
      constants: Object.fromEntries(constants),
      label: `Words to search for${label === '' ? '' : ` in ${label.slice(0, 60)}`}`,
    };
  }
  return undefined;
}
