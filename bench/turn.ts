/** One turn of one server: so many calls, some at once. */
import type { Peer } from './peer.ts';
import { cpuMs } from './process.ts';
import { timed } from './statistics.ts';

export interface Turn {
  /** Milliseconds of each call. */
  readonly times: readonly number[];
  readonly perSecond: number;
  /** Milliseconds of processor time for a call. */
  readonly cpu: number;
}

/** Another page for each call: the same call again would attach to a run that was not delivered yet. */
let page = 0;

/** `paramsOf`: of a `tools/call`, with the page of its own. Rejects where a call does not complete. */
export async function takeTurn(
  { request, pid }: Peer,
  { calls, atOnce }: { readonly calls: number; readonly atOnce: number },
  paramsOf: (page: number) => object,
): Promise<Turn> {
  const times: number[] = [];
  let left = calls;
  const call = async (params: object) => {
    const answer = await request('tools/call', params);
    if (!answer.slice(0, 200).includes('completed')) throw new Error(answer.slice(0, 500));
  };
  const client = async () => {
    while (left-- > 0) {
      page += 1;
      const params = paramsOf(page);
      times.push(await timed(() => call(params)));
    }
  };
  const before = cpuMs(pid);
  const took = await timed(() => Promise.all(Array.from({ length: atOnce }, client)));
  return { times, perSecond: (calls / took) * 1000, cpu: (cpuMs(pid) - before) / calls };
}
