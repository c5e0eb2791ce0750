/** What a goal in plain words asks for: the fields it lists, and what it is about. */
import { fieldName, isFieldWord, meansSame, stem, wordsOf } from './words.ts';

export interface Phrase {
  /** Words in one form, the most telling last: "date posted", "book title". */
  readonly words: readonly string[];
  /** The name its field gets. */
  readonly name: string;
  /** As the goal writes it: the name of a field that is a list. */
  readonly written: string;
  /** Implied by the goal, not asked for: nothing is missing without it. */
  readonly optional?: true;
}

export interface Goal {
  /** Fields that the goal lists; empty where it leaves them open. */
  readonly fields: readonly Phrase[];
  /** Words for what the rows are: books, jobs. */
  readonly subject: readonly string[];
  /** Whether many things are asked for, or one; undefined where the goal does not tell. */
  readonly many: boolean | undefined;
  /** It speaks of searching by words that the caller gives. */
  readonly searches: boolean;
}

const verbs =
  'get list extract show find return fetch scrape collect give read need want would like please retrieve pull grab obtain monitor track build create make look up provide output capture gather crawl parse download have tell see know'.split(
    ' ',
  );
const fillers =
  'i me my we us you a an the this that these those it is are be was which who what whose can all every each any some latest current newest recent top new first full main available listed shown displayed given basic following page pages site website web homepage front data information info detail details field fields value values column columns record records list listing listings table result results table row rows entry entries item items thing things complete entire whole one single individual action tool api json structured also both only just respective corresponding as well here there if possible about specific certain particular different various multiple several today todays optional optionally necessary where present exist exists'.split(
    ' ',
  );
const ignored = new Set([...verbs, ...fillers]);
/** Words that tell a field from another of its kind, where fields are listed. */
const adjectives = new Set('current new full first main original total available'.split(' '));
/** Words after which fields are listed. */
const opens = new Set(
  'with including include includes containing contain their its showing namely incl having plus'.split(' '),
);
const joins = new Set(['and', 'or', '&', 'plus', 'und', 'et']);
/** Words after which the context follows: what the fields are of, or where they are. */
const context = new Set(
  'of for from in on at to per by into within using via through under over so when'.split(' '),
);
const connecting = new Set([...opens, ...joins, ...context, 'search', 'query', 'filter', 'everything', 's']);

/** The words, in one form and each once, that say what a goal, a name or a description is about. */
export const contentWords = (text: string): string[] =>
  [...new Set(wordsOf(text))].filter((word) => !ignored.has(word) && !connecting.has(word));

const manyWords =
  /\b(all|every|each|list|lists|table|rows|entries|items|listings?|results|latest|newest|top)\b/i;

interface Chunk {
  readonly words: string[];
  readonly written: string[];
  /** What stands before it. */
  readonly before: 'start' | 'opens' | 'joins' | 'context';
  readonly plural: boolean;
  readonly afterSearch: boolean;
}

function chunksOf(goal: string): Chunk[] {
  const text = goal
    .normalize('NFKC')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/\bas well as\b|\balong with\b|\btogether with\b/gi, ' with ')
    .replace(/\b(e\.g\.|i\.e\.|etc\.?|such as|for example)/gi, ' ')
    .replace(/\b(?:total )?(number|amount|count) of (?:the |its |their )?/gi, ' $1_of ')
    .replace(/['’]s\b/g, ' of-owner ')
    .replace(/\bwhether\b[^,.;]*/gi, (clause) => clause.replace(/\b(whether|it|is|are|in)\b/gi, ' '));
  const tokens = text.match(/[\p{L}\p{N}_#%-]+|[,;:&()[\]{}.\n|/]/gu) ?? [];
  const chunks: Chunk[] = [];
  let words: string[] = [];
  let written: string[] = [];
  let before: Chunk['before'] = 'start';
  let plural = false;
  let search = false;
  const flush = () => {
    if (words.length === 0) {
      written = [];
      return false;
    }
    chunks.push({ words, written, before, plural, afterSearch: search });
    words = [];
    written = [];
    plural = false;
    return true;
  };
  for (const token of tokens) {
    const word = token.toLowerCase();
    if (/^[,;|/]$/.test(token) || joins.has(word)) {
      if (flush()) before = 'joins';
    } else if (/^[:([{]$/.test(token) || opens.has(word)) {
      flush();
      before = 'opens';
    } else if (token === 'of-owner') {
      // "the product's name": the owner is the context.
      if (words.length > 0)
        chunks.push({ words, written, before: 'context', plural: false, afterSearch: search });
      words = [];
      written = [];
      if (before !== 'joins') before = 'opens';
    } else if (/^[.\n)\]}]$/.test(token)) {
      flush();
      before = 'start';
      search = false;
    } else if (context.has(word)) {
      flush();
      before = 'context';
    } else if (/^search/.test(word) || word === 'query' || word === 'keyword' || word === 'filter') {
      flush();
      search = true;
      before = 'context';
    } else if (adjectives.has(word) && words.length === 0 && (before === 'opens' || before === 'joins')) {
      written.push(word);
    } else if (!ignored.has(word)) {
      words.push(...wordsOf(token).filter((part) => part !== 'of'));
      written.push(word);
      plural = /[^s]s$/i.test(token);
    }
  }
  flush();
  return chunks;
}

const phraseOf = ({ words, written }: Chunk): Phrase => {
  const plural = fieldName(written);
  const [last = ''] = written.slice(-1);
  const singular = plural.includes('_of_') ? plural : fieldName([...written.slice(0, -1), stem(last)]);
  return { words, name: singular, written: plural };
};
const titleWords = new Set(['title', 'name', 'headline', 'heading']);

export function readGoal(goal: string): Goal {
  const chunks = chunksOf(goal);
  const searches = /\bsearch|\bquery\b|\bkeywords?\b|\blook(s|ing)? up\b/i.test(goal);
  const fields: Phrase[] = [];
  const subject: string[] = [];
  let inList = false;
  let opened = false;
  let many = manyWords.test(goal) ? true : undefined;
  chunks.forEach((chunk, index) => {
    const next = chunks[index + 1];
    const listed =
      chunk.before === 'opens' ||
      (chunk.before === 'joins' && (inList || chunks[index - 1]?.before !== 'context')) ||
      // The first of "title, price and rating of …", or of "price of …".
      (chunk.before === 'start' &&
        (next?.before === 'joins' || (next?.before === 'context' && isFieldWord(chunk.words.at(-1) ?? ''))));
    const alone = chunk.before === 'start' && chunks.length === 1 && isFieldWord(chunk.words.at(-1) ?? '');
    const named =
      chunk.before === 'start' && chunk.words.length > 1 && titleWords.has(chunk.words.at(-1) ?? '');
    if (chunk.before === 'start') inList = false;
    if (listed && chunk.before !== 'start') inList = true;
    if (chunk.before === 'opens') opened = true;
    if (listed || named || (alone && chunk.words.length > 1)) fields.push(phraseOf(chunk));
    else {
      if (chunk.plural && (chunk.before === 'start' || chunk.before === 'context')) many ??= true;
      if (!chunk.afterSearch) subject.push(...chunk.words);
    }
  });
  // "List books, authors and prices": what opens the sentence and is no kind of field is the subject.
  const [first] = fields;
  if (
    first !== undefined &&
    fields.length > 1 &&
    chunks[0]?.before === 'start' &&
    chunks[0].plural &&
    chunks[0].words === first.words &&
    !first.words.some(isFieldWord)
  ) {
    fields.shift();
    opened = true;
    subject.push(...first.words);
  }
  // "Books with price": whoever asks so wants to know which book.
  if (
    opened &&
    subject.length > 0 &&
    !fields.some(({ words }) => words.some((word) => meansSame(word, 'title')))
  )
    fields.unshift({
      words: [...subject.slice(-1), 'title'],
      name: 'title',
      written: 'title',
      optional: true,
    });
  const seen = new Set<string>();
  return {
    fields: fields.filter(({ name }) => !seen.has(name) && seen.add(name)).slice(0, 20),
    subject: [...new Set(subject)],
    many:
      many ??
      (/\b(this|the) (product|article|recipe|event|page|book|movie)\b/i.test(goal) ? false : undefined),
    searches,
  };
}
