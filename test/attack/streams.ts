/** Streams of GET /sse that stay open while the requests on them are cancelled. */
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { initialize, jsonHeaders } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { type CloseLater, callTool, expectTrue, type Family, startTarget, type Target } from './attack.ts';

const cancelled = 300;
/** Of the cancelled requests, still in buffers that are used again. */
const maxKept = 20;

/** A stream of events from the server, and where messages to it go. */
async function openStream(origin: string): Promise<readonly [ClientRequest, string]> {
  const stream = get(`${origin}/sse`);
  const [answer]: IncomingMessage[] = await once(stream, 'response');
  if (answer === undefined) throw new Error('No stream');
  answer.on('error', () => undefined);
  const [event]: Buffer[] = await once(answer, 'data');
  const [, path] = /^data: (.*)$/m.exec(String(event)) ?? [];
  answer.resume();
  return [stream, `${origin}${path}`];
}

/** Everything that is reachable in the program, as text; it takes its time to write. */
async function readHeap({ folder, signal }: Target): Promise<string> {
  const isHeap = (name: string) => name.endsWith('.heapsnapshot');
  signal('SIGUSR2');
  for (;;) {
    await delay(200);
    const name = (await readdir(folder)).find(isHeap);
    const text = name === undefined ? '' : await readFile(join(folder, name), 'utf8');
    if (!text.trimEnd().endsWith(']}')) continue;
    await rm(join(folder, name ?? ''));
    return text;
  }
}

async function startWithJob(closeLater: CloseLater) {
  const upstream = await startUpstream({
    actions: [{ action_id: 'shop-endless', catalog_slug: 'shop', job: { ms: Number.POSITIVE_INFINITY } }],
  });
  closeLater(() => upstream.close());
  const gateway = await startTarget(
    'http',
    { SVC_BASE_URL: upstream.origin, SVC_API_KEY: upstream.apiKey, SVC_WAIT_SECONDS: '1' },
    ['--heapsnapshot-signal=SIGUSR2'],
  );
  closeLater(() => gateway.close());
  const { job_id, text } = await callTool(gateway.origin, 'run_action', { action_id: 'shop-endless' });
  expectTrue(job_id !== undefined, text);
  return { gateway, job_id };
}

export const streams: Family = {
  name: 'streams',
  async prepare(closeLater) {
    const { gateway, job_id } = await startWithJob(closeLater);
    return [
      {
        name: `${cancelled} cancelled requests on one stream of /sse leave nothing behind`,
        async run() {
          const [stream, address] = await openStream(gateway.origin);
          const post = async (message: object) => {
            const body = JSON.stringify({ jsonrpc: '2.0', ...message });
            const answer = await fetch(address, { method: 'POST', headers: jsonHeaders, body });
            expectTrue(answer.status === 202, `HTTP ${answer.status}: ${await answer.text()}`);
          };
          await post(initialize);
          await post({ method: 'notifications/initialized' });
          for (let n = 0; n < cancelled; n += 1) {
            const params = { name: 'get_job', arguments: { job_id, wait_seconds: 50 } };
            await post({ id: `cancelled-${n}`, method: 'tools/call', params });
            await post({ method: 'notifications/cancelled', params: { requestId: `cancelled-${n}` } });
          }
          const kept = new Set((await readHeap(gateway)).match(/cancelled-\d+/g)).size;
          stream.destroy();
          expectTrue(kept <= maxKept, `${kept} of ${cancelled} cancelled requests are kept`);
        },
      },
    ];
  },
};
