/** Names for the completion of arguments: what is known here, because a person's every letter asks for them. */
import type { Catalog } from './catalog/catalog.ts';
import type { NameKind } from './interface/gateway.ts';
import { toJobId } from './paid/call.ts';
import type { GatewayStore } from './paid/store.ts';

const recentJobs = 100;

export async function findNames(
  kind: NameKind,
  catalogSlug: string | undefined,
  { catalog, store }: { readonly catalog: Catalog; readonly store: GatewayStore },
): Promise<readonly string[]> {
  if (kind === 'job') {
    const rows = await (await store.open()).queries.newest(recentJobs);
    return rows.filter((row) => row.kind === 'run').map(toJobId);
  }
  const snapshot = await catalog.snapshot();
  if (kind === 'catalog') return snapshot.websites();
  const isWanted = (slug: string) => catalogSlug === undefined || slug === catalogSlug;
  return snapshot.actions.flatMap((action) => (isWanted(action.catalog_slug) ? [action.action_id] : []));
}
