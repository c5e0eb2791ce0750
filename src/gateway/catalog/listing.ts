/** Which actions are listed as tools: within two budgets, the requester's own first, then by name. */
import TinyQueue from 'tinyqueue';
import type { SearchResult } from '../../contract/resources.ts';
import type { ListedTool, ToolListing } from '../interface/gateway.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import { actionTool, effectOf, type ListingTerms, outputSchema } from './action-tool.ts';
import type { Snapshot } from './snapshot.ts';

/** What one tool costs in `tools/list` beyond the JSON that is counted: `_meta`, annotations, separators. */
const overheadChars = 160;
/** The characters around the tools in an answer: result type, cache hint, server info with its icon, views of static tools. */
const envelopeChars = 650;
/** No tool costs less: for fewer characters none is made just to be measured. */
const minToolChars = 300;
/** After this many tools in a row that did not fit, no further ones are measured. */
const maxMisses = 40;

export function listTools(
  snapshot: Snapshot,
  settings: GatewaySettings,
  { isSpendingGuarded, showText }: ListingTerms,
): ToolListing & { readonly actions: readonly SearchResult[] } {
  const { maxTools, maxToolsChars, reserved, catalogs } = settings;
  const places = maxTools === 0 ? Number.POSITIVE_INFINITY : maxTools - reserved.names.length;
  let chars = maxToolsChars === 0 ? Number.POSITIVE_INFINITY : maxToolsChars - reserved.chars - envelopeChars;

  const tools: ListedTool[] = [];
  const actions: SearchResult[] = [];
  let misses = 0;
  for (const [name, action] of inListingOrder(snapshot, catalogs)) {
    if (tools.length >= places || misses >= maxMisses || chars < minToolChars) break;
    const effect = effectOf(action, snapshot.getType(action), isSpendingGuarded);
    const tool = {
      ...actionTool(name, action, effect, showText),
      ...(settings.outputSchemas && { outputSchema: outputSchema(action, showText) }),
    };
    const cost = JSON.stringify(tool).length + overheadChars;
    // A tool too long for what is left makes room for shorter ones behind it.
    if (cost > chars) {
      misses += 1;
      continue;
    }
    misses = 0;
    chars -= cost;
    tools.push(tool);
    actions.push(action);
  }
  tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tools, actions, unlisted: snapshot.size - tools.length };
}

/** The requester's own actions first, then by name; of tens of thousands only the first are sorted. */
function* inListingOrder(
  { tools, data }: Snapshot,
  catalogs: readonly string[] | undefined,
): Generator<[name: string, action: SearchResult]> {
  const ownCatalogs = new Set(data.ownCatalogs);
  const isOwn = ({ catalog_slug }: SearchResult) => ownCatalogs.has(catalog_slug);
  const chosen = [...tools].filter(
    ([, { catalog_slug }]) => catalogs === undefined || catalogs.includes(catalog_slug),
  );
  const queue = new TinyQueue(chosen, ([name, action], [otherName, other]) => {
    if (isOwn(action) !== isOwn(other)) return isOwn(action) ? -1 : 1;
    // By code unit: the same on every machine, whatever its language.
    return name < otherName ? -1 : 1;
  });
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) yield next;
}
