/**
 * Rows that stand in groups under what holds for all of them: a day, a department, a round, in whatever element; and tables
 * with headers of two rows, abbreviations, sections and totals.
 */
import { chrome, recentPosts } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');
const groupsOf = <T>(rows: readonly (readonly [string, ...T[]])[]) => {
  const groups = new Map<string, (readonly [string, ...T[]])[]>();
  for (const row of rows) groups.set(row[0], [...(groups.get(row[0]) ?? []), row]);
  return [...groups];
};

const keepers = [
  ['Conservation', 'Ida Moen', 'Head of conservation', 'ida@aldermuseum.example'],
  ['Conservation', 'Paulo Reis', 'Textile conservator', 'paulo@aldermuseum.example'],
  ['Conservation', 'Wen Zhao', 'Paper conservator', 'wen@aldermuseum.example'],
  ['Education', 'Runa Dahl', 'School programmes', 'runa@aldermuseum.example'],
  ['Visitor services', 'Tom Achterberg', 'Front desk', 'tom@aldermuseum.example'],
  ['Visitor services', 'Lucy Hale', 'Shop', 'lucy@aldermuseum.example'],
] as const;

const matches = [
  ['Saturday 7 September 2024', '14:00', 'Hollin Vale', 'Marsh End'],
  ['Saturday 7 September 2024', '15:30', 'Kirkby Rangers', 'Oxley'],
  ['Sunday 8 September 2024', '12:00', 'Dunford', 'Sale Moor'],
  ['Sunday 8 September 2024', '14:00', 'Thornley', 'Whitcombe'],
  ['Sunday 8 September 2024', '16:15', 'Eastgate', 'Pemberton'],
  ['Wednesday 11 September 2024', '19:45', 'Oxley', 'Hollin Vale'],
] as const;

const rounds = [
  ['Round 1', 'Anna Bauer', '1–0', 'Jonas Keil'],
  ['Round 1', 'Mira Stolz', '½–½', 'Timo Rust'],
  ['Round 2', 'Jonas Keil', '0–1', 'Mira Stolz'],
  ['Round 2', 'Timo Rust', '1–0', 'Anna Bauer'],
  ['Round 3', 'Anna Bauer', '½–½', 'Mira Stolz'],
  ['Round 3', 'Jonas Keil', '1–0', 'Timo Rust'],
] as const;

const hours = [
  ['Harbour Street', 'Monday–Friday', '08:00', '18:00'],
  ['Harbour Street', 'Saturday', '09:00', '14:00'],
  ['Old Town', 'Tuesday–Friday', '10:00', '19:00'],
  ['Old Town', 'Saturday', '10:00', '16:00'],
  ['Old Town', 'Sunday', '11:00', '15:00'],
] as const;

const gigs = [
  ['2024-11-01', 'The Loose Reeds', 'Cellar Bar', '£12.00'],
  ['2024-11-01', 'Nora Finch', 'Main Hall', '£18.50'],
  ['2024-11-01', 'Drumline', 'Foyer', '£5.00'],
  ['2024-11-02', 'Slow Ferry', 'Main Hall', '£22.00'],
  ['2024-11-02', 'Amber Choir', 'Chapel', '£9.00'],
  ['2024-11-04', 'Kettle Quartet', 'Cellar Bar', '£14.00'],
] as const;
const longDay: Readonly<Record<string, string>> = {
  '2024-11-01': 'Friday 1 November',
  '2024-11-02': 'Saturday 2 November',
  '2024-11-04': 'Monday 4 November',
};

const changes = [
  ['2.1.0', 'Added', 'Reads archives of any size'],
  ['2.1.0', 'Fixed', 'Names with spaces are kept'],
  ['2.0.3', 'Fixed', 'No crash on empty folders'],
  ['2.0.3', 'Fixed', 'Times are those of the file'],
  ['2.0.3', 'Changed', 'Less memory while packing'],
  ['2.0.2', 'Added', 'A quiet mode'],
] as const;

const repairs = [
  ['Shoes', 'New heels', 14.5],
  ['Shoes', 'New soles', 38],
  ['Bags', 'Zip replaced', 22],
  ['Bags', 'Handle sewn', 12],
  ['Bags', 'Lining', 45.9],
  ['Keys', 'Door key', 6.5],
] as const;

const lectures = [
  ['Monday', '9:00', 'Soil physics', 'R. Okafor', 41, 3],
  ['Monday', '11:00', 'Hydrology', 'S. Lind', 28, 0],
  ['Tuesday', '9:00', 'Statistics', 'M. Prado', 77, 12],
  ['Tuesday', '13:00', 'Field methods', 'R. Okafor', 19, 1],
  ['Tuesday', '15:00', 'Cartography', 'H. Vance', 24, 2],
] as const;

const standing = [
  [1, 'Brightwater', 18, 13, 3, 2, 41, 15, 26, 42],
  [2, 'Stannington', 18, 12, 2, 4, 37, 19, 18, 38],
  [3, 'Corley Town', 17, 9, 4, 4, 28, 20, 8, 31],
  [4, 'Upper Denby', 18, 4, 5, 9, 17, 30, -13, 17],
] as const;

const boards = [
  ['Workshop', 'Hand tools', '/b/hand-tools', 412, 5120],
  ['Workshop', 'Machines', '/b/machines', 233, 2904],
  ['Materials', 'Hardwood', '/b/hardwood', 98, 1201],
  ['Materials', 'Finishes', '/b/finishes', 154, 1777],
  ['Materials', 'Glue', '/b/glue', 41, 390],
  ['Off topic', 'The bench', '/b/bench', 1020, 30411],
] as const;

const tides = [
  ['March 2025', 'Sat 1', '05:12', '4.9'],
  ['March 2025', 'Sun 2', '05:48', '5.1'],
  ['March 2025', 'Mon 3', '06:25', '5.0'],
  ['April 2025', 'Tue 1', '07:03', '5.2'],
  ['April 2025', 'Wed 2', '07:41', '4.8'],
] as const;

const birds = [
  ['Finches', 'Siskin', 4],
  ['Finches', 'Linnet', 11],
  ['Herons', 'Bittern', 1],
  ['Owls', 'Barn owl', 1],
  ['Owls', 'Tawny owl', 2],
  ['Owls', 'Little owl', 1],
] as const;

const treatments = [
  ['Hair', 'Cut', 25],
  ['Hair', 'Colour', 60],
  ['Nails', 'Manicure', 30],
  ['Nails', 'Polish', 18],
  ['Nails', 'Repair', 9],
] as const;

export const grouped: readonly PageSet[] = [
  {
    name: 'staff under headings of departments',
    goal: 'All staff with department, name, role and email',
    pages: {
      '/staff': page(
        'Our people',
        chrome(
          `<h1>Our people</h1><p>Everyone can be reached on weekdays.</p>${each(
            groupsOf(keepers),
            ([department, people]) =>
              `<h3>${department}</h3><ul class="people">${each(
                people,
                ([, name, role, mail]) =>
                  `<li><span class="person">${name}</span><span class="role">${role}</span><a href="mailto:${mail}">${mail}</a></li>`,
              )}</ul>`,
          )}`,
          { sidebar: recentPosts },
        ),
      ),
    },
    truth: keepers.map(([department, name, role, email]) => ({ department, name, role, email })),
  },
  {
    name: 'fixtures with a row for each day, headers in bold',
    goal: 'fixtures: date, kick-off, home team, away team',
    pages: {
      '/fixtures': page(
        'Fixtures',
        frame(
          `<h2>Fixtures</h2><table border="0" cellpadding="4"><tr><td><b>Kick-off</b></td><td><b>Home team</b></td><td><b>Away team</b></td></tr>${each(
            groupsOf(matches),
            ([day, games]) =>
              `<tr bgcolor="#eeeeee"><td colspan="3"><b>${day}</b></td></tr>${each(
                games,
                ([, time, home, away]) => `<tr><td>${time}</td><td>${home}</td><td>${away}</td></tr>`,
              )}`,
          )}</table><p>Times may change.</p>`,
        ),
      ),
    },
    truth: matches.map(([day, kick_off, home_team, away_team]) => ({
      date: new Date(`${day} UTC`).toISOString().slice(0, 10),
      'kick_off|kickoff': kick_off,
      home_team,
      away_team,
    })),
  },
  {
    name: 'results in a table for each round',
    goal: 'chess results by round: round, white, result, black',
    pages: {
      '/results': page(
        'Spring open',
        chrome(
          `<h1>Spring open, results</h1>${each(
            groupsOf(rounds),
            ([round, games]) =>
              `<table class="pairings"><caption>${round}</caption><thead><tr><th>White</th><th>Result</th><th>Black</th></tr></thead><tbody>${each(
                games,
                ([, white, result, black]) => `<tr><td>${white}</td><td>${result}</td><td>${black}</td></tr>`,
              )}</tbody></table>`,
          )}<h2>Prizes</h2><table><thead><tr><th>Place</th><th>Prize</th></tr></thead><tbody><tr><td>1</td><td>€500</td></tr><tr><td>2</td><td>€200</td></tr></tbody></table>`,
        ),
      ),
    },
    truth: rounds.map(([round, white, result, black]) => ({ round, white, result, black })),
  },
  {
    name: 'opening hours of branches that fold out',
    goal: 'opening hours of all branches: branch, days, opens, closes',
    pages: {
      '/branches': page(
        'Branches',
        frame(
          `<h1>Our branches</h1><div class="accordion">${each(
            groupsOf(hours),
            ([branch, days]) =>
              `<details class="branch"><summary>${branch}</summary><ul>${each(
                days,
                ([, day, opens, closes]) =>
                  `<li><span class="days">${day}</span> <span class="opens">${opens}</span> – <span class="closes">${closes}</span></li>`,
              )}</ul></details>`,
          )}</div>`,
        ),
      ),
    },
    truth: hours.map(([branch, days, opens, closes]) => ({ branch, days, opens, closes })),
  },
  {
    name: 'events between separators of days',
    goal: 'List every event: date, artist, venue and ticket price',
    pages: {
      '/whats-on': page(
        'What is on: events',
        chrome(
          `<div class="agenda">${each(
            groupsOf(gigs),
            ([day, shows]) =>
              `<div class="agenda-separator"><time datetime="${day}">${longDay[day] ?? ''}</time></div>${each(
                shows,
                ([, artist, venue, price]) =>
                  `<article class="agenda-entry"><h4 class="agenda-artist">${artist}</h4><p class="agenda-venue">${venue}</p><p class="agenda-price">${price}</p></article>`,
              )}`,
          )}</div>`,
        ),
      ),
    },
    truth: gigs.map(([date, artist, venue, price]) => ({
      date,
      artist,
      venue,
      ticket_price: Number(price.slice(1)),
    })),
  },
  {
    name: 'changes in lists inside of a list of versions',
    goal: 'changelog entries: version, kind, change',
    pages: {
      '/changes': page(
        'Packer changes',
        frame(
          `<h1>Changes</h1><ul class="versions">${each(
            groupsOf(changes),
            ([version, entries]) =>
              `<li><strong>${version}</strong><ul>${each(
                entries,
                ([, type, text]) =>
                  `<li><em class="kind">${type}</em> <span class="change">${text}</span></li>`,
              )}</ul></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: changes.map(([version, type, change]) => ({ version, kind: type, change })),
  },
  {
    name: 'prices under terms of categories',
    goal: 'Price list of the workshop: category, service, price',
    pages: {
      '/prices': page(
        'Prices of our workshop',
        chrome(
          `<h1>Price list</h1><dl class="price-list">${each(
            groupsOf<string | number>(repairs),
            ([category, services]) =>
              `<dt>${category}</dt>${each(
                services,
                ([, service, price]) =>
                  `<dd><span class="service">${service}</span> <span class="amount">€ ${Number(price).toFixed(2)}</span></dd>`,
              )}`,
          )}</dl>`,
        ),
      ),
    },
    truth: repairs.map(([category, service, price]) => ({ category, service, price })),
  },
  {
    name: 'a timetable with days over several rows, headers of two rows and totals',
    goal: 'timetable: day, time, course, lecturer, enrolled students, waiting students',
    pages: {
      '/timetable': page(
        'Timetable',
        frame(
          `<h1>Timetable</h1><table class="grid"><thead><tr><th rowspan="2">Day</th><th rowspan="2">Time</th><th rowspan="2">Course</th><th rowspan="2">Lecturer</th><th colspan="2">Students</th></tr><tr><th>Enrolled</th><th>Waiting</th></tr></thead><tbody>${each(
            groupsOf<string | number>(lectures),
            ([day, courses]) =>
              each(
                courses,
                ([, time, course, lecturer, enrolled, waiting], index) =>
                  `<tr>${index === 0 ? `<th scope="rowgroup" rowspan="${courses.length}">${day}</th>` : ''}<td>${time}</td><td>${course}</td><td>${lecturer}</td><td>${enrolled}</td><td>${waiting}</td></tr>`,
              ),
          )}</tbody><tfoot><tr><td>Total</td><td></td><td></td><td></td><td>189</td><td>18</td></tr></tfoot></table>`,
        ),
      ),
    },
    truth: lectures.map(([day, time, course, lecturer, enrolled, waiting]) => ({
      day,
      time,
      course,
      lecturer,
      enrolled_students: enrolled,
      waiting_students: waiting,
    })),
  },
  {
    name: 'standings with abbreviated headers',
    goal: 'standings with position, team, games played, wins, draws, losses, goals for, goals against, goal difference and points',
    pages: {
      '/standings': page(
        'Standings',
        chrome(
          `<h1>Division two</h1><table class="standings"><tr><th>#</th><th>Club</th><th>GP</th><th>W</th><th>D</th><th>L</th><th>GF</th><th>GA</th><th>GD</th><th>Pts</th></tr>${each(
            standing,
            (row) =>
              `<tr>${each(row, (value, index) => (index === 1 ? `<th scope="row">${value}</th>` : `<td>${value}</td>`))}</tr>`,
          )}</table>`,
        ),
      ),
    },
    truth: standing.map(
      ([position, team, played, wins, draws, losses, scored, against, difference, points]) => ({
        position,
        team,
        games_played: played,
        wins,
        draws,
        losses,
        goals_for: scored,
        goals_against: against,
        goal_difference: difference,
        points,
      }),
    ),
  },
  {
    name: 'boards of a forum in sections',
    goal: 'forum index: category, board, link, threads, posts',
    pages: {
      '/forum': page(
        'Forum',
        frame(
          each(
            groupsOf<string | number>(boards),
            ([category, some]) =>
              `<section class="forum-cat"><header class="forum-cat__head"><h2><a href="/c/${category.toString().toLowerCase().replace(' ', '-')}">${category}</a></h2></header>${each(
                some,
                ([, board, link, threads, posts]) =>
                  `<div class="forum-row"><h3><a href="${link}">${board}</a></h3><span class="threads">${threads}</span><span class="posts">${posts}</span></div>`,
              )}</section>`,
          ),
        ),
      ),
    },
    truth: boards.map(([category, board, link, threads, posts]) => ({
      category,
      board,
      link: `{origin}${link}`,
      threads,
      posts,
    })),
  },
  {
    name: 'tides in a table with sections that fill one cell of the row',
    goal: 'month, day, time of high water and height',
    pages: {
      '/tides': page(
        'High water',
        chrome(
          `<table class="tides"><thead><tr><th>Day</th><th>High water</th><th>Height (m)</th></tr></thead><tbody>${each(
            groupsOf(tides),
            ([month, days]) =>
              `<tr class="tides-month"><td><strong>${month}</strong></td><td></td><td></td></tr>${each(
                days,
                ([, day, time, height]) => `<tr><td>${day}</td><td>${time}</td><td>${height}</td></tr>`,
              )}`,
          )}</tbody></table>`,
        ),
      ),
    },
    truth: tides.map(([month, day, time, height]) => ({
      month: month.startsWith('March') ? '2025-03-01' : '2025-04-01',
      day,
      'time_of_high_water|time': time,
      height: Number(height),
    })),
  },
  {
    name: 'species in lists below the text of an outer list, one alone',
    goal: 'species list: family, species, count',
    pages: {
      '/seen': page(
        'Species seen',
        frame(
          `<h1>Species seen this year</h1><ul class="families">${each(
            groupsOf<string | number>(birds),
            ([family, some]) =>
              `<li>${family}<ul>${each(some, ([, species, count]) => `<li><b>${species}</b> <i>${count}</i></li>`)}</ul></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: birds.map(([family, species, count]) => ({ family, species, count })),
  },
  {
    name: 'treatments in a table without headers',
    goal: 'price list: category, treatment, price',
    pages: {
      '/salon': page(
        'Salon price list',
        chrome(
          `<table class="prices">${each(
            groupsOf<string | number>(treatments),
            ([category, some]) =>
              `<tr><td colspan="2"><strong>${category}</strong></td></tr>${each(
                some,
                ([, treatment, price]) => `<tr><td>${treatment}</td><td>€${price}</td></tr>`,
              )}`,
          )}</table>`,
        ),
      ),
    },
    truth: treatments.map(([category, treatment, price]) => ({ category, treatment, price })),
  },
  {
    name: 'nothing: sections are not what is left of the fields',
    goal: 'list of treatments with name, price, duration and therapist',
    pages: {
      '/salon': page(
        'Salon',
        chrome(
          each(
            groupsOf<string | number>(treatments),
            ([category, some]) =>
              `<h3>${category}</h3><ul class="treatments">${each(
                some,
                ([, treatment, price]) =>
                  `<li><span class="treatment">${treatment}</span><span class="price">€${price}</span></li>`,
              )}</ul>`,
          ),
        ),
      ),
    },
    failure: ['GOAL_NOT_COVERED', 'NO_DATA_FOUND'],
  },
];
