/** Interfaces that answer with JSON, in the forms in which they write rows and pages. */
import type { PageSet } from './page-set.ts';

const orchards = [
  { id: 11, name: 'Hollow Farm', county: 'Kent', trees: 2400, founded: '1987-03-01' },
  { id: 12, name: 'Pippin Hill', county: 'Devon', trees: 860, founded: '2003-10-12' },
  { id: 13, name: 'Long Acre', county: 'Kent', trees: 5100, founded: '1954-05-20' },
  { id: 14, name: 'St Briavels', county: 'Gloucestershire', trees: 310, founded: '2015-02-14' },
];
const goal = 'Orchards with name, county, number of trees';
const truthOf = (rows: typeof orchards) =>
  rows.map(({ name, county, trees }) => ({ name, county, number_of_trees: trees }));
const truth = truthOf(orchards);
const [first, second] = [orchards.slice(0, 2), orchards.slice(2)];

const forms: readonly PageSet[] = [
  {
    name: 'columns and rows',
    goal,
    pages: {
      '/orchards.json': JSON.stringify({
        database: 'farms',
        table: 'orchards',
        columns: ['id', 'name', 'county', 'trees', 'founded'],
        rows: orchards.map((orchard) => Object.values(orchard)),
        truncated: false,
      }),
    },
    truth,
  },
  {
    name: 'fields with types, and rows as lists',
    goal,
    pages: {
      '/orchards/query': JSON.stringify({
        status: 'ok',
        result: {
          fields: Object.keys(orchards[0] ?? {}).map((name) => ({
            name,
            type: name === 'trees' ? 'int' : 'text',
          })),
          data: orchards.map((orchard) => Object.values(orchard)),
        },
      }),
    },
    truth,
  },
  {
    name: 'a table whose first row names the columns',
    goal,
    pages: {
      '/orchards/table': JSON.stringify([
        Object.keys(orchards[0] ?? {}),
        ...orchards.map((orchard) => Object.values(orchard)),
      ]),
    },
    truth,
  },
  {
    name: 'JSON:API: attributes, and the address of the next page in an object',
    goal,
    pages: {
      '/orchards': JSON.stringify({
        jsonapi: { version: '1.1' },
        data: first.map(({ id, ...attributes }) => ({ type: 'orchard', id: String(id), attributes })),
        links: { self: '/orchards', next: { href: '/orchards?page%5Bnumber%5D=2' } },
      }),
      '/orchards?page%5Bnumber%5D=2': JSON.stringify({
        data: second.map(({ id, ...attributes }) => ({ type: 'orchard', id: String(id), attributes })),
        links: { self: '/orchards', next: null },
      }),
    },
    truth: truthOf(first),
    second: truthOf(second),
  },
  {
    name: 'GeoJSON',
    goal: 'Lighthouses: name, height, longitude, latitude',
    pages: {
      '/lights.geojson': JSON.stringify({
        type: 'FeatureCollection',
        features: [
          ['Skerry', 41, -3.5, 58.9],
          ['Point of Ayr', 18, -3.32, 53.35],
          ['Nash', 37, -3.55, 51.4],
        ].map(([name, height, ...coordinates]) => ({
          type: 'Feature',
          properties: { name, height },
          geometry: { type: 'Point', coordinates },
        })),
      }),
    },
    truth: [
      { name: 'Skerry', height: 41, longitude: -3.5, latitude: 58.9 },
      { name: 'Point of Ayr', height: 18, longitude: -3.32, latitude: 53.35 },
      { name: 'Nash', height: 37, longitude: -3.55, latitude: 51.4 },
    ],
  },
  {
    name: 'parallel lists of a forecast',
    goal: 'Hourly forecast: time, temperature, rain',
    pages: {
      '/v1/forecast': JSON.stringify({
        latitude: 57.7,
        longitude: 11.9,
        hourly_units: { time: 'iso8601', temperature: '°C', rain: 'mm' },
        hourly: {
          time: ['2024-05-01T00:00Z', '2024-05-01T01:00Z', '2024-05-01T02:00Z'],
          temperature: [8.4, 8.1, 7.6],
          rain: [0, 0.3, 1.2],
        },
      }),
    },
    truth: [
      { time: '2024-05-01T00:00:00Z', temperature: 8.4, rain: 0 },
      { time: '2024-05-01T01:00:00Z', temperature: 8.1, rain: 0.3 },
      { time: '2024-05-01T02:00:00Z', temperature: 7.6, rain: 1.2 },
    ],
  },
  {
    name: 'a JSON feed served as plain JSON',
    goal: 'Posts with title, author, publication date and link',
    pages: {
      '/feed.json': JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'Hedge notes',
        items: [
          ['Laying', 'Nell Ash', '2024-03-02T08:00:00Z'],
          ['Billhooks', 'Rob Thorn', '2024-02-11T08:00:00Z'],
        ].map(([title, author, date]) => ({
          id: title,
          url: `{origin}/${title}`,
          title,
          content_html: '<p>…</p>',
          date_published: date,
          authors: [{ name: author }],
        })),
      }),
    },
    truth: [
      {
        title: 'Laying',
        author: 'Nell Ash',
        'publication_date|date': '2024-03-02T08:00:00Z',
        link: '{origin}/Laying',
      },
      {
        title: 'Billhooks',
        author: 'Rob Thorn',
        'publication_date|date': '2024-02-11T08:00:00Z',
        link: '{origin}/Billhooks',
      },
    ],
  },
];

const pages: readonly PageSet[] = [
  {
    name: 'a cursor beside the rows',
    goal,
    pages: {
      '/api/orchards': JSON.stringify({ items: first, next_cursor: 'b2Zmc2V0', has_more: true }),
      '/api/orchards?cursor=b2Zmc2V0': JSON.stringify({ items: second, next_cursor: null, has_more: false }),
    },
    truth: truthOf(first),
    second: truthOf(second),
  },
  {
    name: 'pages counted in an object beside the rows',
    goal,
    pages: {
      '/api/orchards': JSON.stringify({
        results: first,
        meta: { pagination: { currentPage: 1, totalPages: 2 } },
      }),
      '/api/orchards?page=2': JSON.stringify({
        results: second,
        meta: { pagination: { currentPage: 2, totalPages: 2 } },
      }),
    },
    truth: truthOf(first),
    second: truthOf(second),
  },
  {
    name: 'pages counted in the address alone',
    goal,
    pages: {
      '/api/orchards?page=1&size=2': JSON.stringify(first),
      '/api/orchards?page=2&size=2': JSON.stringify(second),
    },
    truth: truthOf(first),
    second: truthOf(second),
  },
  {
    name: 'links with relations',
    goal,
    pages: {
      '/api/orchards': JSON.stringify({
        content: first,
        links: [
          { rel: 'self', href: '/api/orchards' },
          { rel: 'next', href: '/api/orchards?after=12' },
        ],
      }),
      '/api/orchards?after=12': JSON.stringify({
        content: second,
        links: [{ rel: 'self', href: '/api/orchards' }],
      }),
    },
    truth: truthOf(first),
    second: truthOf(second),
  },
];

export const answers: readonly PageSet[] = [...forms, ...pages];
