/** Data in standard forms: what feeds, JSON-LD, page state and definition lists hold beyond the usual fields. */
import type { PageSet } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');

const talks = [
  ['Salt roads', '2024-05-03T06:00:00Z', 'Fri, 03 May 2024 06:00:00 GMT', '41:07', 'salt', 'Mara Quist'],
  [
    'The last signal box',
    '2024-04-26T06:00:00Z',
    'Fri, 26 Apr 2024 06:00:00 GMT',
    '1:02:30',
    'signal',
    'Mara Quist',
  ],
  ['Moths', '2024-04-19T06:00:00Z', 'Fri, 19 Apr 2024 06:00:00 GMT', '38:15', 'moths', 'Ole Brandt'],
] as const;

const feeds: readonly PageSet[] = [
  {
    name: 'a podcast: durations, files and notes',
    goal: 'All episodes with title, publication date, duration, speaker and the audio file',
    pages: {
      '/feed.xml': `<?xml version="1.0"?><rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Side tracks</title><link>{origin}/</link><description>Stories</description>
        ${each(talks, ([title, , date, length, file, who]) => `<item><title>${title}</title><link>{origin}/${file}</link><guid isPermaLink="false">${file}-1</guid><pubDate>${date}</pubDate><description><![CDATA[<p>About <b>${file}</b>.</p>]]></description><enclosure url="https://cdn.example/${file}.mp3" length="4000" type="audio/mpeg"/><itunes:duration>${length}</itunes:duration><itunes:author>${who}</itunes:author></item>`)}</channel></rss>`,
    },
    truth: talks.map(([title, date, , duration, file, speaker]) => ({
      title,
      'publication_date|date': date,
      duration,
      speaker,
      audio_file: `https://cdn.example/${file}.mp3`,
    })),
  },
  {
    name: 'an Atom feed that only says when entries were updated',
    goal: 'Entries with name, link, date and who wrote it',
    pages: {
      '/notes.atom': `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><id>{origin}/</id><updated>2024-05-03T06:00:00Z</updated>
        ${each(talks, ([title, date, , , file, who]) => `<entry><id>tag:x,${file}</id><title>${title}</title><updated>${date}</updated><link rel="alternate" href="{origin}/${file}"/><author><name>${who}</name></author><content type="html">&lt;p&gt;${file}&lt;/p&gt;</content></entry>`)}</feed>`,
    },
    truth: talks.map(([name, date, , , file, who]) => ({
      name,
      link: `{origin}/${file}`,
      date,
      'who_wrote|author': who,
    })),
  },
  {
    name: 'a feed with elements of a namespace of its own',
    goal: 'List the vacancies: title, employer, salary, town',
    pages: {
      '/jobs.rss': `<?xml version="1.0"?><rss version="2.0" xmlns:job="https://jobs.example/ns"><channel><title>Vacancies</title><link>{origin}/</link><description>All jobs</description>
        ${each(
          [
            ['Miller', 'Old Mill', '31000', 'Leek'],
            ['Cooper', 'Barrel & Co', '29500', 'Ripon'],
            ['Baker', 'Crumb', '27000', 'Frome'],
          ],
          ([title, company, pay, town]) =>
            `<item><title>${title}</title><link>{origin}/${title}</link><job:company>${company?.replace('&', '&amp;')}</job:company><job:salary>${pay}</job:salary><job:location>${town}</job:location></item>`,
        )}</channel></rss>`,
    },
    truth: [
      { title: 'Miller', employer: 'Old Mill', salary: 31000, town: 'Leek' },
      { title: 'Cooper', employer: 'Barrel & Co', salary: 29500, town: 'Ripon' },
      { title: 'Baker', employer: 'Crumb', salary: 27000, town: 'Frome' },
    ],
  },
];

export const standards: readonly PageSet[] = [...feeds];
