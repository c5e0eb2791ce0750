/** Makes the action from the choice: its recipe, its params and its name. */
import { createHash } from 'node:crypto';
import { shapeOf } from '../../../compare/shape.ts';
import type { Usual } from '../../../contract/resources.ts';
import { slugOfDomain, toIdPart } from '../../catalog/catalogs-of-builds.ts';
import { renderedCredits } from '../../catalog/definition.ts';
import { absentFields, type Goal, readGoal } from '../../catalog/read-goal.ts';
import { shortened } from '../../catalog/short-row.ts';
import { toConcepts } from '../../catalog/synonyms.ts';
import type { ActionDefinition, BuildTask } from '../../foundation/ports.ts';
import type { Row } from '../../page/document.ts';
import { toWords } from '../../page/words.ts';
import type { Extract, Paging } from '../../recipes/recipe-schema.ts';
import type { Selection } from '../analysis/analyze.ts';
import type { SearchForm } from '../page/site-search.ts';
import type { Slug } from '../page/slug.ts';

/** By what was tried: the page has no next one, its next one gave no further rows, or it names no address of one. */
export type NoPaging = 'none' | 'no rows' | 'no address';

const noPagingTexts: Readonly<Record<NoPaging, string>> = {
  none: 'No further pages were found on the example.',
  'no rows': 'The example names a next page, but it gave no further rows when it was tried.',
  'no address': 'The example says that its list goes on, but no address of a next page was found.',
};

/** What the params of an action do. */
export interface Parameters {
  readonly paging?: Paging | undefined;
  /** Why the pages after the example are not read. */
  readonly noPaging?: NoPaging | undefined;
  /** Adds the words of the caller to the request. */
  readonly search?: { readonly form: SearchForm; readonly example: string } | undefined;
  /** The part of the address in which pages of this form differ, with examples. */
  readonly slug?: Slug | undefined;
}

export interface Draft {
  readonly url: string;
  /** The page needs a browser. */
  readonly render?: true | undefined;
  readonly extract: Extract;
  readonly parameters: Parameters;
}

/** A placeholder's braces must not come from the site. */
const withoutBraces = (url: string) => url.replaceAll('{', '%7B').replaceAll('}', '%7D');

/** The words that the page of the example was searched for: without params the action reads that page. */
const askedWords = ({ url, parameters: { search } }: Pick<Draft, 'url' | 'parameters'>): string =>
  (search && new URL(url).searchParams.get(search.form.query)) ?? '';

export function createRecipe({ url, render, extract, parameters }: Draft): Readonly<Record<string, unknown>> {
  const { paging, search, slug } = parameters;
  if (slug !== undefined) {
    const address = `${withoutBraces(slug.prefix)}{slug}${withoutBraces(slug.suffix)}`;
    return { defaults: { slug: slug.value }, request: { url: address }, extract };
  }
  const rest = {
    ...(render === undefined ? {} : { render }),
    extract,
    ...(paging === undefined ? {} : { paging }),
  };
  if (search === undefined) return { request: { url: withoutBraces(url) }, ...rest };
  const asked = askedWords({ url, parameters });
  const address = new URL(url);
  address.searchParams.delete(search.form.query);
  for (const name of Object.keys(search.form.constants)) address.searchParams.delete(name);
  return {
    ...(asked !== '' && { defaults: { query: asked } }),
    request: {
      url: withoutBraces(address.href),
      query: { ...search.form.constants, [search.form.query]: '{query}' },
    },
    ...rest,
  };
}

/** JSON Schema of the params; every one of them has a default or may be left out. */
function createSchema(draft: Draft): Readonly<Record<string, unknown>> {
  const { paging, search, slug } = draft.parameters;
  const asked = askedWords(draft);
  const properties = {
    query: search && {
      type: 'string',
      minLength: 1,
      // The site's own label is not used: it could speak to a model in the list of tools.
      description: 'Words to search for',
      ...(asked !== '' && { default: asked }),
      examples: [search.example],
    },
    slug: slug && {
      type: 'string',
      minLength: 1,
      description: `The part of the page's address after ${slug.prefix}`,
      default: slug.value,
      examples: [slug.value, ...slug.others],
    },
    max_pages: paging && {
      type: 'integer',
      minimum: 1,
      maximum: paging.most,
      default: 1,
      examples: [2],
      description: 'Pages to read',
    },
  };
  const present = Object.entries(properties).filter(([, property]) => property !== undefined);
  return { type: 'object', properties: Object.fromEntries(present), additionalProperties: false };
}

/** Rows that first runs are compared with; search results of the service have them too. */
const maxKnown = 10;

/** What runs without texts among their params are compared with until some of them tell what is usual. */
export function usualOf(rows: readonly Row[], many: boolean): Usual {
  const shape = shapeOf(many ? { items: rows } : rows[0]);
  const fields = Object.entries(shape.fields).map(([name, field]) => [
    name,
    { ...field, kinds: [...field.kinds] },
  ]);
  const known = Object.fromEntries(Object.entries(shape.known).slice(0, maxKnown));
  return { rows: shape.rows, fields: Object.fromEntries(fields), ...(many && { known }) };
}

/** The action as it is published. Its id follows from the site and the goal, so that two goals make two actions. */
export function createAction(
  task: BuildTask,
  draft: Draft,
  selection: Pick<Selection, 'fields' | 'many' | 'columns' | 'group' | 'section'>,
  tested: readonly Row[] = [],
): ActionDefinition {
  const { many } = selection;
  const fields = selection.fields.map(({ name }) => name);
  const goal = readGoal(task.goal);
  const recipe = createRecipe(draft);
  const slug = task.catalog?.slug ?? slugOfDomain(task.domain);
  const topic = subjectWords(goal.subject);
  const id =
    task.name !== undefined
      ? `${slug}_${task.name}`
      : `${slug}_${many ? 'list' : 'get'}_${toIdPart(topic.length > 0 ? topic : fields)}`;
  const verb = `${many ? 'List' : 'Get'} ${topic.join(' ')}`.trim();
  const schema = createSchema(draft);
  return {
    action_id: id.slice(0, 90),
    // Catalog files limit the length of names and descriptions.
    name: shortened(`${verb}${topic.length > 0 ? ': ' : ' '}${fields.join(', ')}`, 80),
    description: describeAction(task, goal, { ...selection, fields, draft }),
    tags: topic.slice(0, 5),
    type: 'scrape',
    mode: 'async',
    auth_mode: 'none',
    parameters: schema,
    credits_per_call: draft.render ? renderedCredits : 1,
    wheel_version: createHash('sha256').update(JSON.stringify({ recipe, schema })).digest('hex').slice(0, 12),
    recipe,
    columns: selection.columns,
    ...(tested.length > 0 && { usual: usualOf(tested, many) }),
  };
}

/** Describes what the action returns and, separately, what was asked for: the two may differ. */
function describeAction(
  { goal: asked, domain }: BuildTask,
  goal: Goal,
  {
    fields,
    many,
    group,
    section,
    draft: { extract, parameters, render },
  }: Pick<Selection, 'many' | 'group' | 'section'> & {
    readonly fields: readonly string[];
    readonly draft: Draft;
  },
): string {
  const absent = absentFields(goal, fields);
  return [
    `Gives ${many ? 'rows of ' : ''}${shortened(fields.join(', '), 1_000)} from ${domain}.`,
    // The headings are the site's own words, as labels are.
    ...(group === undefined
      ? []
      : [
          `They are of ${group.what} of the page, ${section === undefined ? 'which no field tells apart' : `whose headings are in ${section}`}.`,
        ]),
    ...(absent.length === 0 ? [] : [`No field is named ${shortened(absent.join(', '), 200)}.`]),
    `Built for: "${shortened(asked.replace(/\s+/g, ' ').trim(), 500)}".`,
    ...(parameters.paging === undefined
      ? []
      : [`Reads one page unless max_pages (up to ${parameters.paging.most}) says more.`]),
    ...(many && goal.order !== undefined
      ? [`Rows are all of the page, in its order: "${shortened(goal.order, 60)}" is not applied.`]
      : []),
    ...(many && extract.kind !== 'feed' && (parameters.paging?.kind ?? 'found') === 'found'
      ? [noPagingTexts[parameters.noPaging ?? 'none']]
      : []),
    ...(render ? ['Uses a browser.'] : []),
  ].join(' ');
}

/** The words of a goal's subject as written, without filler words. */
const subjectWords = (subject: string) => toWords(subject).filter((word) => toConcepts(word).length > 0);
