/** The practice weather service: a table of stations, and a table of readings for each. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { type SiteFrame, sitePage } from './layout.ts';

const site: SiteFrame = { name: 'Northern Weather Stations', links: [['/stations/', 'All stations']] };

/** Id, name, metres above the sea, degrees Celsius, km/h, state. */
const stations = [
  ['holm', 'Holm Lighthouse', 12, 8.4, 41.5, 'Active'],
  ['birkdale', 'Birkdale', 86, 7.9, 18.2, 'Active'],
  ['saltmarsh', 'Saltmarsh', 3, 9.1, 27, 'Active'],
  ['corrie', 'Upper Corrie', 1043, -2.3, 63.7, 'Active'],
  ['glenmuir', 'Glen Muir', 412, 3.6, 22.4, 'Active'],
  ['whinmoor', 'Whinmoor', 238, 5.2, 30.1, 'Maintenance'],
  ['sandwick', 'Sandwick Harbour', 7, 9.6, 35.8, 'Active'],
  ['kestrel', 'Kestrel Crag', 1286, -5.8, 88.3, 'Active'],
  ['aldermere', 'Aldermere', 151, 6.7, 12.9, 'Active'],
  ['thornby', 'Thornby Airfield', 64, 8, 24.6, 'Active'],
  ['eastfell', 'East Fell', 689, 0.4, 47.2, 'Maintenance'],
  ['lowick', 'Lowick', 29, 8.8, 16, 'Active'],
] as const;

const metres = (value: number) => `${value.toLocaleString('en-GB')} m`;

function row(station: (typeof stations)[number]) {
  const [id, name, elevation, temperature, wind, state] = station;
  return html`<tr>
    <td><a href="/stations/${id}">${name}</a></td><td>${metres(elevation)}</td><td>${temperature.toFixed(1)} °C</td>
    <td>${wind.toFixed(1)} km/h</td><td>${state}</td>
  </tr>`;
}

/** A week of readings, the same at every start. */
function readings(index: number, temperature: number) {
  return Array.from({ length: 7 }, (_, day) => ({
    date: `${14 + day}.11.2026`,
    low: temperature - 3 + ((index + day * 5) % 7) / 2,
    high: temperature + 2 + ((index * 3 + day) % 9) / 2,
    rain: ((index + 1) * (day + 2) * 7) % 23,
  }));
}

export const weatherStations = new Hono()
  .get('/', (c) =>
    c.html(
      sitePage(
        site,
        'All stations',
        html`<p>Latest reports of ${stations.length} stations.</p>
          <table id="stations">
            <thead>
              <tr><th rowspan="2">Station</th><th rowspan="2">Elevation</th><th colspan="2">Latest report</th>
                <th rowspan="2">State</th></tr>
              <tr><th>Temperature</th><th>Wind</th></tr>
            </thead>
            <tbody>${stations.map(row)}</tbody>
          </table>`,
      ),
    ),
  )
  .get('/:id', (c) => {
    const index = stations.findIndex(([id]) => id === c.req.param('id'));
    const station = stations[index];
    if (station === undefined)
      return c.html(sitePage(site, 'No such station', html`<p>Unknown station.</p>`), 404);
    const [, name, elevation, temperature] = station;
    const days = readings(index, temperature);
    const decimal = (value: number) => value.toFixed(1).replace('.', ',');
    return c.html(
      sitePage(
        site,
        name,
        html`<p class="elevation">${metres(elevation)} above the sea</p>
          <table class="readings">
            <caption>The last seven days</caption>
            <tr><th>Day</th><th>Low</th><th>High</th><th>Rain</th></tr>
            ${days.map(
              ({ date, low, high, rain }) =>
                html`<tr><td>${date}</td><td>${decimal(low)} °C</td><td>${decimal(high)} °C</td><td>${rain} mm</td></tr>`,
            )}
          </table>`,
      ),
    );
  });
