/**
 * Settles builds in doubt at a service without idempotency keys: a listed build with the same website and goal, made since
 * the request, is the build of that request. A list without such a build proves nothing, so the doubt stays.
 */
import type { BuildRequest } from '../../contract/resources.ts';
import type { PaidRow } from '../store/schema.ts';
import { parseObject } from './call.ts';
import type { OpenStore } from './store.ts';

/** Between our request and the service's time of creation: the request's 30 s, and clocks that differ. */
const toleranceMs = 120_000;

export async function settleDoubts(
  doubts: readonly PaidRow[],
  builds: readonly BuildRequest[],
  { rows, queries }: Pick<OpenStore, 'rows' | 'queries'>,
): Promise<void> {
  for (const doubt of doubts) {
    const candidates: BuildRequest[] = [];
    for (const build of builds) {
      if (isSame(doubt, build) && !(await queries.isOfAnyone(build.id))) candidates.push(build);
    }
    const [build, ...others] = candidates;
    if (build === undefined) continue;
    // Two builds or two requests cannot be told apart.
    const isOnlyDoubt = doubts.every((other) => other === doubt || !isSame(other, build));
    if (others.length === 0 && isOnlyDoubt) await rows.accept(doubt.id, build.id);
  }
}

function isSame({ subject, params, created_at }: PaidRow, build: BuildRequest): boolean {
  const createdAt = Date.parse(build.created_at);
  return (
    Math.abs(createdAt - created_at) <= toleranceMs &&
    toHref(subject) === toHref(build.website_url) &&
    hasGoal(params ?? '', build.goal)
  );
}

/** `params` is canonical JSON, whose end is cut where it is long; `choose` may hold another member of that name before it. */
function hasGoal(params: string, goal: string): boolean {
  const member = `"goal":${JSON.stringify(goal)}`;
  if (!params.endsWith('…')) return parseObject(params).goal === goal;
  return [...params.matchAll(/"goal":/g)].some(({ index }) => {
    const fromGoal = params.slice(index);
    return fromGoal.startsWith(member) || member.startsWith(fromGoal.slice(0, -1));
  });
}

const toHref = (address: string) => (URL.canParse(address) ? new URL(address).href : address);
