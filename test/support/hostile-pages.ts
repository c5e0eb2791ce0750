/** Pages that could stall or exhaust whoever reads them, or lead elsewhere. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';

const html = (body: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end(body);

function* forever(piece: string) {
  for (;;) yield piece;
}
/** As fast as it is read. */
const endless = (piece: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  // It ends when the reader goes.
  pipeline(Readable.from(forever(piece)), response).catch(() => undefined);
};

/** 100 MB in many members, because one would hold up the process that serves it. */
const bomb = Buffer.concat(Array<Buffer>(100).fill(gzipSync(Buffer.alloc(1_000_000, 'a'))));
const heading = '<title>Boats</title><h1>Boats</h1>';

export const hostilePages: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'an endless stream': endless(`${heading}${'<p>more and more</p>'.repeat(1_000)}`),
  'an endless stream of rows': endless(`${heading}<ul>${'<li><b>a</b><i>1</i></li>'.repeat(1_000)}`),
  'nested 20,000 deep': html(heading + '<div>'.repeat(20_000)),
  '100,000 siblings': html(heading + '<p>x</p>'.repeat(100_000)),
  'megabytes of script': html(`${heading}<script>var x = ${'[{"a":"'.repeat(600_000)}</script>`),
  'a table of 2,000 columns': html(
    `${heading}<table>${`<tr>${'<td colspan=1000 rowspan=65534>x</td>'.repeat(2_000)}</tr>`.repeat(20)}</table>`,
  ),
  'an archive bomb': (response) =>
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb),
  'a redirect to itself': (response) => response.writeHead(302, { location: '?again' }).end(),
  'a redirect inside': (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  'no HTTP at all': (response) => response.socket?.end('SSH-2.0-nonsense\r\n'),
};
