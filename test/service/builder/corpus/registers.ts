/** Registers and archives: labels within a line, words before a date, arrows to the next page, and fixtures that are no results. */
import { frame, type PageSet, page } from './page-set.ts';

const licences = [
  ['Pavement tables for the Blue Teapot', 'LIC/2031/14', 'Tue 04 Feb 2025', '2025-02-04', 'Granted'],
  ['Late music at the Corn Exchange', 'LIC/2031/15', 'Fri 14 Feb 2025', '2025-02-14', 'Under review'],
  ['Street stall, Harbour Row', 'LIC/2031/17', 'Mon 03 Mar 2025', '2025-03-03', 'Under review'],
  ['Pet boarding at Lowfield', 'LIC/2031/22', 'Wed 19 Mar 2025', '2025-03-19', 'Refused'],
  ['Taxi rank extension', 'LIC/2031/25', 'Thu 03 Apr 2025', '2025-04-03', 'Granted'],
] as const;

const recordings = [
  ['Winter concert', '07/12/2024', '2024-12-07'],
  ['Songs of the sea', '22/02/2025', '2025-02-22'],
  ['Mass in the open air', '15/06/2025', '2025-06-15'],
  ['Evening of madrigals', '30/09/2025', '2025-09-30'],
] as const;

const swimmers = [
  [
    ['1', 'Jon Aske', 'Tarn Otters', '14:02'],
    ['2', 'Priya Lund', 'Deep End', '14:40'],
    ['3', 'Marta Quill', 'Tarn Otters', '15:11'],
    ['4', 'Sam Orme', 'Unattached', '15:58'],
  ],
  [
    ['5', 'Lena Fox', 'Deep End', '16:07'],
    ['6', 'Tom Baird', 'Lake Lions', '16:30'],
    ['7', 'Ida Holm', 'Unattached', '17:45'],
  ],
] as const;
const swimPage = (index: 0 | 1, more: string) =>
  page(
    'Tarn swim 2024',
    frame(
      `<h1>Tarn swim 2024: results</h1><table><tr><th>Pos</th><th>Swimmer</th><th>Club</th><th>Time</th></tr>${swimmers[index].map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>${more}`,
    ),
  );
const swims = (index: 0 | 1) =>
  swimmers[index].map(([position, swimmer, club, time]) => ({
    position: Number(position),
    swimmer,
    club,
    time,
  }));

const fixtures = [
  ['4', 'Sat', 'Mill Dash', '8 km', 'Harbour AC', '10:30'],
  ['12', 'Sun', 'Quarry Relay', '4 × 3 km', 'Fen Harriers', '18:45'],
  ['19', 'Sun', 'Two Bridges', '15 km', 'Dale Runners', '11:00'],
  ['26', 'Sun', 'Castle Climb', '6 km', 'Harbour AC', '13:15'],
] as const;

export const registers: readonly PageSet[] = [
  {
    name: 'register with labels and days of the week in one line',
    goal: 'licence applications: reference, application, received, status',
    pages: {
      '/register': page(
        'Licensing register',
        frame(
          `<h1>Licence applications</h1><ul class="results">${licences.map(([title, reference, received, , status], index) => `<li class="hit"><a href="/register/${index}">${title}</a><p class="facts">\n Ref. No:\n ${reference}\n <span class="bar">|</span>\n Received: ${received}\n <span class="bar">|</span>\n Status: ${status}\n</p></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: licences.map(([application, reference, , received, status]) => ({
      reference,
      application,
      received,
      status,
    })),
  },
  {
    name: 'archive with words before the date',
    goal: 'recordings with title and concert date',
    pages: {
      '/archive': page(
        'Recordings',
        frame(
          `<h1>Recordings</h1><ul>${recordings.map(([title, date], index) => `<li><a href="/audio/${index}.mp3">${title}</a> <span class="meta">concert given ${date}</span></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: recordings.map(([title, , concert_date]) => ({ title, concert_date })),
  },
  {
    name: 'results whose next page is a link with arrows',
    goal: 'position, swimmer, club and time of each swimmer',
    pages: {
      '/tarn.htm': swimPage(0, '<p><a href="tarn-b.htm">Next page &gt;&gt;</a></p>'),
      '/tarn-b.htm': swimPage(1, '<p><a href="tarn.htm">&lt;&lt; Back</a></p>'),
    },
    truth: swims(0),
    second: swims(1),
  },
  {
    name: 'nothing: fixtures where results are asked for',
    goal: 'Get the race results: finishing position, runner name, age category and finish time',
    pages: {
      '/races': page(
        'Fixtures',
        frame(
          `<h1>Races &amp; results</h1><h2 class="month">May 2025</h2>${fixtures.map(([day, weekday, name, length, club, start], index) => `<div class="race"><div class="date"><b>${day}</b> ${weekday}</div><div class="what"><a href="/races/${index}">${name}</a><span>${length}</span></div><div class="club">${club}</div><div class="start">${start}</div></div>`).join('')}`,
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
];
