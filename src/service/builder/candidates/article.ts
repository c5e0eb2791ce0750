/** The page as an article: its title, author, date and text. */
import type { Document } from '../../page/document.ts';
import { shownText } from '../../page/elements.ts';
import { articleParts } from '../../recipes/recipe-schema.ts';
import { type Structure, toExtract } from './candidate.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  title: ['title', 'headline'],
  published: ['date published', 'date'],
  text: ['text', 'content', 'body'],
  site_name: ['site name'],
};

export function findArticle({ html }: Document): Structure[] {
  // Only pages with paragraphs can be articles, and the reader is slow.
  const paragraphs = html('p')
    .toArray()
    .filter((paragraph) => shownText(paragraph).length > 80);
  if (paragraphs.length < 2) return [];
  return [
    {
      kind: 'article',
      many: false,
      rows: 1,
      about: '',
      places: articleParts.map((part) => ({
        source: { part },
        label: part,
        names: names[part] ?? [part],
        hint: part === 'image' ? 'image' : undefined,
        ...(part === 'title' ? { isTitle: true } : {}),
      })),
      toExtract: toExtract((fields) => ({
        kind: 'article',
        fields: Object.fromEntries(fields.map(({ name, source }) => [name, source.part])),
      })),
    },
  ];
}
