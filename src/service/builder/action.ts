/** From what was chosen to an action: its recipe, its params and its name. */
import { createHash } from 'node:crypto';
import type { ActionDefinition, BuildTask, CatalogDefinition } from '../ports.ts';
import type { Details, Extract, Paging } from '../recipes/schema.ts';
import { readGoal } from './goal.ts';
import type { SearchForm } from './site-search.ts';
import { fieldName } from './words.ts';

/** What the params of an action do. */
export interface Parameters {
  readonly paging?: Paging | undefined;
  /** Adds the words of the caller to the request. `fallback` is searched for where the caller gives none. */
  readonly search?:
    | { readonly form: SearchForm; readonly example: string; readonly fallback: boolean }
    | undefined;
  /** The part of the address that names one of many such pages. */
  readonly slug?:
    | {
        readonly prefix: string;
        readonly suffix: string;
        readonly value: string;
        readonly others: readonly string[];
      }
    | undefined;
}

export interface Draft {
  readonly url: string;
  readonly extract: Extract;
  readonly details?: Details | undefined;
  readonly parameters: Parameters;
}

/** A placeholder's braces must not come from the site. */
const withoutBraces = (url: string) => url.replaceAll('{', '%7B').replaceAll('}', '%7D');

export function recipeOf({ url, extract, details, parameters }: Draft): Readonly<Record<string, unknown>> {
  const { paging, search, slug } = parameters;
  if (slug !== undefined) {
    const address = `${withoutBraces(slug.prefix)}{slug}${withoutBraces(slug.suffix)}`;
    return { defaults: { slug: slug.value }, request: { url: address }, extract };
  }
  const rest = {
    extract,
    ...(paging === undefined ? {} : { paging }),
    ...(details === undefined ? {} : { details }),
  };
  if (search === undefined) return { request: { url: withoutBraces(url) }, ...rest };
  const address = new URL(search.fallback ? search.form.url : url);
  address.searchParams.delete(search.form.query);
  for (const name of Object.keys(search.form.constants)) address.searchParams.delete(name);
  return {
    ...(search.fallback ? { defaults: { query: search.example } } : {}),
    request: {
      url: withoutBraces(address.href),
      query: { ...search.form.constants, [search.form.query]: '{query}' },
    },
    ...rest,
  };
}

/** JSON Schema of the params; every one of them has a default or may be left out. */
export function schemaOf({ paging, search, slug }: Parameters): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties: {
      ...(search === undefined
        ? {}
        : {
            query: {
              type: 'string',
              minLength: 1,
              description: search.form.label,
              examples: [search.example],
              ...(search.fallback ? { default: search.example } : {}),
            },
          }),
      ...(slug === undefined
        ? {}
        : {
            slug: {
              type: 'string',
              minLength: 1,
              description: `The part of the page's address after ${slug.prefix}`,
              default: slug.value,
              examples: [slug.value, ...slug.others].slice(0, 3),
            },
          }),
      ...(paging === undefined
        ? {}
        : {
            max_pages: {
              type: 'integer',
              minimum: 1,
              maximum: paging.most,
              default: 1,
              examples: [2],
              description: 'Pages to read',
            },
          }),
    },
    additionalProperties: false,
  };
}

const slugOf = (domain: string) =>
  domain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'site';

/** The catalog of a site that has none yet. */
export function catalogOf(task: BuildTask, siteName: string): Omit<CatalogDefinition, 'actions'> {
  const { origin } = new URL(task.websiteUrl);
  return {
    slug: slugOf(task.domain),
    name: siteName || task.domain,
    url: `${origin}/`,
    category: 'web',
    description: `Data from ${task.domain}`,
    logo_url: `${origin}/favicon.ico`,
    auth_types: [],
    auth_login_url: null,
  };
}

/** The action as it is published. Its id follows from the site and the goal, so that two goals make two actions. */
export function actionOf(
  task: BuildTask,
  draft: Draft,
  fields: readonly string[],
  many: boolean,
  missing: readonly string[] = [],
): ActionDefinition {
  const goal = readGoal(task.goal);
  const recipe = recipeOf(draft);
  const slug = task.catalog?.slug ?? slugOf(task.domain);
  const words = goal.subject.length > 0 ? goal.subject.slice(0, 3) : fields.slice(0, 3);
  const verb = draft.parameters.search?.fallback === true ? 'search' : many ? 'list' : 'get';
  const id = `${slug}_${verb}_${fieldName(words) || 'data'}`;
  const name = task.goal.replace(/\s+/g, ' ').trim();
  const content = { recipe, schema: schemaOf(draft.parameters) };
  return {
    action_id: id.slice(0, 90),
    name: name.length > 80 ? `${name.slice(0, 79)}…` : name,
    description: `${name.slice(0, 600)} — from ${task.domain}. Gives ${many ? 'rows of ' : ''}${fields.join(', ')}.${missing.length === 0 ? '' : ` Not found on the site: ${missing.join(', ')}.`}`,
    tags: goal.subject.slice(0, 5),
    type: 'scrape',
    mode: 'async',
    auth_mode: 'none',
    parameters: content.schema,
    credits_per_call: 1,
    wheel_version: createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12),
    recipe,
  };
}
