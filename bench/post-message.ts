/** One JSON-RPC message to `/mcp`. Rejects where a request is answered without a result. */
import { type Dispatcher, request } from 'undici';

interface Message {
  /** Absent for a notification. */
  readonly id?: number;
  readonly method: string;
  readonly params: object;
}

export async function postMessage(
  { origin, dispatcher }: { readonly origin: string; readonly dispatcher: Dispatcher },
  message: Message,
  headers: Readonly<Record<string, string>>,
) {
  const answer = await request(`${origin}/mcp`, {
    method: 'POST',
    dispatcher,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const text = await answer.body.text();
  const isAnswered = message.id === undefined || (answer.statusCode === 200 && text.includes('"result"'));
  if (!isAnswered) throw new Error(text.slice(0, 500));
  return { text, headers: answer.headers };
}
