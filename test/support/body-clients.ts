/** The ways in which clients send a body: with a length or in chunks, reading early or only after everything was written. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';

type Headers = Readonly<Record<string, string>>;
type Answer = readonly [status: number, text: string];
export type Send = (url: string, headers: Headers, text: string) => Promise<Answer>;

const pieces = (text: string): string[] => text.match(/.{1,65536}/gs) ?? [];

const sendByNode =
  (more: (text: string) => Record<string, string | number>): Send =>
  async (url, headers, text) => {
    const sending = httpRequest(url, { method: 'POST', headers: { ...headers, ...more(text) } });
    const answered = once(sending, 'response');
    for (const piece of pieces(text)) sending.write(piece);
    sending.end();
    const [response] = await answered;
    let answer = '';
    for await (const chunk of response) answer += chunk;
    return [response.statusCode, answer];
  };

const sendByFetch =
  (toBody: (text: string) => string | ReadableStream): Send =>
  async (url, headers, text) => {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: toBody(text),
      duplex: 'half',
    });
    return [response.status, await response.text()];
  };

/** Reads nothing before it has written everything. */
const sendRaw: Send = async (url, headers, text) => {
  const { port, host, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n`;
  socket.write(`${head}${lines.join('')}transfer-encoding: chunked\r\n\r\n`);
  const chunks = pieces(text).map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(`${chunks.join('')}0\r\n\r\n`, () => resolve());
  });
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return [Number(answer.split(' ')[1]), answer];
};

export const bodyClients: readonly (readonly [name: string, send: Send])[] = [
  ['node:http with a length', sendByNode((text) => ({ 'content-length': Buffer.byteLength(text) }))],
  ['node:http in chunks', sendByNode(() => ({ 'transfer-encoding': 'chunked' }))],
  ['fetch with a length', sendByFetch((text) => text)],
  ['fetch in chunks', sendByFetch((text) => new Blob(pieces(text)).stream())],
  ['a socket in chunks', sendRaw],
];
