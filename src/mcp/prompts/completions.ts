/** Completions for the arguments of prompts and for the variables of resource templates. */
import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import type { Gateway, NameKind } from '../../gateway/interface/gateway.ts';
import { catalogTemplate, jobTemplate } from '../resources/uris.ts';
import { prompts } from './prompts.ts';

/** The protocol's own limit. */
const maxValues = 100;

const variables: Readonly<Record<string, NameKind>> = {
  [`${catalogTemplate} slug`]: 'catalog',
  [`${jobTemplate} id`]: 'job',
};

/** What begins with the value comes first, then what contains it; nothing for what cannot be completed. */
export async function complete(
  { ref, argument, context }: CompleteRequestParams,
  gateway: Gateway,
): Promise<CompleteResult> {
  const kind = findNameKind(ref, argument.name);
  if (kind === undefined) return { completion: { values: [], total: 0 } };
  const names = await gateway.names(kind, context?.arguments?.catalog || undefined);
  const prefix = argument.value.toLowerCase();
  const places = names.flatMap((name) => {
    const place = name.toLowerCase().indexOf(prefix);
    return place < 0 ? [] : [{ name, isLater: place > 0 }];
  });
  const matches = [...places.filter(({ isLater }) => !isLater), ...places.filter(({ isLater }) => isLater)];
  return {
    completion: {
      values: matches.slice(0, maxValues).map(({ name }) => name),
      total: matches.length,
      hasMore: matches.length > maxValues,
    },
  };
}

function findNameKind(ref: CompleteRequestParams['ref'], argument: string): NameKind | undefined {
  if (ref.type === 'ref/resource') {
    const key = `${ref.uri} ${argument}`;
    return Object.hasOwn(variables, key) ? variables[key] : undefined;
  }
  const prompt = prompts.find(({ name }) => name === ref.name);
  return prompt?.arguments.find(({ name }) => name === argument)?.names;
}
