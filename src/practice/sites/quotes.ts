/** The practice library of quotations: a JSON interface with filters, paging by offset, and one record by id. */
import { Hono } from 'hono';

const quotes = [
  ['To be, or not to be, that is the question.', 'William Shakespeare', 1603, ['doubt', 'life']],
  ['All that glisters is not gold.', 'William Shakespeare', 1600, ['wisdom']],
  ['Brevity is the soul of wit.', 'William Shakespeare', 1603, ['wit', 'language']],
  ['The course of true love never did run smooth.', 'William Shakespeare', 1600, ['love']],
  ['Some are born great, some achieve greatness.', 'William Shakespeare', 1623, ['life']],
  ['To err is human, to forgive divine.', 'Alexander Pope', 1711, ['wisdom']],
  ['A little learning is a dangerous thing.', 'Alexander Pope', 1711, ['learning', 'wisdom']],
  ['Hope springs eternal in the human breast.', 'Alexander Pope', 1734, ['hope']],
  ['I think, therefore I am.', 'René Descartes', 1637, ['doubt', 'philosophy']],
  ['Knowledge itself is power.', 'Francis Bacon', 1597, ['learning']],
  [
    'The heart has its reasons, of which reason knows nothing.',
    'Blaise Pascal',
    1670,
    ['love', 'philosophy'],
  ],
  ['No man is an island.', 'John Donne', 1624, ['life', 'philosophy']],
  ['We must cultivate our garden.', 'Voltaire', 1759, ['work', 'wisdom']],
  ['Man is born free, and everywhere he is in chains.', 'Jean-Jacques Rousseau', 1762, ['freedom']],
  ['Well done is better than well said.', 'Benjamin Franklin', 1737, ['work']],
  ['An investment in knowledge pays the best interest.', 'Benjamin Franklin', 1758, ['learning', 'work']],
  ['A thing of beauty is a joy for ever.', 'John Keats', 1818, ['beauty']],
  ['She walks in beauty, like the night.', 'Lord Byron', 1815, ['beauty', 'love']],
  ['If winter comes, can spring be far behind?', 'Percy Bysshe Shelley', 1820, ['hope']],
  ['The child is father of the man.', 'William Wordsworth', 1802, ['life']],
  ['I am no bird; and no net ensnares me.', 'Charlotte Brontë', 1847, ['freedom']],
  ['I can resist everything except temptation.', 'Oscar Wilde', 1892, ['wit']],
  ['Experience is the name everyone gives to their mistakes.', 'Oscar Wilde', 1892, ['wit', 'learning']],
  ['Everything should begin with doubt.', 'René Descartes', 1641, ['doubt']],
] as const;

const records = quotes.map(([text, author, year, tags], index) => ({
  id: index + 1,
  text,
  author,
  year,
  tags,
}));

const count = (text: string | undefined, most: number, otherwise: number) => {
  const number = Math.floor(Number(text));
  return text === undefined || !Number.isFinite(number) ? otherwise : Math.min(Math.max(number, 0), most);
};

export const quoteLibrary = new Hono()
  .get('/', (c) =>
    c.json({
      name: 'Library of quotations',
      interfaces: ['/quotes/api/quotes', '/quotes/api/quotes/{id}', '/quotes/api/authors'],
    }),
  )
  .get('/api/quotes', (c) => {
    const { author, tag, text } = c.req.query();
    const matches = records.filter(
      (record) =>
        (author === undefined || record.author.toLowerCase() === author.toLowerCase()) &&
        (tag === undefined || record.tags.some((name) => name === tag)) &&
        (text === undefined || record.text.toLowerCase().includes(text.toLowerCase())),
    );
    const limit = count(c.req.query('limit'), 20, 8);
    const offset = count(c.req.query('offset'), matches.length, 0);
    const page = matches.slice(offset, offset + limit);
    return c.json({ meta: { total: matches.length, offset, limit }, data: { quotes: page } });
  })
  .get('/api/quotes/:id', (c) => {
    const record = records.find(({ id }) => String(id) === c.req.param('id'));
    return record === undefined ? c.json({ error: 'no such quotation' }, 404) : c.json(record);
  })
  .get('/api/authors', (c) => {
    const names = [...new Set(records.map(({ author }) => author))].sort();
    const authors = names.map((name) => ({
      name,
      quotations: records.filter(({ author }) => author === name).length,
    }));
    return c.json({ authors });
  });
