/** The search of a site: a form that is sent by GET. */
import type { CheerioAPI } from 'cheerio/slim';
import { collapse } from '../../page/elements.ts';

export interface SearchForm {
  /** Without the query. */
  readonly url: string;
  /** The parameter that takes the words. */
  readonly query: string;
  /** The form's other fields, with the values that it sends. */
  readonly constants: Readonly<Record<string, string>>;
  readonly label: string;
}

/** The form that searches the site, if it is sent by GET. */
export function findSearchForm(html: CheerioAPI, base: string): SearchForm | undefined {
  for (const form of html('form').toArray().slice(0, 20)) {
    if (
      /post/i.test(form.attribs.method ?? 'get') ||
      html(form).find('[type="password"], [type="email"]').length > 0
    )
      continue;
    const inputs = html(form).find('input[name]').toArray();
    const about = ({ role, class: name, id, action }: Record<string, string>) => [role, name, id, action];
    const input = inputs.find(
      ({ attribs }) =>
        /^(?:text|search)?$/i.test(attribs.type ?? '') &&
        (attribs.type === 'search' ||
          /^(?:q|s|query|search|keywords?|term|text|find|k|suche|wd)$/i.test(attribs.name ?? '') ||
          /search|suche|find/i.test(
            [attribs.placeholder, attribs['aria-label'], ...about(form.attribs)].join(' '),
          )),
    );
    const name = input?.attribs.name;
    if (input === undefined || name === undefined || !URL.canParse(form.attribs.action ?? '', base)) continue;
    const url = new URL(form.attribs.action || base, base);
    const constants = Object.fromEntries(
      inputs.flatMap(({ attribs: { type, name: own = '', value = '' } }) =>
        type === 'hidden' && value !== '' && !/[{}]/.test(value) ? [[own, value]] : [],
      ),
    );
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
