/** Completions for the arguments of prompts and for the variables of resource templates. */
import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import { cleanText } from '../../gateway/foundation/text.ts';
import type { Gateway, NameKind } from '../../gateway/interface/gateway.ts';
import { catalogTemplate, jobTemplate } from '../resources/uris.ts';

/** The protocol's own limit. */
const maxValues = 100;
/** Completed names are used as they are, so names that need cleaning are left out. */
const maxChars = 200;

/** By the argument of a prompt, or by the template and its variable. */
const kinds: ReadonlyMap<string, NameKind> = new Map([
  ['catalog', 'catalog'],
  ['action_id', 'action'],
  [`${catalogTemplate} slug`, 'catalog'],
  [`${jobTemplate} id`, 'job'],
]);

/** Names that begin with the value come first, then names that contain it; none for other arguments. */
export async function complete(
  { ref, argument, context }: CompleteRequestParams,
  gateway: Gateway,
): Promise<CompleteResult> {
  const kind = kinds.get(ref.type === 'ref/resource' ? `${ref.uri} ${argument.name}` : argument.name);
  // A missing completion harms nobody.
  const catalog = context?.arguments?.catalog || undefined;
  const names = kind === undefined ? [] : await gateway.names(kind, catalog).catch(() => []);
  const usable = names.filter((name) => name !== '' && name === cleanText(name, maxChars));
  const typed = argument.value.toLowerCase();
  const starting = usable.filter((name) => name.toLowerCase().startsWith(typed));
  const containing = usable.filter((name) => name.toLowerCase().indexOf(typed) > 0);
  const values = [...starting, ...containing];
  const hasMore = values.length > maxValues;
  return { completion: { values: values.slice(0, maxValues), total: values.length, hasMore } };
}
