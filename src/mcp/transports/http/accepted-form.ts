/** The form of an answer that a client accepts. The revisions of the protocol want JSON and streams; many clients send less. */
import type { IncomingMessage } from 'node:http';

const json = 'application/json';
const stream = 'text/event-stream';

/** Whether the client reads a stream: it says so, takes anything, or says nothing. */
export const takesStreams = ({ headers: { accept = '' } }: Pick<IncomingMessage, 'headers'>): boolean =>
  accept.trim() === '' || /\*\/\*|text\/(?:\*|event-stream)/i.test(accept);

/** Names both forms to the library, which refuses a POST that does not. */
export function acceptBoth({ method, headers }: Request, isStreamTaken: boolean): void {
  if (method === 'POST') headers.set('accept', `${json}, ${stream}`);
  else if (isStreamTaken) headers.set('accept', stream);
}

/** The answers of a stream as JSON; what came before them, such as progress, is left out. */
export async function asJson(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith(stream)) return response;
  const events = (await response.text()).split(/\r?\n\r?\n/);
  const messages = events.flatMap((event): unknown[] => {
    const data = event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []))
      .join('\n');
    return data === '' ? [] : [JSON.parse(data)];
  });
  const answers = messages.filter((message) => Object(message).method === undefined);
  const headers = new Headers(response.headers);
  headers.set('content-type', json);
  const body = JSON.stringify(answers.length === 1 ? answers[0] : answers);
  return new Response(body, { status: response.status, headers });
}
