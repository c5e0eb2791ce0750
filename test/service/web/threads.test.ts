/** Threads of forums are known by their posts: who wrote each, when, and what. */
import { describe, expect, it } from 'vitest';
import { answerReading } from '../../../src/service/web/answer-reading.ts';

async function read(body: string) {
  const page = {
    url: 'https://x.example/t/7',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(body),
  };
  const result = await answerReading({
    page,
    reading: 'page',
    parts: undefined,
    maxRows: 100,
    browser: 'absent',
  });
  return Object('data' in result ? result.data : {});
}

type Post = readonly [author: string, day: string, text: string];
const posts: readonly Post[] = [
  ['maria', '2025-11-01', 'My router drops the line each night at three.'],
  ['tom', '2025-11-02', 'Same here on 14.2.'],
  ['maria', '2025-11-03', 'I changed the cable, without any luck.'],
  ['ole', '2025-11-04', 'Set the timer to 30, then it works.'],
];
const thread = (toPost: (post: Post, index: number) => string, around = 'div') =>
  `<title>Router drops the line</title><body><div id="wrap"><h1>Router drops the line</h1><${around}>${posts.map(toPost).join('')}</${around}></div>`;

const forms: readonly (readonly [string, string])[] = [
  [
    'in articles',
    thread(
      ([author, day, text], at) =>
        `<article class="message" data-author="${author}"><h4 class="message-name"><a href="/members/${author}" class="username">${author}</a></h4><a href="/post-${at}"><time datetime="${day}">${day}</time></a><div class="body">${text}</div></article>`,
    ),
  ],
  [
    'in boxes',
    thread(
      ([author, day, text], at) =>
        `<div class="windowbg" id="msg${at}"><div class="poster"><h4><a href="?action=profile;u=${at}">${author}</a></h4><ul><li>Newbie</li></ul></div><a href="?msg=${at}" class="smalltext">${day}, 08:10</a><div class="inner">${text}</div></div>`,
    ),
  ],
  [
    'in items',
    thread(
      ([author, day, text], at) =>
        `<li class="post" id="post_${at}"><span class="date">${day}, 08:10</span> <a href="?p=${at}">#${at}</a> <a class="username" href="member.php?${at}">${author}</a> <span>Member</span><blockquote class="content">${text}</blockquote></li>`,
      'ol',
    ),
  ],
  [
    'whose moments wait for a script',
    thread(
      ([author, day, text]) =>
        `<li class="pt-4" data-username="${author}"><a href="/user/${author}">${author}</a> <span class="timeago" title="${day}T08:00:00Z"></span><div><p>${text}</p></div></li>`,
      'ul',
    ),
  ],
];

it.each(forms)('short posts %s make a thread', async (_, page) => {
  const { kind, main } = await read(page);
  expect(kind).toBe('forum');
  for (const [author, , text] of posts) expect(main).toMatch(new RegExp(`${author}[\\s\\S]*${text}`));
});

it('entries with author, date and a line of text are no posts where each leads to its page', async () => {
  const entries = thread(
    ([author, day, text], at) =>
      `<div class="entry"><a class="title" href="/t/${at}">Which of the cables is the best one</a><p class="tagline">submitted <time datetime="${day}">a year ago</time> by <a class="author" href="/user/${author}">${author}</a></p><p>${text}</p></div>`,
  );
  expect((await read(entries)).kind).not.toBe('forum');
});

describe('a box in each post', () => {
  it('about its author leaves the name', async () => {
    const { kind, main, missing } = await read(
      thread(
        ([author, day, text]) =>
          `<li><article class="post"><aside class="messageSidebar"><a href="/user/${author}" class="username">${author}</a><dl><dt>Posts</dt><dd>177</dd></dl></aside><time datetime="${day}">${day}</time><p>${text}</p></article></li>`,
        'ul',
      ),
    );
    expect(kind).toBe('forum');
    expect(main.match(/maria|tom|ole/g)).toEqual(expect.arrayContaining(['maria', 'tom', 'ole']));
    expect(main).not.toContain('177');
    expect(missing).toContainEqual('Facts about the authors are left out: ask for parts ["main"].');
  });

  it('is none where a paragraph begins with a word that posts share', async () => {
    const { main } = await read(
      thread(
        ([author, day, text]) =>
          `<div class="post"><span class="creator"><a href="/u/${author}">${author}</a></span> <time datetime="${day}">${day}</time><p>Hello all, and many thanks.</p><p><b>Edit:</b> ${text}</p></div>`,
      ),
    );
    for (const [, , text] of posts) expect(main).toContain(text);
  });

  it('that quotes somebody stays', async () => {
    const { main } = await read(
      thread(
        ([author, day, text]) =>
          `<div class="post"><span class="creator"><a href="/u/${author}">${author}</a></span> <time datetime="${day}">${day}</time><aside class="quote"><div>zed:</div><blockquote><p>Mine never failed</p></blockquote></aside><p>${text}</p></div>`,
      ),
    );
    expect(main).toMatch(/zed:\s+> Mine never failed/);
  });
});

it.each([
  [
    'a quote that is the whole post',
    (inner: string) => `<blockquote class="postcontent">${inner}</blockquote>`,
  ],
  ['a box', (inner: string) => `<div class="post">${inner}</div>`],
])('an answer behind a quoted box is no quote in %s', async (_, post) => {
  const quote =
    '<div class="bbcode_quote"><div class="quote_container"><b>maria</b> wrote: <div>It drops.</div></div></div>';
  const page = thread(
    ([author, day, text]) =>
      `<div class="postbit"><a class="username">${author}</a> <time>${day}</time>${post(`${quote}${text}`)}</div>`,
  );
  const { main } = await read(page);
  expect(main).toMatch(/> It drops\.\s+Same here on 14\.2\./);
});

it('short posts beside a long one stay, whatever holds their text', async () => {
  const page = posts
    .map(
      ([author, day, text], at) =>
        `<article class="post"><a href="/m/${author}">${author}</a> <time>${day}</time><div class="c">${text.repeat(at === 1 ? 30 : 1)}</div></article>`,
    )
    .join('');
  const { main } = await read(`<title>Lines</title><h1>Lines</h1>${page}`);
  for (const [author, , text] of posts) {
    expect(main).toContain(author);
    expect(main).toContain(text);
  }
});

it('entries that each lead to a page of their own make a list, however much they say', async () => {
  const entry = ([, day, text]: Post, at: number) =>
    `<div class="entry"><h3><a href="/t/${at}">Part ${at}</a></h3><span>${day}</span><p>${`${text} More of it stands there. `.repeat(8)}</p></div>`;
  expect(await read(thread(entry))).toMatchObject({ kind: 'listing' });
});
