/** What systems and writers of pages are in the habit of: labels in generated class names, rules between records, measures in two units. */
import { frame, type PageSet, page } from './page-set.ts';

const games = [
  ['Otters', 'Herons', 3, 1],
  ['Larks', 'Badgers', 0, 0],
  ['Voles', 'Magpies', 2, 4],
  ['Dippers', 'Stoats', 1, 2],
  ['Wrens', 'Hares', 5, 0],
] as const;

const walks = [
  ['Sentiero delle Fucine', 'Ponte Vecchio', '8 euro'],
  ['Anello del lago', 'Rifugio Alto', 'gratuita'],
  ['Notte dei lupi', 'Bosco Nero', '12 euro'],
  ['Erbe e fiori', 'Prato Lungo', '5 euro'],
] as const;

const baths = [
  ['やまゆり温泉', '北谷', '4.3', 800],
  ['青葉の湯', '南浜', '3.9', 650],
  ['つばき館', '北谷', '4.7', 1200],
  ['白樺の湯', '湖畔', '4.1', 900],
] as const;

const essays = [
  ['How the kiln was rebuilt', 'Mona Reyes', '2025-03-04'],
  ['A glaze from ash', 'Piet Alder', '2025-02-11'],
  ['Open days in spring', 'Mona Reyes', '2025-01-29'],
  ['Notes on throwing', 'Sara Lind', '2025-01-08'],
] as const;

const towers = [
  ['Old Mill', 21, 69],
  ['Harbour Light', 34, 112],
  ['Town Gate', 18, 59],
  ['Water Tower', 42, 138],
] as const;

const porters = [
  ['Ada Winter', 'Head porter', 4101],
  ['Tom Reed', 'Night porter', 4117],
  ['Lena Voss', 'Porter', 4120],
  ['Bo Krantz', 'Deputy head porter', 4102],
] as const;

const switches = [
  ['outputFolder', 'string', 'Where the files are written to, relative to the project.'],
  ['minify', 'boolean', 'Whether the files are made smaller before they are written.'],
  ['port', 'number', 'On which port the preview is served while you work on it.'],
  ['locale', 'string', 'In which language dates and numbers of the pages are shown.'],
] as const;

const strolls = [
  ['Le tour des remparts', 'Porte Nord', 'Gratuit'],
  ['La nuit des chouettes', 'Forêt de Bellan', '6 €'],
  ['Saveurs du canal', 'Écluse du Moulin', '14 €'],
  ['Les jardins cachés', 'Place Haute', 'Gratuit'],
] as const;

export const conventions: readonly PageSet[] = [
  {
    name: 'class names with a label behind the generated part',
    goal: 'all games: home side, away side, home goals and away goals',
    pages: {
      '/games': page(
        'Games',
        frame(
          `<h1 class="xcss-1a2b3c-Heading">Games</h1><ul class="xcss-9k2j1h-List">${games.map(([home, away, one, other]) => `<li class="xcss-4d5e6f-Item"><div class="xcss-7g8h9i-HomeSide"><span>${home}</span></div><div class="xcss-2x3y4z-HomeGoals">${one}</div><div class="xcss-5p6q7r-AwayGoals">${other}</div><div class="xcss-8s9t1u-AwaySide"><span>${away}</span></div></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: games.map(([home_side, away_side, home_goals, away_goals]) => ({
      home_side,
      away_side,
      home_goals,
      away_goals,
    })),
  },
  {
    name: 'walks between rules, the place before the name',
    goal: 'Tutte le escursioni: titolo, luogo e quota',
    pages: {
      '/escursioni.htm': page(
        'Escursioni',
        frame(
          `<h1>Escursioni</h1><p>Ci troviamo alle nove.</p>${walks.map(([title, place, price]) => `<hr><p class="luogo">${place}</p><h3>${title}</h3><p>Quota: ${price}</p>`).join('')}<hr><p>Per informazioni scrivete al gruppo.</p>`,
        ),
        '',
        'it',
      ),
    },
    truth: walks.map(([titolo, luogo, quota]) => ({ titolo, luogo, quota })),
  },
  {
    name: 'baths in Japanese',
    goal: '温泉の一覧：施設名、エリア、評価、料金',
    pages: {
      '/onsen': page(
        '温泉',
        frame(
          `<h1>温泉一覧</h1><div class="list">${baths.map(([name, area, score, price]) => `<article class="bath"><h2 class="bath-name"><a href="/onsen/${score}">${name}</a></h2><p class="area">${area}</p><p class="score">${score}</p><p class="price">${price}円</p></article>`).join('')}</div>`,
        ),
        '',
        'ja',
      ),
    },
    truth: baths.map(([name, area, score, price]) => ({
      施設名: name,
      エリア: area,
      評価: Number(score),
      料金: price,
    })),
  },
  {
    name: 'posts of blocks, with an author each',
    goal: 'the latest posts with their dates',
    pages: {
      '/journal': page(
        'Journal',
        frame(
          `<ul class="wp-block-post-template">${essays.map(([title, author, date], index) => `<li class="wp-block-post post-${index + 40} post type-post status-publish"><h2 class="wp-block-post-title has-large-font-size"><a href="/${index}">${title}</a></h2><div class="wp-block-post-date has-small-font-size"><time datetime="${date}">${date}</time></div><div class="wp-block-post-author-name has-small-font-size">${author}</div></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: essays.map(([title, , date]) => ({ title, date })),
  },
  {
    name: 'heights in two units',
    goal: 'every tower with its name and height in metres',
    pages: {
      '/towers': page(
        'Towers',
        frame(
          `<h1>Towers</h1><table><thead><tr><th>Tower</th><th>Height</th></tr></thead><tbody>${towers.map(([name, metres, feet]) => `<tr><td><a href="/wiki/${metres}">${name}</a></td><td>${metres} m (${feet} ft)</td></tr>`).join('')}</tbody></table>`,
        ),
      ),
    },
    truth: towers.map(([name, height]) => ({ name, height })),
  },
  {
    name: 'extensions after a short form',
    goal: 'porters: name, role, phone extension',
    pages: {
      '/porters': page(
        'Porters',
        frame(
          `<h1>Porters</h1><ul class="people">${porters.map(([name, role, extension]) => `<li><h4>${name}</h4><p>${role}<br><span class="glyphicon glyphicon-earphone"></span> ext. ${extension}</p></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: porters.map(([name, role, phone_extension]) => ({
      name,
      role,
      phone_extension: String(phone_extension),
    })),
  },
  {
    name: 'items of a system that calls what it shows on its first page promoted',
    goal: 'Toutes les balades : titre, lieu et tarif',
    pages: {
      '/balades': page(
        'Balades',
        frame(
          `<h1>Balades</h1><div class="view-content">${strolls.map(([title, place, price], index) => `<div class="views-row"><article class="balade is-promoted node node--type-balade"><h2><a href="/balades/${index}"><span class="field field--name-title field--label-hidden">${title}</span></a></h2><div class="content"><div class="field field--name-field-lieu"><div class="field--label">Lieu</div><div class="field--item">${place}</div></div><div class="field field--name-field-tarif"><div class="field--label">Tarif</div><div class="field--item">${price}</div></div></div></article></div>`).join('')}</div>`,
        ),
        '',
        'fr',
      ),
    },
    truth: strolls.map(([titre, lieu, tarif]) => ({ titre, lieu, tarif })),
  },
  {
    name: 'options under headings with a link that has no text',
    goal: 'every setting with its name, type and description',
    pages: {
      '/settings': page(
        'Settings',
        frame(
          `<h1>Settings</h1>${switches.map(([name, type, text]) => `<h2 id="${name}">${name} <a class="header-anchor" href="#${name}">\u200b</a></h2><ul><li><strong>Type:</strong> <code>${type}</code></li></ul><p>${text}</p>`).join('')}`,
        ),
      ),
    },
    truth: switches.map(([name, type, description]) => ({ name, type, description })),
  },
];
