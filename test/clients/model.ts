/**
 * A language model that follows a script, behind the interfaces that the clients speak: Anthropic Messages, OpenAI
 * Chat Completions and Responses, Gemini. It records what a client shows to its model.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** One request of a client, whatever its form. */
export interface Turn {
  /** Names of the tools that the model may call now. */
  readonly tools: readonly string[];
  /** Every text before the first message of the user. */
  readonly system: string;
  /** Results of the calls so far, as the model reads them. */
  readonly results: readonly string[];
}

export type Move =
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly say: string };

/** What the model does next; `next` counts its own requests, from 0. */
export type Script = (turn: Turn) => Move;

export interface Model {
  readonly origin: string;
  readonly turns: Turn[];
  /** `before` is waited for before each answer. */
  follow(script: Script, before?: () => Promise<void>): void;
  close(): Promise<void>;
}

type Json = Record<string, unknown>;
const Loose = z.looseObject({});
const asRecord = (value: unknown): Json => Loose.safeParse(value).data ?? {};
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** Reads a request and writes the answer in one interface. */
interface Dialect {
  readonly matches: (path: string) => boolean;
  readonly read: (body: Json) => Turn;
  readonly answer: (
    move: Move,
    request: { body: Json; path: string; id: number },
    response: ServerResponse,
  ) => void;
}

const events = (response: ServerResponse, list: readonly (readonly [string | undefined, unknown])[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [name, data] of list)
    response.write(
      `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
  response.end();
};
const json = (response: ServerResponse, data: unknown) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(data));
};

const anthropic: Dialect = {
  matches: (path) => path.includes('/messages'),
  read(body) {
    const parts = asList(body.messages).flatMap((message) => asList(asRecord(message).content).map(asRecord));
    return {
      tools: asList(body.tools).map((tool) => asText(asRecord(tool).name)),
      system: asText(body.system) + asText(asList(body.messages)[0]),
      results: parts.filter(({ type }) => type === 'tool_result').map(({ content }) => asText(content)),
    };
  },
  answer(move, { id, body }, response) {
    const block =
      'call' in move
        ? { type: 'tool_use', id: `toolu_${id}`, name: move.call, input: move.args }
        : { type: 'text', text: move.say };
    const stop_reason = 'call' in move ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'scripted', usage };
    if (body.stream !== true)
      return json(response, { ...message, content: [block], stop_reason, stop_sequence: null });
    const delta =
      'call' in move
        ? { type: 'input_json_delta', partial_json: JSON.stringify(move.args) }
        : { type: 'text_delta', text: move.say };
    const start = 'call' in move ? { ...block, input: {} } : { type: 'text', text: '' };
    return events(response, [
      [
        'message_start',
        {
          type: 'message_start',
          message: { ...message, content: [], stop_reason: null, stop_sequence: null },
        },
      ],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: start }],
      ['content_block_delta', { type: 'content_block_delta', index: 0, delta }],
      ['content_block_stop', { type: 'content_block_stop', index: 0 }],
      ['message_delta', { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }],
      ['message_stop', { type: 'message_stop' }],
    ]);
  },
};

const chat: Dialect = {
  matches: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const messages = asList(body.messages).map(asRecord);
    return {
      tools: asList(body.tools).map((tool) => asText(asRecord(asRecord(tool).function).name)),
      system: asText(messages.filter(({ role }) => role === 'system' || role === 'developer')),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => asText(content)),
    };
  },
  answer(move, { id, body }, response) {
    const call = 'call' in move && {
      tool_calls: [
        {
          index: 0,
          id: `call_${id}`,
          type: 'function',
          function: { name: move.call, arguments: JSON.stringify(move.args) },
        },
      ],
    };
    const message = { role: 'assistant', content: 'say' in move ? move.say : null, ...call };
    const finish_reason = 'call' in move ? 'tool_calls' : 'stop';
    const frame = { id: `chat_${id}`, created: 1, model: 'scripted' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (body.stream !== true)
      return json(response, {
        ...frame,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
    const chunk = (delta: Json, reason: string | null) => ({
      ...frame,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    return events(response, [
      [undefined, chunk(message, null)],
      [undefined, chunk({}, finish_reason)],
      [undefined, { ...frame, object: 'chat.completion.chunk', choices: [], usage }],
      [undefined, '[DONE]'],
    ]);
  },
};

const responses: Dialect = {
  matches: (path) => path.endsWith('/responses'),
  read(body) {
    const input = asList(body.input).map(asRecord);
    const offered = asList(body.tools).map(asRecord);
    const found = input
      .filter(({ type }) => type === 'tool_search_output')
      .flatMap(({ tools }) => asList(tools).map(asRecord));
    // Codex puts the tools of a server into a namespace.
    const names = [...offered, ...found].flatMap((tool) =>
      tool.type === 'namespace'
        ? asList(tool.tools).map((inner) => `${asText(tool.name)}::${asText(asRecord(inner).name)}`)
        : [asText(tool.name ?? tool.type)],
    );
    return {
      tools: names,
      system:
        asText(body.instructions) +
        asText(input.filter(({ role }) => role === 'developer' || role === 'system')) +
        asText(offered),
      results: input
        .filter(({ type }) => type === 'function_call_output' || type === 'tool_search_output')
        .map(({ output, tools }) => asText(output ?? tools)),
    };
  },
  answer(move, { id, body }, response) {
    const [namespace, name = ''] =
      'call' in move && move.call.includes('::')
        ? move.call.split('::')
        : [undefined, 'call' in move ? move.call : ''];
    const item =
      'say' in move
        ? {
            type: 'message',
            id: `item_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: move.say, annotations: [] }],
          }
        : name === 'tool_search'
          ? {
              type: 'tool_search_call',
              id: `item_${id}`,
              call_id: `call_${id}`,
              status: 'completed',
              execution: 'client',
              arguments: move.args,
            }
          : {
              type: 'function_call',
              id: `item_${id}`,
              call_id: `call_${id}`,
              status: 'completed',
              name,
              ...(namespace !== undefined && { namespace }),
              arguments: JSON.stringify(move.args),
            };
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const done = {
      id: `resp_${id}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'scripted',
      output: [item],
      usage,
    };
    if (body.stream !== true) return json(response, done);
    return events(response, [
      [
        'response.created',
        {
          type: 'response.created',
          sequence_number: 0,
          response: { ...done, status: 'in_progress', output: [] },
        },
      ],
      [
        'response.output_item.added',
        { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item },
      ],
      [
        'response.output_item.done',
        { type: 'response.output_item.done', sequence_number: 2, output_index: 0, item },
      ],
      ['response.completed', { type: 'response.completed', sequence_number: 3, response: done }],
    ]);
  },
};

const gemini: Dialect = {
  matches: (path) => path.includes('enerateContent'),
  read(body) {
    const parts = asList(body.contents).flatMap((content) => asList(asRecord(content).parts).map(asRecord));
    return {
      tools: asList(body.tools).flatMap((tool) =>
        asList(asRecord(tool).functionDeclarations).map((declared) => asText(asRecord(declared).name)),
      ),
      system: asText(body.systemInstruction) + asText(parts[0]),
      results: parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [asText(asRecord(functionResponse).response)],
      ),
    };
  },
  answer(move, { path }, response) {
    const part = 'call' in move ? { functionCall: { name: move.call, args: move.args } } : { text: move.say };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    return path.includes('stream') ? events(response, [[undefined, answer]]) : json(response, answer);
  },
};

const dialects = [responses, chat, anthropic, gemini];

export async function startModel(): Promise<Model> {
  const turns: Turn[] = [];
  let script: Script = () => ({ say: 'Nothing to do.' });
  let beforeAnswer = async () => {};
  let id = 0;
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const body = asRecord(await readJson(request));
    const dialect = dialects.find((one) => one.matches(path));
    if (request.method !== 'POST' || dialect === undefined || path.includes('count_tokens')) {
      const models = ['scripted'].map((name) => ({ id: name, object: 'model', display_name: name }));
      return json(response, { data: models, object: 'list', models, input_tokens: 1, totalTokens: 1 });
    }
    id += 1;
    const turn = dialect.read(body);
    // Clients also ask for titles and the like, without tools: those are no part of the script.
    if (turn.tools.length === 0) return dialect.answer({ say: 'A title' }, { body, path, id }, response);
    turns.push(turn);
    const move = script(turn);
    await beforeAnswer();
    return dialect.answer(move, { body, path, id }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Partial<AddressInfo> = Object(server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    turns,
    follow(next, before = async () => {}) {
      turns.length = 0;
      script = next;
      beforeAnswer = before;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
