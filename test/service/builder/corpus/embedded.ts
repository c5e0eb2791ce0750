/** Data in the forms in which frameworks embed it in their pages, and in which interfaces answer. */
import { chrome } from './chrome.ts';
import { frame, type PageSet, page } from './page-set.ts';

const each = <T>(rows: readonly T[], one: (row: T, index: number) => string) => rows.map(one).join('\n');
const attribute = (value: unknown) =>
  JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const shell = (title: string, body: string, scripts = '') =>
  page(title, `${frame(`<h1>${title}</h1>${body}`)}${scripts}`);

const kilns = [
  { id: 31, name: 'Ember 40', volume: 40, maker: { name: 'Hale & Sons' }, price: 1290, top: 1260 },
  { id: 32, name: 'Ember 75', volume: 75, maker: { name: 'Hale & Sons' }, price: 1890, top: 1260 },
  { id: 40, name: 'Raku drum', volume: 22, maker: { name: "O'Neil Works" }, price: 640, top: 1080 },
  { id: 44, name: 'Slab', volume: 110, maker: { name: 'Torv' }, price: 2450, top: 1300 },
];
const kilnGoal = 'All kilns with name, maker, volume and price';
const kilnTruth = kilns.map(({ name, maker, volume, price }) => ({ name, maker: maker.name, volume, price }));

const attributes: readonly PageSet[] = [
  {
    name: 'Inertia: the page in an attribute',
    goal: kilnGoal,
    pages: {
      '/kilns': page(
        'Kilns',
        `<div id="app" data-page="${attribute({
          component: 'Kilns/Index',
          props: {
            auth: { user: null },
            flash: { message: null },
            kilns: { data: kilns, links: [{ url: null, label: '&laquo; Previous', active: false }] },
            categories: [
              { id: 1, name: 'Electric' },
              { id: 2, name: 'Gas' },
            ],
          },
          url: '/kilns',
          version: 'a1b2',
        })}"></div>`,
      ),
    },
    truth: kilnTruth,
  },
  {
    name: 'react-rails: props of a component among others',
    goal: kilnGoal,
    pages: {
      '/kilns': page(
        'Kilns',
        `<div data-react-class="Header" data-react-props="${attribute({ signedIn: false, cartCount: 0 })}"></div>
        ${frame(`<div data-react-class="KilnGrid" data-react-props="${attribute({ perPage: 24, items: kilns })}" data-hydrate="t"></div>`)}`,
      ),
    },
    truth: kilnTruth,
  },
  {
    name: 'Vue: a list bound in a template',
    goal: kilnGoal,
    pages: {
      '/kilns': shell(
        'Kilns',
        `<kiln-list :columns="3" :items="[${kilns
          .map(
            ({ id, name, volume, maker, price }) =>
              `{ id: ${id}, name: '${name}', volume: ${volume}, maker: { name: &quot;${maker.name.replace('&', '&amp;')}&quot; }, price: ${price} }`,
          )
          .join(', ')}]"></kiln-list>`,
      ),
    },
    truth: kilnTruth,
  },
  {
    name: 'Livewire: a snapshot with notes of its kinds',
    goal: kilnGoal,
    pages: {
      '/kilns': shell(
        'Kilns',
        `<div wire:id="x1" wire:snapshot="${attribute({
          data: {
            search: '',
            kilns: [
              kilns.map((kiln) => [{ ...kiln, maker: [kiln.maker, { s: 'arr' }] }, { s: 'arr' }]),
              { s: 'arr' },
            ],
          },
          memo: { id: 'x1', name: 'kiln-list', path: 'kilns' },
          checksum: '8c1f',
        })}" wire:effects="[]"><p>Loading…</p></div>`,
      ),
    },
    truth: kilnTruth,
  },
  {
    name: 'Astro: props of an island, each with its type',
    goal: kilnGoal,
    pages: {
      '/kilns': shell(
        'Kilns',
        `<astro-island uid="Z1" component-url="/_astro/List.js" client="load" opts="{&quot;name&quot;:&quot;List&quot;,&quot;value&quot;:true}" props="${attribute(
          {
            title: [0, 'Our kilns'],
            kilns: [
              1,
              kilns.map(({ name, volume, maker, price }) => [
                0,
                {
                  name: [0, name],
                  volume: [0, volume],
                  maker: [0, { name: [0, maker.name] }],
                  price: [0, price],
                },
              ]),
            ],
          },
        )}"></astro-island>`,
      ),
    },
    truth: kilnTruth,
  },
  {
    name: 'an object in an attribute of each element',
    goal: 'Ferries: ship, route, capacity, built',
    pages: {
      '/fleet': page(
        'Our fleet',
        chrome(
          `<h1>Our fleet</h1><ul class="fleet-map">${each(
            [
              ['Isle Star', 'Oban - Mull', 420, 1998],
              ['Clansman', 'Oban - Tiree', 638, 1998],
              ['Loch Bhrusda', 'Eriskay - Barra', 150, 1996],
            ],
            ([ship, route, capacity, built]) =>
              `<li class="pin" data-vessel="${attribute({ ship, route, capacity, built })}"><svg><circle r="3"/></svg></li>`,
          )}</ul>`,
        ),
      ),
    },
    truth: [
      { ship: 'Isle Star', route: 'Oban - Mull', capacity: 420, built: 1998 },
      { ship: 'Clansman', route: 'Oban - Tiree', capacity: 638, built: 1998 },
      { ship: 'Loch Bhrusda', route: 'Eriskay - Barra', capacity: 150, built: 1996 },
    ],
  },
];

const push = (text: string) =>
  `<script>self.__next_f.push([1,${JSON.stringify(text).replaceAll('</', '<\\/')}])</script>`;
const walls = [
  { slug: 'north', name: 'North face', city: 'Leeds', routes: 84, text: 'Long walls – for ropes.' },
  { slug: 'depot', name: 'The Depot', city: 'Leeds', routes: 61, text: 'Bouldering in a tram depot.' },
  { slug: 'quarry', name: 'Quarry', city: 'Bath', routes: 120, text: '“Lead” and top rope.' },
];
const wallGoal = 'Climbing walls with name, city, number of routes and description';
const wallTruth = walls.map(({ name, city, routes, text }) => ({
  name,
  city,
  number_of_routes: routes,
  description: text,
}));
const flight = [
  '1:"$Sreact.fragment"\n2:I[7555,[],""]\n3:I[31295,["177","static/chunks/app/layout-1a.js"],"default"]\n:HL["/_next/static/css/a.css","style"]\n',
  `0:{"P":null,"b":"Xy","p":"","c":["","walls"],"i":false,"f":[[["",{"children":["walls",{"children":["__PAGE__",{}]}]},"$undefined","$undefined",true],["",["$","$1","c",{"children":[null,["$","html",null,{"lang":"en","children":["$","body",null,{"children":["$","$L2",null,{"parallelRouterKey":"children"}]}]}]]}],{"children":["walls",["$","$1","c",{"children":["$L4",null]}],{},null,false]},null,false],["$","$1","h",{}],false]]}\n`,
];

const streams: readonly PageSet[] = [
  {
    name: 'Next.js: a list among the props of a streamed component, cut across scripts',
    goal: wallGoal,
    pages: {
      '/walls': shell(
        'Climbing walls',
        '<div class="animate-pulse"></div>',
        (() => {
          const props = walls.map(({ text: _, ...wall }, index) => ({
            ...wall,
            description: `$${'abc'[index]}`,
          }));
          const texts = walls.map(({ text }, index) => {
            return `${'abc'[index]}:T${Buffer.byteLength(text).toString(16)},${text}`;
          });
          const rows = `4:["$","section",null,{"className":"grid","children":[["$","h1",null,{"children":"Walls"}],["$","$L3",null,{"initial":${JSON.stringify({ total: 3, results: props })},"filters":{"cities":["Leeds","Bath"]}}]]}]\n`;
          const all = [...flight, texts.join(''), rows].join('');
          return `<script>(self.__next_f=self.__next_f||[]).push([0])</script>${[all.slice(0, 300), all.slice(300, 1200), all.slice(1200)].map(push).join('')}`;
        })(),
      ),
    },
    truth: wallTruth,
  },
  {
    name: 'Next.js: a component for each row, inside of elements',
    goal: wallGoal,
    pages: {
      '/walls': shell(
        'Climbing walls',
        '<p>Loading…</p>',
        `<script>(self.__next_f=self.__next_f||[]).push([0])</script>${push(flight.join(''))}${push(
          `4:["$","ul",null,{"children":[${walls
            .map(
              ({ slug, name, city, routes, text }) =>
                `["$","li","${slug}",{"className":"p-4","children":["$","$L3",null,{"wall":${JSON.stringify({ slug, name, city, routes, description: text })},"priority":false}]}]`,
            )
            .join(',')}]}]\n`,
        )}`,
      ),
    },
    truth: wallTruth,
  },
];

/** A value as a flat list, as devalue writes it; with `keyed`, as turbo-stream does. */
function flattened(value: unknown, keyed = false, wrap: readonly string[] = []): unknown[] {
  const list: unknown[] = [];
  const known = new Map<unknown, number>();
  const add = (node: unknown): number => {
    const at = known.get(node);
    if (at !== undefined) return at;
    const index = list.length;
    known.set(node, index);
    list.push(null);
    if (Array.isArray(node)) list[index] = node.map(add);
    else if (typeof node === 'object' && node !== null)
      list[index] = Object.fromEntries(
        Object.entries(node).map(([key, entry]) => {
          const name = keyed ? `_${add(key)}` : key;
          return [name, add(entry)];
        }),
      );
    else list[index] = node;
    return index;
  };
  wrap.forEach((type, index) => {
    list.push([type, index + 1]);
  });
  add(value);
  return list;
}

const choirs = [
  { name: 'Fen Voices', conductor: 'Ada Pell', members: 34, rehearsal: 'Tuesday' },
  { name: 'Low Road', conductor: 'Tom Ives', members: 12, rehearsal: 'Thursday' },
  { name: 'St Wulf Singers', conductor: 'Ada Pell', members: 34, rehearsal: 'Monday' },
];
const choirGoal = 'choirs: name, conductor, number of members, rehearsal day';
const choirTruth = choirs.map(({ name, conductor, members, rehearsal }) => ({
  name,
  conductor,
  number_of_members: members,
  'rehearsal_day|rehearsal': rehearsal,
}));

const states: readonly PageSet[] = [
  {
    name: 'Nuxt 3: a payload of references',
    goal: choirGoal,
    pages: {
      '/choirs': shell(
        'Choirs',
        '<div id="__nuxt"></div>',
        `<script type="application/json" data-nuxt-data="nuxt-app" data-ssr="true" id="__NUXT_DATA__">${JSON.stringify(
          flattened(
            {
              data: { 'choirs-page': { items: choirs, count: 3 } },
              state: { $snav: ['Home', 'Choirs'] },
              once: [],
            },
            false,
            ['ShallowReactive'],
          ),
        )}</script><script>window.__NUXT__={};window.__NUXT__.config={public:{},app:{baseURL:"/",buildId:"6f"}}</script>`,
      ),
    },
    truth: choirTruth,
  },
  {
    name: 'SvelteKit: data in the call that starts the page',
    goal: choirGoal,
    pages: {
      '/choirs': shell(
        'Choirs',
        '<div style="display: contents"></div>',
        `<script>{__sveltekit_1k2j = {base: new URL(".", location).pathname.slice(0, -1)};const element = document.currentScript.parentElement;
        Promise.all([import("./_app/start.js"), import("./_app/app.js")]).then(([kit, app]) => {kit.start(app, element, {node_ids: [0, 2],
        data: [{type:"data",data:{user:null,nav:["Home"]},uses:{}},{type:"data",data:(function(a){return {choirs:[${choirs
          .map(
            ({ name, conductor, members, rehearsal }) =>
              `{name:${JSON.stringify(name)},conductor:${conductor === 'Ada Pell' ? 'a' : JSON.stringify(conductor)},members:${members},rehearsal:"${rehearsal}",since:new Date(1714521600000)}`,
          )
          .join(',')}]}}("Ada Pell")),uses:{params:["slug"]}}],form: null,error: null});});}</script>`,
      ),
    },
    truth: choirTruth,
  },
  {
    name: 'React Router: a stream of one flat list',
    goal: choirGoal,
    pages: {
      '/choirs': shell(
        'Choirs',
        '<p>Loading…</p>',
        `<script>window.__reactRouterContext = {"basename":"/","future":{},"isSpaMode":false};window.__reactRouterContext.stream = new ReadableStream({start(controller){window.__reactRouterContext.streamController = controller;}}).pipeThrough(new TextEncoderStream());</script>
        <script>window.__reactRouterContext.streamController.enqueue(${JSON.stringify(`${JSON.stringify(flattened({ loaderData: { root: null, 'routes/choirs': { choirs } }, actionData: null, errors: null }, true))}\n`)});</script><script>window.__reactRouterContext.streamController.close();</script>`,
      ),
    },
    truth: choirTruth,
  },
  {
    name: 'Nuxt 2: a function whose parameters are the values',
    goal: choirGoal,
    pages: {
      '/choirs': shell(
        'Choirs',
        '<div id="__nuxt"></div>',
        `<script>window.__NUXT__=(function(a,b,c,d){d.name="Fen Voices";d.conductor=a;d.members=b;d.rehearsal="Tuesday";return {layout:"default",data:[{choirs:[d,{name:"Low Road",conductor:"Tom Ives",members:12,rehearsal:"Thursday"},{name:"St Wulf Singers",conductor:a,members:b,rehearsal:"Monday"}]}],fetch:{},error:c,serverRendered:true,routePath:"\\u002Fchoirs"}}("Ada Pell",34,null,{}));</script>`,
      ),
    },
    truth: choirTruth,
  },
  {
    name: 'SvelteKit: an answer that was fetched, as a text in JSON',
    goal: choirGoal,
    pages: {
      '/choirs': shell(
        'Choirs',
        '<p>Loading…</p>',
        `<script type="application/json" data-sveltekit-fetched data-url="/api/choirs">${JSON.stringify({ status: 200, statusText: '', headers: {}, body: JSON.stringify({ page: 1, choirs }) })}</script>`,
      ),
    },
    truth: choirTruth,
  },
  {
    name: 'a cache of Apollo whose objects refer to others',
    goal: 'Plays with title, author, premiere date and venue',
    pages: {
      '/plays': shell(
        'On stage',
        '<div id="root"></div>',
        `<script>window.__APOLLO_STATE__=${JSON.stringify({
          ROOT_QUERY: {
            __typename: 'Query',
            'plays({"season":"2024"})': {
              __typename: 'PlayConnection',
              edges: [
                { node: { __ref: 'Play:b' } },
                { node: { __ref: 'Play:a' } },
                { node: { __ref: 'Play:c' } },
              ],
            },
          },
          'Play:a': {
            __typename: 'Play',
            id: 'a',
            title: 'Tide tables',
            premiere: '2024-02-03',
            author: { __ref: 'Person:1' },
            venue: { __ref: 'Venue:9' },
          },
          'Play:b': {
            __typename: 'Play',
            id: 'b',
            title: 'The glazier',
            premiere: '2024-01-12',
            author: { __ref: 'Person:2' },
            venue: { __ref: 'Venue:9' },
          },
          'Play:c': {
            __typename: 'Play',
            id: 'c',
            title: 'Nine geese',
            premiere: '2024-05-30',
            author: { __ref: 'Person:1' },
            venue: { __ref: 'Venue:4' },
          },
          'Person:1': { __typename: 'Person', id: '1', name: 'Isa Brook' },
          'Person:2': { __typename: 'Person', id: '2', name: 'Max Ohr' },
          'Venue:4': { __typename: 'Venue', id: '4', name: 'Old Vat' },
          'Venue:9': { __typename: 'Venue', id: '9', name: 'Corn Exchange' },
        })}</script>`,
      ),
    },
    truth: [
      ['The glazier', 'Max Ohr', '2024-01-12', 'Corn Exchange'],
      ['Tide tables', 'Isa Brook', '2024-02-03', 'Corn Exchange'],
      ['Nine geese', 'Isa Brook', '2024-05-30', 'Old Vat'],
    ].map(([title = '', author = '', date = '', venue = '']) => ({
      title,
      author,
      'premiere_date|premiere|date': date,
      venue,
    })),
  },
  {
    name: 'one thing in the state of its page',
    goal: 'Get the name, material, weight and price of this bell',
    pages: {
      '/bells/7': shell(
        'Bell',
        '<div id="app"></div>',
        `<script>window.__INITIAL_STATE__=JSON.parse(${JSON.stringify(
          JSON.stringify({
            session: { id: 'x', locale: 'en', theme: 'dark' },
            menu: [
              { label: 'Home', href: '/' },
              { label: 'Bells', href: '/bells' },
            ],
            product: {
              id: 7,
              name: 'Ship bell',
              material: 'Brass',
              weight: '2.4 kg',
              price: { amount: 89, currency: 'EUR' },
            },
          }),
        )});</script>`,
      ),
    },
    truth: [{ name: 'Ship bell', material: 'Brass', weight: 2.4, price: 89 }],
  },
];

const stoves = [
  ['Bothy', 64900, 'IN_STOCK', '£649.00', 'In stock'],
  ['Croft', 89900, 'PRE_ORDER', '£899.00', 'Pre-order'],
  ['Shieling', 124950, 'IN_STOCK', '£1,249.50', 'In stock'],
] as const;
const stoveCards = (withState: boolean) =>
  `<div class="cards">${each(stoves, ([name, , , price, stock]) => `<article class="stove-card"><h3 class="stove-name">${name}</h3><p class="stove-price">${price}</p>${withState ? `<p class="stove-availability">${stock}</p>` : ''}</article>`)}</div>`;

const shown: readonly PageSet[] = [
  {
    name: 'state in hundredths beside cards',
    goal: 'Stoves with name and price',
    pages: {
      '/stoves': shell(
        'Stoves',
        stoveCards(false),
        `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: { stoves: stoves.map(([name, price]) => ({ name, price })) } } })}</script>`,
      ),
    },
    truth: stoves.map(([name, price]) => ({ name, price: price / 100 })),
  },
  {
    name: 'codes in the state beside words on the cards',
    goal: 'Stoves with name, price and availability',
    pages: {
      '/stoves': shell(
        'Stoves',
        stoveCards(true),
        `<script>window.__STATE__=${JSON.stringify({ list: stoves.map(([name, price, availability]) => ({ name, price, availability })) })}</script>`,
      ),
    },
    truth: stoves.map(([name, price, , , availability]) => ({ name, price: price / 100, availability })),
  },
];

export const embedded: readonly PageSet[] = [...attributes, ...streams, ...states, ...shown];
