/** One visible action as a tool: what it does, takes, returns, costs and changes. */
import { priceText } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { cleanText, quoted } from '../foundation/text.ts';
import type { Effect, ListedTool } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { embeddedService, type Principal } from '../interface/principal.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import { measureSchema } from '../schemas/argument-bounds.ts';
import {
  isPortableName,
  type PortableSchema,
  portableSchema,
  type ShowText,
  unportableProperties,
} from '../schemas/portable-schema.ts';
import { priceOfSearchResult } from './prices.ts';
import { identityProperty, selectProperty } from './tool-arguments.ts';

const maxDescription = 900;
const maxTitle = 120;
/** A longer schema is not listed, because every conversation pays for its characters. */
const maxSchemaChars = 20_000;

/** `show`: of the descriptions of its params. */
export function actionTool(name: string, action: SearchResult, effect: Effect, show: ShowText): ListedTool {
  const { schema, note } = toVisibleParams(action.params, show);
  return {
    name,
    title: cleanText(action.name, maxTitle) || name,
    description: [describeAction(action), note].filter(Boolean).join(' '),
    inputSchema: withOwnArguments(schema, action),
    actionId: action.action_id,
    effect,
  };
}

/** What an action does, costs and needs. The catalog's own words, with its name, come first, as a quotation. */
function describeAction(action: SearchResult): string {
  const site = describeSite(action);
  const does = cleanText(action.description || action.name, maxDescription);
  return [
    quoted(site === '' ? does : `${site}: ${does}`, maxDescription),
    describeFields(action, does),
    `Costs ${priceText(priceOfSearchResult(action))}.`,
    loginNeed(action),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** The name of the website, unless its slug says the same: the tool's name begins with that. */
function describeSite({ catalog_name, catalog_slug }: SearchResult): string {
  const site = cleanText(catalog_name || catalog_slug, 80).replace(/\.$/, '');
  const isSlug = site.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') === catalog_slug;
  return isSlug ? '' : site;
}

const maxFields = 15;
const maxLists = 5;
const maxFieldName = 40;

/** The names by which a caller selects, where the catalog declares them and its description does not name them all. */
function describeFields({ returns }: SearchResult, description: string): string {
  if (returns === undefined) return '';
  const lists = Array.isArray(returns) ? [['', returns] as const] : Object.entries(returns);
  const names = lists.flatMap(([list, fields]) => [list, ...fields]);
  if (names.every((name) => description.includes(name))) return '';
  const listed = lists.map(([list, fields]) => {
    const visibleFields = fields.slice(0, maxFields).map(showField);
    const more = fields.length > maxFields ? ', …' : '';
    return `${list === '' ? '' : `${showField(list)}[]: `}${visibleFields.join(', ')}${more}`;
  });
  return `Returns ${listed.slice(0, maxLists).join('; ')}.`;
}

/** A name with blanks in it could be a sentence. */
const showField = (name: string): string =>
  isPortableName(cleanText(name, maxFieldName)) ? cleanText(name, maxFieldName) : quoted(name, maxFieldName);

function loginNeed({ auth_mode }: SearchResult): string {
  if (auth_mode === 'required') return 'Needs a sign-in: see login.';
  if (auth_mode !== 'none') return 'Sign-in optional: anonymous unless identity names an account.';
  return '';
}

/**
 * The params as they can be shown: portable, or open where the original is too large or too deep. `show`: of the descriptions.
 * In a list of tools they stand beside our own words, so a remote service's are quoted; in an answer all is data.
 */
export function toVisibleParams(
  params: JsonObject,
  show: ShowText,
): { schema: PortableSchema; note: string } {
  const size = measureSchema(params);
  if ('unusable' in size) {
    return {
      schema: { type: 'object' },
      note: `Its params cannot be listed: ${size.unusable}; the service checks them.`,
    };
  }
  const schema = portableSchema(params, show);
  if (params.type !== undefined && params.type !== 'object') {
    return { schema, note: 'Its schema does not describe an object; the service checks the params.' };
  }
  if (JSON.stringify(schema).length > maxSchemaChars) {
    return { schema: { type: 'object' }, note: 'Its params are too long to list; the service checks them.' };
  }
  const hidden = unportableProperties(params);
  const note =
    hidden.length === 0
      ? ''
      : `Also takes ${hidden
          .slice(0, 5)
          .map((key) => `"${cleanText(key, 60)}"`)
          .join(', ')}, through run_action.`;
  return { schema, note };
}

/** The action's params with our own arguments beside them. */
function withOwnArguments(schema: PortableSchema, action: SearchResult): PortableSchema {
  const identity = identityProperty(action);
  const properties: JsonObject = {
    ...(typeof schema.properties === 'object' ? schema.properties : {}),
    ...(identity !== undefined && {
      [identity]: {
        type: 'string',
        description:
          action.auth_mode === 'required' ? 'Account; else the default' : 'Name from list_identities',
      },
    }),
    [selectProperty(action)]: { type: 'string' },
  };
  return { ...schema, properties };
}

const readingTypes = new Set(['scrape', 'extract', 'read', 'search', 'list']);

/** Whether an action of this type only reads; undefined: nobody says what it does. */
export const isReadingType = (type: string | undefined): boolean =>
  type !== undefined && readingTypes.has(type);

/**
 * `type`: of the action, undefined where nobody says. Spending is a change too, unless a limit or a question protects the
 * balance, or the credits are those of the embedded service, which nobody pays for.
 */
export function effectOf(
  { credits, credits_computed }: Pick<SearchResult, 'credits' | 'credits_computed'>,
  type: string | undefined,
  isSpendingGuarded: boolean,
): Effect {
  if (!isReadingType(type)) return 'changes';
  const isFree = credits === 0 && credits_computed !== true;
  return isFree || isSpendingGuarded ? 'reads' : 'spends';
}

export interface ListingTerms {
  /** A limit or a question protects the balance, or nobody pays. */
  readonly isSpendingGuarded: boolean;
  /** How descriptions of params are shown: those of the embedded service are our own or its operator's. */
  readonly showText: ShowText;
}

export function listingTerms(settings: GatewaySettings, { service }: Principal): ListingTerms {
  const isEmbedded = service === embeddedService;
  return {
    isSpendingGuarded:
      isEmbedded ||
      settings.maxCreditsPerDay !== undefined ||
      settings.maxCreditsPerDayPerKey !== undefined ||
      settings.confirmAboveCredits !== undefined,
    showText: isEmbedded ? cleanText : quoted,
  };
}

/** The shortest call, and one that sets every param of which the schema names a value; none where it names too few. */
export function toExamples({ properties, required }: JsonObject): JsonObject[] {
  const names = Array.isArray(required) ? required : [];
  const values: [string, unknown][] = Object.entries(Object(properties)).flatMap(([name, schema]) => {
    const value = exampleOf(Object(schema));
    return value === undefined ? [] : [[name, value]];
  });
  const least = values.filter(([name]) => names.includes(name));
  if (least.length < names.length) return [];
  return (least.length < values.length ? [least, values] : [least]).map((entries) =>
    Object.fromEntries(entries),
  );
}

function exampleOf({ examples, enum: listed, default: standard }: JsonObject): unknown {
  const [first] = [examples, listed].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return first ?? standard;
}

export interface OutputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

const maxSchemaFields = 60;
const maxKind = 60;

/**
 * What a tool's result looks like, for clients that write code against tools; undefined where the catalog does not declare
 * the fields. Without a `type` below `data`: a client that finds a violation throws the paid result away, and `data` is
 * also what `select` picked, CSV, a preview or null. What a field holds stands in its description.
 */
export function outputSchema(
  { returns, field_kinds = {} }: SearchResult,
  show: ShowText,
): OutputSchema | undefined {
  if (returns === undefined) return undefined;
  const describe = (names: readonly string[]): JsonObject =>
    Object.fromEntries(
      names
        .filter(isPortableName)
        .slice(0, maxSchemaFields)
        .map((name) => [name, toFieldSchema(name)]),
    );
  const toFieldSchema = (name: string): JsonObject => {
    const kind = Object.hasOwn(field_kinds, name) ? cleanText(field_kinds[name] ?? '', maxKind) : '';
    return kind === '' ? {} : { description: show(kind, maxKind) };
  };
  const fields = Array.isArray(returns)
    ? describe(returns)
    : Object.fromEntries(
        Object.entries(returns)
          .filter(([name]) => isPortableName(name))
          .slice(0, maxSchemaFields)
          .map(([name, rows]) => [name, { description: 'list', items: { properties: describe(rows) } }]),
      );
  return {
    type: 'object',
    properties: {
      status: { type: 'string', description: 'completed: data has the result; processing: follow next' },
      job_id: { type: 'string' },
      next: { type: 'string', description: 'The one next step' },
      data: { description: 'null or another shape with select, csv or truncated', properties: fields },
    },
    required: ['status'],
  };
}
