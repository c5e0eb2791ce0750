/** Pages shown instead of the content: a sign-in form, a consent form, a check for people, an error. */
import type { CheerioAPI } from 'cheerio/slim';
import { isTag } from 'domhandler';
import { Weights } from '../page/weights.ts';

export interface Signs {
  readonly asksPassword: boolean;
  readonly asksPerson: boolean;
  /** Characters in forms that ask for consent. */
  readonly consent: number;
  readonly title: string;
  readonly scripts: number;
  /** Characters of text in the whole page. */
  readonly text: number;
}

const personCheck =
  /captcha|challenge-(?:form|platform|running)|cf-chl|turnstile|px-block|datadome|incapsula/i;
const consentName = /consent|cookie|gdpr|onetrust|usercentrics/i;
const errorTitle =
  /\b(?:40[0134]|410|50[0234])\b(?!\s*(?:€|\$|%))|\b(?:page|file|site|content) (?:was |is |could )?(?:not (?:be )?found|unavailable|does(?:n't| not) exist)|access denied|forbidden|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)|página no encontrada|pagina non trovata|pagina niet gevonden|internal server error|bad gateway|service unavailable/i;

/** Call it before the surroundings of the content are removed. */
export function readSigns(html: CheerioAPI): Signs {
  const weights = new Weights();
  const checks = html('form, iframe, script[src], div[id], div[class]').toArray().filter(isTag);
  return {
    asksPassword:
      html('input[type="password"]').filter(
        (_, element) => html(element).closest('[hidden], dialog, nav, header').length === 0,
      ).length > 0,
    asksPerson: checks.some(({ attribs }) =>
      personCheck.test(
        `${attribs.id ?? ''} ${attribs.class ?? ''} ${attribs.action ?? ''} ${attribs.src ?? ''}`,
      ),
    ),
    consent: html('form, dialog, div, section, aside')
      .toArray()
      .filter(({ attribs }) =>
        consentName.test(`${attribs.id ?? ''} ${attribs.class ?? ''} ${attribs.action ?? ''}`),
      )
      .reduce((most, element) => Math.max(most, weights.of(element).text), 0),
    title: `${html('title').first().text()} ${html('h1').first().text()}`
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 300),
    scripts: html('script:not([type]), script[type*="javascript"], script[type="module"]').length,
    text:
      html('body').text().replace(/\s+/g, ' ').length -
      html('body script, body style').text().replace(/\s+/g, ' ').length,
  };
}

/**
 * A sentence that names the obstacle; undefined if the page has content of its own. `length` is the content's length,
 * `hasContent` whether the page's own data calls it an article, a product or the like.
 */
export function findObstacle(signs: Signs, length: number, hasContent: boolean): string | undefined {
  if (signs.asksPerson && signs.text < 1_000 && !hasContent)
    return 'The site checks whether a person reads the page, and does not show it to programs';
  if (signs.asksPassword && length < 600 && signs.text < 3_000 && !hasContent)
    return 'The page asks its readers to sign in, and shows nothing else';
  if (errorTitle.test(signs.title) && length < 1_500)
    return 'The site answers with an error page, although its status says that all is well';
  if (signs.consent > length && signs.consent > 150 && length < 300)
    return 'The page asks for consent, and shows nothing else before that';
  return undefined;
}
