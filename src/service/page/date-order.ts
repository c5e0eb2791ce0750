/** What a page tells about the order of day and month in its dates. */
import { orderOfDates } from '../../compare/date.ts';

const monthFirstRegions = /-(?:US|PH|PR)$/i;
const monthFirstHosts = /\.(?:gov|mil|edu|us)$/i;
const dayFirstHosts = /\.(?!us$)[a-z]{2}$/i;
/** Country domains of sites from everywhere, and of countries that write both orders. */
const openHosts = /\.(?:ai|app|ca|cc|co|fm|gg|io|ly|me|ph|sh|so|to|tv|ws)$/i;
const openRegions = /^en-CA$/i;

/**
 * Whether the month comes first, by all dates of the page, else by its language (as in `lang`, empty where it says nothing)
 * and its country; undefined where they do not tell.
 */
export function findDateOrder(source: string, lang: string, host: string): boolean | undefined {
  const told = orderOfDates(source);
  if (told !== undefined) return told;
  const [language = '', region = ''] = lang.split(/[-_]/);
  if (monthFirstRegions.test(lang) || monthFirstHosts.test(host)) return true;
  if (openRegions.test(lang)) return undefined;
  if ((language !== '' && language !== 'en') || region !== '') return false;
  return dayFirstHosts.test(host) && !openHosts.test(host) ? false : undefined;
}
