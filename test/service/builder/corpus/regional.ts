/** Small sites of towns, clubs and shops in several languages, whose fields mostly no label names. */
import { frame, type PageSet, page } from './page-set.ts';

const surgeries = [
  ['Praxis am Mühlentor', 'Mühlenstraße 4, 27356 Altenau', '04261 5512-0', '8–12 Uhr', '14–18 Uhr'],
  ['Praxis Dr. Ohlsen', 'Am Deich 17, 27356 Altenau', '04261 7730', '9–12 Uhr', 'geschlossen'],
  ['Gemeinschaftspraxis Süd', 'Bremer Allee 120, 27357 Altenau', '04261 9911-40', '8–13 Uhr', '15–19 Uhr'],
  ['Kinderpraxis Lüders', 'Kirchweg 2a, 27356 Altenau', '04261 6180', '8–11 Uhr', '14–17 Uhr'],
] as const;

const ferries = [
  ['06:20', 'Hestøya', 'Kystlinjen AS', 'On time', 'A'],
  ['07:05', 'Store Lyngvik', 'Fjordbåt', 'Delayed', 'C'],
  ['07:40', 'Hestøya', 'Kystlinjen AS', 'On time', 'B'],
  ['08:15', 'Indre Vågen', 'Fjordbåt', 'Cancelled', 'A'],
] as const;

const taps = [
  ['Fontana del Corso', 'Corso Italia 3', 'Pontalto', '0445 221 190'],
  ['Casa dell’acqua Est', 'Via Manzoni 41/B', 'Pontalto', '0445 221 334'],
  ['Fontanella Nuova', 'Piazza Dante 9', 'Santa Lucia', '0445 660 015'],
  ['Punto acqua Stazione', 'Viale Trieste 100', 'Borgo Secco', '0445 718 822'],
] as const;

const treatments = [
  ['Hand massage', 18],
  ['Hot stone massage', 64.5],
  ['Foot care – short', 22],
  ['Back & shoulders', 39],
  ['Full day package', 140],
] as const;

const layers = [
  ['Cycle routes', 'Signed routes for bicycles with their surface and their length.', ['GeoJSON', 'KML']],
  ['Street trees', 'Every tree that the town looks after, with species and year of planting.', ['CSV']],
  ['Flood zones', 'Areas that a flood of the century would reach, drawn in 2021.', ['SHP', 'GPKG', 'PDF']],
  ['Playgrounds', 'Places to play with the age that they are meant for.', ['CSV', 'XLSX']],
] as const;

const gauges = [
  ['lun', '3 feb', '2025-02-03', 9, -2, 20, 12],
  ['mar', '4 feb', '2025-02-04', 11, 0, 75, 31],
  ['mié', '5 feb', '2025-02-05', 7, -4, 5, 18],
  ['jue', '6 feb', '2025-02-06', 8, 1, 40, 9],
] as const;

const plays = [
  ['The Glass Orchard', 'Drama, 95 min, Age 12', 'Fr 07.03.2025', '19:30', 'Stage 1', true],
  ['Two Left Boots', 'Comedy, 80 min, Age 6', 'Sa 08.03.2025', '15:00', 'Stage 2', false],
  ['Tide and Time', 'Drama, 110 min, Age 16', 'So 09.03.2025', '20:00', 'Stage 1', true],
  ['Night Bakery', 'Musical, 100 min, Age 0', 'Mi 12.03.2025', '19:30', 'Stage 1', false],
] as const;

export const regional: readonly PageSet[] = [
  {
    name: 'practices with a small table of hours in each',
    goal: 'Alle Praxen mit Name, Adresse, Telefon und Sprechzeit am Dienstag',
    pages: {
      '/praxen': page(
        'Ärzte in Altenau',
        frame(
          `<h1>Praxen</h1>${surgeries.map(([name, address, phone, monday, tuesday]) => `<div class="frame"><div class="inner"><h3>${name}</h3><p>${address}</p><p>Telefon: <a href="tel:${phone.replace(/\D/g, '')}">${phone}</a></p><table class="hours"><tbody><tr><td>Montag</td><td>${monday}</td></tr><tr><td>Dienstag</td><td>${tuesday}</td></tr><tr><td>Mittwoch</td><td>8–12 Uhr</td></tr></tbody></table></div></div>`).join('')}`,
        ),
        '',
        'de',
      ),
    },
    truth: surgeries.map(([name, adresse, telefon, , tuesday]) => ({
      name,
      adresse,
      telefon,
      sprechzeit_am_dienstag: tuesday,
    })),
  },
  {
    name: 'departures whose operator is told to those who hear the page',
    goal: 'departures with time, destination, operator and status',
    pages: {
      '/board': page(
        'Departures',
        frame(
          `<h1>Departures from Nesbrygga</h1><ul class="a1x">${ferries.map(([time, to, operator, status, quay]) => `<li class="q9z"><div class="k2m"><time datetime="2025-06-11T${time}:00+02:00">${time}</time></div><div class="r7t"><h3 class="u3i">${to}</h3><p class="p0o"><span class="sr-only">Operated by </span>${operator}</p></div><div class="b5v"><span class="n1m">${status}</span></div><div class="y6h"><span class="w8e">Quay</span> <span class="d4f">${quay}</span></div></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: ferries.map(([time, destination, operator, status]) => ({ time, destination, operator, status })),
  },
  {
    name: 'lines with dashes, the telephone last',
    goal: 'Punti acqua: nome, indirizzo, comune e telefono',
    pages: {
      '/acqua.html': page(
        'Punti acqua',
        frame(
          `<h2>Punti acqua</h2><p>Aggiornato a marzo.</p><ul class="elenco">${taps.map(([name, street, town, phone]) => `<li>${name} – ${street} – ${town} – tel. ${phone}</li>`).join('')}</ul>`,
        ),
        '',
        'it',
      ),
    },
    truth: taps.map(([nome, indirizzo, comune, telefono]) => ({ nome, indirizzo, comune, telefono })),
  },
  {
    name: 'paragraphs of a bold name and a price',
    goal: 'treatments with treatment and price',
    pages: {
      '/prices': page(
        'Prices',
        frame(
          `<h1>Treatments and prices</h1><p>Please book ahead, by telephone or at the desk.</p><div class="entry">${treatments.map(([name, price]) => `<p><strong>${name.replace('&', '&amp;')}</strong> ${price > 50 ? 'from ' : ''}€${price.toFixed(2)}</p>`).join('')}</div>`,
        ),
      ),
    },
    truth: treatments.map(([treatment, price]) => ({ treatment, price })),
  },
  {
    name: 'layers of a map with their formats',
    goal: 'map layers: title, description, formats',
    pages: {
      '/layers': page(
        'Layers',
        frame(
          `<h1>Map layers</h1><ul class="entries">${layers.map(([title, text, formats], index) => `<li class="entry"><h3><a href="/layers/${index}">${title}</a></h3><div>${text}</div><ul class="chips">${formats.map((format) => `<li><span class="chip">${format}</span></li>`).join('')}</ul></li>`).join('')}</ul>`,
        ),
      ),
    },
    truth: layers.map(([title, description, formats]) => ({ title, description, formats })),
  },
  {
    name: 'forecast in Spanish with classes of abbreviations',
    goal: 'Pronóstico por días: fecha, temperatura máxima, temperatura mínima, probabilidad de lluvia y viento',
    pages: {
      '/14-dias': page(
        'El tiempo en Valdoria',
        frame(
          `<h1>El tiempo en Valdoria: pronóstico</h1><ul class="dias">${gauges.map(([day, shown, date, max, min, rain, wind], index) => `<li class="dia"><a href="/dia-${index}"><span class="nom-dia">${day}</span> <time datetime="${date}">${shown}</time><span class="prob">${rain}%</span><span class="temp"><span class="max">${max}°</span> <span class="min">${min}°</span></span><span class="viento"><span class="velocidad">${wind}</span> <abbr title="kilómetros por hora">km/h</abbr></span></a></li>`).join('')}</ul>`,
        ),
        '',
        'es',
      ),
    },
    truth: gauges.map(
      ([, , fecha, temperatura_maxima, temperatura_minima, probabilidad_de_lluvia, viento]) => ({
        fecha,
        temperatura_maxima,
        temperatura_minima,
        probabilidad_de_lluvia,
        viento,
      }),
    ),
  },
  {
    name: 'a table whose cells hold a name over details, badges and links beside each other',
    goal: 'performances with play, date, time, stage, age and programme link',
    pages: {
      '/season': page(
        'Season',
        frame(
          `<h1>Performances</h1><table><thead><tr><th>Play</th><th>Date</th><th>Time</th><th>House</th><th>Papers</th></tr></thead><tbody>${plays.map(([play, details, date, time, stage, isNew], index) => `<tr><td><a href="/plays/${index}"><b>${play}</b></a><br><small>${details}</small></td><td>${date}</td><td>${time}${isNew ? ' <span class="badge">new</span>' : ''}</td><td>${stage}</td><td><a href="/tickets/${index}">Tickets</a> | <a href="/files/${index}.pdf">Programme</a></td></tr>`).join('')}</tbody></table>`,
        ),
        '',
        'de',
      ),
    },
    truth: plays.map(([play, details, date, time, stage], index) => ({
      play,
      date: date.replace(/^.. (\d\d)\.(\d\d)\.(\d{4})$/, '$3-$2-$1'),
      time,
      stage,
      age: details.replace(/^.*, /, ''),
      programme_link: `{origin}/files/${index}.pdf`,
    })),
  },
];
