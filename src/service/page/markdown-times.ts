/** The days of moments that a page tells as "yesterday" and "9 months ago". */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, Text } from 'domhandler';
import { collapse } from './elements.ts';

const ago = 'ago|vor|il y a|hace|fa|geleden|sedan|siden|temu';
const relative = new RegExp(
  String.raw`^(?:[^\d]*|.*\b(?:${ago})\b.*|\d+\s*(?:s|m|h|d|w|mo|y|min|hrs?|days?|weeks?|months?|years?))$`,
  'i',
);
const sinceNow = new RegExp(String.raw`(?:^|\s)(?:${ago}|yesterday|gestern|hier|ayer|ieri)(?:\s|$)`, 'i');
/** The most that a note about a day says, in characters: "See the timeline at Mar 3, 2026, 9:12:00 AM". */
const longestNote = 60;

/** Writes the day behind such a text, where its element, or a note to those who point at it, says the day. */
export function tellDays(html: CheerioAPI, root: Element): void {
  for (const element of html(root).find('time, [title]').not('abbr, acronym, dfn').toArray()) {
    const { datetime = '', title = '' } = element.attribs;
    const text = collapse(html(element).text());
    const moment = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?/.exec(datetime)?.[0];
    const note = collapse(title);
    if (moment !== undefined && element.name === 'time' && relative.test(text))
      html(element).append(new Text(text === '' ? moment.replace('T', ' ') : ` (${moment.slice(0, 10)})`));
    else if (/(?<!\d)(?:19|20)\d\d(?!\d)/.test(note) && note.length <= longestNote && sinceNow.test(text))
      html(element).append(new Text(` (${note})`));
  }
}
