/** The next step after a failed run, by the reason that the service gives. */

const advices: readonly (readonly [RegExp, string])[] = [
  [
    /could not be reached|connection broke|took too long|took longer than|HTTP status (429|5\d\d)/i,
    'the website was not available: run the action again in some minutes. A failed run costs nothing.',
  ],
  [
    /no page at this address|HTTP status (404|410)/i,
    'check the param that names the page. Another action of this website may list what exists: search_actions finds it; free.',
  ],
  [
    /not on the default port|not on the public internet|valid URL|Only http and https|user name or password/i,
    'give the address of a public http or https page.',
  ],
  [/robots\.txt/i, 'the website does not allow programs on this page: use another page or another source.'],
  [/larger than|too large|more than \d+ MiB/i, 'use params that return less.'],
  [
    /The page has no |No entry of the |did not answer with|lacks a required value/i,
    'this page does not have what the action reads: give another page, or find another action with search_actions; free.',
  ],
];

export const adviceFor = (message: string): string =>
  advices.find(([reason]) => reason.test(message))?.[1] ??
  'check the params, and run the action again only after you changed them or the site changed.';
