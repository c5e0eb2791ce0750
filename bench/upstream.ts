/**
 * A service for measurements, in a process of its own: a job is done at the first poll, or after the milliseconds that its
 * params name. Answers are made once.
 * The command line names the number of actions and the extensions it announces; prints its origin when it listens. It
 * takes idempotency keys where it announces them, and has nothing to do for that: no request reaches it twice.
 */
import { createServer } from 'node:http';
import { extensionsHeader } from '../src/contract/extensions.ts';

const actionCount = Number(process.argv[2] ?? 100);
const extensions = process.argv[3];

const action = (index: number) => ({
  action_id: `site_action_${index}`,
  catalog_name: 'Site',
  catalog_slug: 'site',
  name: `Action ${index}`,
  description: `Reads page ${index} of the site and returns its rows with names, prices and links.`,
  mode: 'async',
  auth_mode: 'none',
  auth_required: false,
  connected: false,
  params: {
    type: 'object',
    properties: {
      q: { type: 'string', description: 'Words to look for', pattern: '^[A-Za-z0-9 ]{1,200}$' },
      page: { type: 'integer', minimum: 1, default: 1, description: 'Page to read' },
    },
    required: ['q'],
  },
  credits: 1,
});

const search = Buffer.from(
  JSON.stringify({ results: Array.from({ length: actionCount }, (_, index) => action(index)) }),
);
const row = {
  name: 'A thing with a name of some length',
  price: 12.5,
  url: 'https://example.com/things/1',
  stock: true,
};
const answers = new Map<number, Buffer>();

function answerOf(bytes: number): Buffer {
  const known = answers.get(bytes);
  if (known !== undefined) return known;
  const rows = Array.from(
    { length: Math.max(1, Math.round(bytes / (JSON.stringify(row).length + 1))) },
    () => row,
  );
  const answer = Buffer.from(
    JSON.stringify({ status: 'completed', data: { items: rows }, credits_used: 1, execution_ms: 1 }),
  );
  answers.set(bytes, answer);
  return answer;
}

let jobs = 0;
const server = createServer((request, response) => {
  const path = request.url ?? '';
  const send = (status: number, body: Buffer) => {
    response
      .writeHead(status, {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        ...(extensions !== undefined && { [extensionsHeader]: extensions }),
      })
      .end(body);
  };
  if (path.startsWith('/v1/svc/search?q')) send(200, Buffer.from('{"results":[]}'));
  else if (path.startsWith('/v1/svc/search')) send(200, search);
  else if (path.startsWith('/v1/svc/catalog')) send(200, Buffer.from('{"catalog":[]}'));
  else if (path.startsWith('/v1/svc/jobs/')) {
    const [id = '', bytes, doneAt] = path.slice('/v1/svc/jobs/'.length).split('-');
    const running = { status: 'processing', job_id: id };
    if (Number(doneAt) > Date.now()) send(200, Buffer.from(JSON.stringify(running)));
    else send(200, answerOf(Number(bytes)));
  } else {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // The size of the answer and how long the job takes are asked for in the params: "1000 after 2000".
      const [, bytes = '1000', lastsMs = '0'] =
        /"q":"(\d+)(?: after (\d+))?/.exec(Buffer.concat(chunks).toString()) ?? [];
      jobs += 1;
      const doneAt = lastsMs === '0' ? 0 : Date.now() + Number(lastsMs);
      const job_id = `job${jobs}-${bytes}-${doneAt}`;
      send(202, Buffer.from(JSON.stringify({ status: 'processing', job_id })));
    });
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
