/**
 * The recipes of the public sites, on answers written for this test in the form that each site documents.
 * `npm run check:public` tries them on the sites themselves.
 */
import { describe, expect, it } from 'vitest';
import { publicCatalogs } from '../../../src/service/catalog/source.ts';
import type { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { parsePool } from '../../support/page-pools.ts';

interface Sample {
  readonly contentType?: string;
  readonly link?: string;
  readonly body: string | object;
}

const hit = (id: number) => ({
  objectID: String(id),
  title: `Story ${id}`,
  url: `https://site.example/${id}`,
  author: 'someone',
  points: id,
  num_comments: 2,
  created_at: '2024-03-09T10:11:12Z',
});

const release = (tag: string) => ({
  tag_name: tag,
  name: `Version ${tag}`,
  prerelease: false,
  published_at: '2024-03-09T10:11:12Z',
  body: 'What is new',
  html_url: `https://github.com/some/thing/releases/tag/${tag}`,
});

/** What each address answers; another address than these fails the test. */
const samples: Readonly<Record<string, Sample>> = {
  'https://en.wikipedia.org/wiki/Paper%20boat': {
    contentType: 'text/html; charset=UTF-8',
    body: `<html><head><link rel="canonical" href="https://en.wikipedia.org/wiki/Paper_boat">
      <meta property="og:image" content="https://upload.example/boat.jpg"></head><body>
      <h1 id="firstHeading"><span>Paper boat</span></h1><div id="mw-content-text"><div class="mw-parser-output">
      <div class="shortdescription">Folded boat</div><p class="mw-empty-elt"></p>
      <p>A <b>paper boat</b> is a boat
      made of paper.</p><p>Second.</p><div class="mw-heading mw-heading2"><h2>History</h2></div>
      <h2>Folding</h2></div></div><div id="mw-normal-catlinks"><a>Categories</a><ul><li><a>Toys</a></li></ul></div>
      <li id="footer-info-lastmod"> This page was last edited on 9 March 2024, at 10:11 (UTC).</li></body></html>`,
  },
  'https://news.ycombinator.com/rss': {
    contentType: 'application/rss+xml',
    body: `<rss version="2.0"><channel><title>Hacker News</title><link>https://news.ycombinator.com/</link>
      <description>Links</description><item><title>A &amp; B</title><link>https://site.example/ab</link>
      <pubDate>Sat, 9 Mar 2024 10:11:12 +0000</pubDate><comments>https://news.ycombinator.com/item?id=1</comments>
      <description><![CDATA[<a href="https://news.ycombinator.com/item?id=1">Comments</a>]]></description></item></channel></rss>`,
  },
  'https://hn.algolia.com/api/v1/search?query=paper+boat&tags=story&hitsPerPage=20': {
    body: { hits: [hit(1)], page: 0, nbPages: 2 },
  },
  'https://hn.algolia.com/api/v1/search?query=paper+boat&tags=story&hitsPerPage=20&page=1': {
    body: { hits: [{ ...hit(2), url: null }], page: 1, nbPages: 2 },
  },
  'https://rss.arxiv.org/atom/cs.AI': {
    contentType: 'application/atom+xml',
    body: `<?xml version='1.0' encoding='UTF-8'?><feed xmlns="http://www.w3.org/2005/Atom"
      xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <id>http://rss.arxiv.org/atom/cs.AI</id><title>cs.AI updates</title><updated>2024-03-09T05:00:00+00:00</updated>
      <entry><id>oai:arXiv.org:2403.00001v1</id><title>On Paper Boats</title>
      <updated>2024-03-09T05:00:12+00:00</updated><link href="https://arxiv.org/abs/2403.00001" rel="alternate" type="text/html"/>
      <summary>Abstract: We fold.</summary><category term="cs.AI"/><published>2024-03-09T00:00:00-05:00</published>
      <arxiv:announce_type>new</arxiv:announce_type><dc:creator>Ann Author, Bob Writer</dc:creator></entry></feed>`,
  },
  'https://arxiv.org/abs/2403.00001': {
    contentType: 'text/html; charset=utf-8',
    body: `<head><meta name="citation_title" content="On Paper Boats"/><meta name="citation_author" content="Author, Ann"/>
      <meta name="citation_author" content="Writer, Bob"/><meta name="citation_date" content="2024/03/09"/>
      <meta name="citation_pdf_url" content="https://arxiv.org/pdf/2403.00001"/>
      <meta name="citation_arxiv_id" content="2403.00001"/><meta name="citation_abstract" content="We fold."/></head>
      <span class="primary-subject">Artificial Intelligence (cs.AI)</span>`,
  },
  'https://api.github.com/repos/some/thing': {
    body: {
      full_name: 'some/thing',
      description: 'A thing',
      homepage: '',
      language: 'TypeScript',
      license: { spdx_id: 'MIT' },
      topics: ['boats'],
      stargazers_count: 12,
      forks_count: 3,
      open_issues_count: 1,
      archived: false,
      created_at: '2020-01-02T03:04:05Z',
      pushed_at: '2024-03-09T10:11:12Z',
      html_url: 'https://github.com/some/thing',
    },
  },
  'https://api.github.com/repos/some/thing/releases?per_page=30': {
    link: '<https://api.github.com/repositories/1/releases?per_page=30&page=2>; rel="next", <https://api.github.com/repositories/1/releases?per_page=30&page=2>; rel="last"',
    body: [release('v2')],
  },
  'https://api.github.com/repositories/1/releases?per_page=30&page=2': { body: [release('v1')] },
  'https://openlibrary.org/isbn/9780000000002.json': {
    body: {
      title: 'Folding Boats',
      publishers: ['Paper Press'],
      publish_date: 'March 2024',
      number_of_pages: 96,
      isbn_13: ['9780000000002'],
      key: '/books/OL1M',
    },
  },
  'https://openlibrary.org/subjects/sailing.json?limit=12': {
    body: {
      work_count: 1,
      works: [
        {
          key: '/works/OL1W',
          title: 'Sails',
          edition_count: 4,
          first_publish_year: 1901,
          authors: [{ name: 'A. Sailor' }],
        },
      ],
    },
  },
};

const fetcher: Pick<Fetcher, 'fetch'> = {
  async fetch({ url }) {
    const sample = samples[url];
    if (sample === undefined) throw new Error(`not a documented address: ${url}`);
    const { body, contentType = 'application/json', link = '' } = sample;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { url, status: 200, contentType, link, body: Buffer.from(text) };
  },
};
const runner = new RecipeRunner({ fetcher, parsePool });

const actions = publicCatalogs().flatMap((catalog) => catalog.actions);
const run = async (id: string, params: Record<string, unknown> = {}) => {
  const recipe = actions.find(({ action_id }) => action_id === id)?.recipe;
  const limits = { signal: new AbortController().signal };
  return (await runner.run({ recipe, params }, limits)).data;
};

const tested: Readonly<Record<string, () => Promise<void>>> = {
  wikipedia_article: async () =>
    expect(await run('wikipedia_article', { title: 'Paper boat' })).toEqual({
      source_url: 'https://en.wikipedia.org/wiki/Paper%20boat',
      title: 'Paper boat',
      summary: 'A paper boat is a boat made of paper.',
      description: 'Folded boat',
      sections: ['History', 'Folding'],
      categories: ['Toys'],
      image_url: 'https://upload.example/boat.jpg',
      last_changed: '2024-03-09',
      url: 'https://en.wikipedia.org/wiki/Paper_boat',
    }),
  hackernews_front_page: async () =>
    expect((await run('hackernews_front_page')).items).toMatchObject([
      {
        title: 'A & B',
        url: 'https://site.example/ab',
        published: '2024-03-09T10:11:12Z',
        comments_url: 'https://news.ycombinator.com/item?id=1',
      },
    ]),
  hackernews_search: async () =>
    expect((await run('hackernews_search', { query: 'paper boat', max_pages: 2 })).items).toEqual([
      {
        id: '1',
        title: 'Story 1',
        url: 'https://site.example/1',
        author: 'someone',
        points: 1,
        comments: 2,
        created: '2024-03-09T10:11:12Z',
      },
      expect.objectContaining({ id: '2', url: null }),
    ]),
  arxiv_new_papers: async () =>
    expect((await run('arxiv_new_papers', { category: 'cs.AI' })).items).toEqual([
      {
        id: 'oai:arXiv.org:2403.00001v1',
        title: 'On Paper Boats',
        url: 'https://arxiv.org/abs/2403.00001',
        published: '2024-03-09T05:00:00Z',
        summary: 'Abstract: We fold.',
        authors: ['Ann Author, Bob Writer'],
        categories: ['cs.AI'],
      },
    ]),
  arxiv_paper: async () =>
    expect(await run('arxiv_paper', { id: '2403.00001' })).toEqual({
      source_url: 'https://arxiv.org/abs/2403.00001',
      id: '2403.00001',
      title: 'On Paper Boats',
      authors: ['Author, Ann', 'Writer, Bob'],
      abstract: 'We fold.',
      date: '2024-03-09',
      doi: null,
      pdf_url: 'https://arxiv.org/pdf/2403.00001',
      subject: 'Artificial Intelligence (cs.AI)',
    }),
  github_repository: async () =>
    expect(await run('github_repository', { owner: 'some', repository: 'thing' })).toMatchObject({
      name: 'some/thing',
      license: 'MIT',
      homepage: null,
      stars: 12,
      archived: false,
      created: '2020-01-02T03:04:05Z',
    }),
  github_releases: async () =>
    expect(
      (await run('github_releases', { owner: 'some', repository: 'thing', max_pages: 5 })).items,
    ).toMatchObject([
      { tag: 'v2', published: '2024-03-09T10:11:12Z' },
      { tag: 'v1', prerelease: false },
    ]),
  openlibrary_edition: async () =>
    expect(await run('openlibrary_edition', { isbn: '9780000000002' })).toMatchObject({
      title: 'Folding Boats',
      pages: 96,
      subtitle: null,
      url: 'https://openlibrary.org/books/OL1M',
    }),
  openlibrary_subject: async () =>
    expect((await run('openlibrary_subject', { subject: 'sailing' })).items).toEqual([
      {
        title: 'Sails',
        authors: ['A. Sailor'],
        first_published: 1901,
        editions: 4,
        url: 'https://openlibrary.org/works/OL1W',
      },
    ]),
};

describe('the public catalogs', () => {
  it('are at least five sites, and every action is tested here', () => {
    expect(publicCatalogs().length).toBeGreaterThanOrEqual(5);
    expect(Object.keys(tested).sort()).toEqual(actions.map(({ action_id }) => action_id).sort());
  });

  it.each(Object.keys(tested))('%s', async (id) => {
    await tested[id]?.();
  });
});
