/** The server that the conformance suite asks for: tools, prompts and resources with fixed names, which exist here only. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequiredResult,
  type InputRequiredSpec,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { readClient, tasksExtension } from '../../src/mcp/calls/client.ts';
import { toolResult } from '../../src/mcp/calls/result.ts';
import { missingCapability, registerTasks, toCreatedTask } from '../../src/mcp/tasks/tasks.ts';
import { confirmDelete, MemoryTasks, taskTools } from './fixture-tasks.ts';

/** One red pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A sound of no length. */
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (content: string): ContentBlock => ({ type: 'text', text: content });
const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };
const said = (...content: ContentBlock[]): CallToolResult => ({ content });

type Arguments = Readonly<Record<string, unknown>>;
type Call = (
  args: Arguments,
  ctx: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

const codec = createRequestStateCodec<{ step: string }>({ key: new Uint8Array(32).fill(7) });

const ask = (message: string, field: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'string' ? { type } : { type } },
      required: [field],
    },
  });
const sample = (prompt: string, maxTokens = 100) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });
const name = ask('What is your name?', 'name');

const answered = (ctx: ServerContext, key: string) => acceptedContent(ctx.mcpReq.inputResponses, key);
const responded = (ctx: ServerContext, key: string) => inputResponse(ctx.mcpReq.inputResponses, key);

/** What a sampled message says. */
function sampled(ctx: ServerContext, key: string): string | undefined {
  const response = responded(ctx, key);
  if (response.kind !== 'sampling') return undefined;
  const { content } = response.result;
  const [first] = Array.isArray(content) ? content : [content];
  return first?.type === 'text' ? first.text : '';
}

/** The form's answer as text, once it is there. */
function formTool(prefix: string, form: Parameters<typeof inputRequired.elicit>[0]): Call {
  return (args, ctx) => {
    const response = responded(ctx, 'form');
    if (response.kind === 'elicit') {
      return said(
        text(`${prefix}: action=${response.action}, content=${JSON.stringify(response.content ?? {})}`),
      );
    }
    const message = typeof args.message === 'string' ? args.message : form.message;
    return inputRequired({ inputRequests: { form: inputRequired.elicit({ ...form, message }) } });
  };
}

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];

async function notifyThrice(notify: (index: number) => Promise<void>): Promise<void> {
  for (const index of [0, 1, 2]) {
    if (index > 0) await delay(50);
    await notify(index);
  }
}

async function withState(inputRequests: NonNullable<InputRequiredSpec['inputRequests']>, step: string) {
  return inputRequired({ inputRequests, requestState: await codec.mint({ step }) });
}

function tools(onToolsChange: () => void): Readonly<Record<string, Call>> {
  return {
    greet: ({ name: whom }) => said(text(`Hello, ${whom}!`)),
    test_simple_text: () => said(text('This is a simple text response for testing.')),
    test_image_content: () => said(image),
    test_audio_content: () => said({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
    test_embedded_resource: () =>
      said({
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      }),
    test_multiple_content_types: () =>
      said(text('Multiple content types test:'), image, {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      }),
    test_error_handling: () => ({
      ...said(text('This tool intentionally returns an error for testing')),
      isError: true,
    }),
    test_tool_with_logging: async (_args, ctx) => {
      const lines = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
      await notifyThrice((index) =>
        ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: lines[index] } }),
      );
      return said(text('Logged.'));
    },
    test_tool_with_progress: async (_args, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      await notifyThrice(async (index) => {
        if (progressToken === undefined) return;
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: index * 50, total: 100 },
        });
      });
      return said(text('Done.'));
    },
    test_logging_tool: () => said(text('Nothing is logged unless it is asked for.')),
    test_sampling: (args, ctx) => {
      const answer = sampled(ctx, 'answer');
      if (answer !== undefined) return said(text(`LLM response: ${answer}`));
      return inputRequired({ inputRequests: { answer: sample(String(args.prompt)) } });
    },
    test_elicitation: formTool('User response', {
      message: '',
      requestedSchema: {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      },
    }),
    test_elicitation_sep1034_defaults: formTool('Elicitation completed', {
      message: 'Check the defaults',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
    }),
    test_elicitation_sep1330_enums: formTool('Elicitation completed', {
      message: 'Choose',
      requestedSchema: {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: options },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
      },
    }),
    test_streaming_elicitation: (_args, ctx) =>
      answered(ctx, 'user_name') === undefined
        ? inputRequired({ inputRequests: { user_name: name } })
        : said(text('Thank you.')),
    test_missing_capability: () => {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    },
    test_trigger_tool_change: () => {
      onToolsChange();
      return said(text('Changed.'));
    },
    confirm_delete: confirmDelete,
    test_input_required_result_elicitation: (_args, ctx) => {
      const given = answered(ctx, 'user_name')?.name;
      if (typeof given === 'string') return said(text(`Hello, ${given}!`));
      return inputRequired({ inputRequests: { user_name: name } });
    },
    test_input_required_result_sampling: (_args, ctx) => {
      const answer = sampled(ctx, 'capital_question');
      if (answer !== undefined) return said(text(answer));
      return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } });
    },
    test_input_required_result_list_roots: (_args, ctx) => {
      const response = responded(ctx, 'client_roots');
      if (response.kind === 'roots') return said(text(response.roots.map(({ uri }) => uri).join(' ')));
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
    test_input_required_result_request_state: (_args, ctx) => {
      const known = ctx.mcpReq.requestState<{ step: string }>()?.step === 'confirm';
      if (known && responded(ctx, 'confirm').kind === 'elicit') return said(text('state-ok'));
      return withState({ confirm: ask('Please confirm', 'ok', 'boolean') }, 'confirm');
    },
    test_input_required_result_tampered_state: (_args, ctx) =>
      responded(ctx, 'confirm').kind === 'elicit'
        ? said(text('state-ok'))
        : withState({ confirm: ask('Please confirm', 'ok', 'boolean') }, 'confirm'),
    test_input_required_result_multiple_inputs: (_args, ctx) => {
      const keys = ['user_name', 'greeting', 'client_roots'];
      if (keys.every((key) => responded(ctx, key).kind !== 'missing')) return said(text('All is here.'));
      return withState(
        {
          user_name: name,
          greeting: sample('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        'all',
      );
    },
    test_input_required_result_multi_round: (_args, ctx) => {
      const step = ctx.mcpReq.requestState<{ step: string }>()?.step;
      if (step === 'two' && answered(ctx, 'step2') !== undefined) return said(text('Both steps are done.'));
      if (step === 'one' && answered(ctx, 'step1') !== undefined) {
        return withState({ step2: ask('Step 2: What is your favorite color?', 'color') }, 'two');
      }
      return withState({ step1: ask('Step 1: What is your name?', 'name') }, 'one');
    },
    test_input_required_result_capabilities: (_args, ctx) => {
      const capabilities = new Map(Object.entries(ctx.mcpReq.envelope ?? {})).get(
        CLIENT_CAPABILITIES_META_KEY,
      );
      const declares = (key: string) =>
        typeof capabilities === 'object' && capabilities !== null && key in capabilities;
      if (ctx.mcpReq.inputResponses !== undefined) return said(text('Thank you.'));
      if (!declares('elicitation') && !declares('sampling')) return said(text('Nothing can be asked.'));
      return inputRequired({
        inputRequests: {
          ...(declares('elicitation') && { user_name: name }),
          ...(declares('sampling') && { greeting: sample('Generate a greeting') }),
        },
      });
    },
  };
}

const inputSchemas: Readonly<Record<string, readonly string[]>> = {
  greet: ['name'],
  test_sampling: ['prompt'],
  test_elicitation: ['message'],
};

const user = (content: ContentBlock) => ({ role: 'user' as const, content });

const prompts: Readonly<
  Record<
    string,
    {
      readonly args: readonly string[];
      get(args: Arguments, ctx: ServerContext): GetPromptResult | InputRequiredResult;
    }
  >
> = {
  test_simple_prompt: {
    args: [],
    get: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    get: ({ resourceUri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: {
            uri: String(resourceUri),
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    args: [],
    get: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
  test_input_required_result_prompt: {
    args: [],
    get: (_args, ctx) => {
      const context = answered(ctx, 'user_context')?.context;
      if (typeof context === 'string') return { messages: [user(text(`In the context of ${context}.`))] };
      return inputRequired({
        inputRequests: { user_context: ask('What context should the prompt use?', 'context') },
      });
    },
  },
};

const resources = [
  {
    uri: 'test://static-text',
    name: 'Static text',
    description: 'A text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  {
    uri: 'test://static-binary',
    name: 'Static binary',
    description: 'A pixel',
    mimeType: 'image/png',
    blob: png,
  },
  {
    uri: 'test://watched-resource',
    name: 'Watched',
    description: 'A text to subscribe to',
    mimeType: 'text/plain',
    text: 'Watched.',
  },
];

const template = /^test:\/\/template\/([^/]+)\/data$/;
const cacheHint = { ttlMs: 60_000, cacheScope: 'public' } as const;

const tasks = new MemoryTasks();

export function createFixture(onToolsChange: () => void): Server {
  const calls = tools(onToolsChange);
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        resources: { subscribe: true },
        completions: {},
        logging: {},
        extensions: { [tasksExtension]: {} },
      },
      cacheHints: {
        'tools/list': cacheHint,
        'prompts/list': cacheHint,
        'resources/list': cacheHint,
        'resources/templates/list': cacheHint,
        'resources/read': cacheHint,
        'server/discover': cacheHint,
      },
      requestState: { verify: codec.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...Object.keys(calls).map((tool) => {
        const required = inputSchemas[tool] ?? [];
        const properties = Object.fromEntries(required.map((property) => [property, { type: 'string' }]));
        return {
          name: tool,
          description: `For the conformance suite: ${tool}`,
          inputSchema: { type: 'object' as const, properties, required: [...required] },
        };
      }),
      ...Object.entries(taskTools).map(([tool, { properties }]) => ({
        name: tool,
        description: `For the conformance suite: ${tool}`,
        inputSchema: {
          type: 'object' as const,
          properties: Object.fromEntries(properties.map((property) => [property, {}])),
        },
      })),
    ],
  }));
  registerTasks(server, tasks);
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const taskTool = taskTools[params.name];
    if (taskTool !== undefined) {
      const args = params.arguments ?? {};
      const { takesTasks } = readClient(server, ctx);
      if (!takesTasks && taskTool.needsTask) throw missingCapability();
      if (!takesTasks) return toolResult(await taskTool.run(args, ctx.mcpReq.signal, ctx));
      const task = () => tasks.start((signal) => taskTool.run(args, signal, ctx));
      return taskTool.first?.(ctx) ?? toCreatedTask(task());
    }
    const call = calls[params.name];
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool');
    return call(params.arguments ?? {}, ctx);
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([prompt, { args }]) => ({
      name: prompt,
      description: `For the conformance suite: ${prompt}`,
      arguments: args.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const prompt = prompts[params.name];
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt');
    return prompt.get(params.arguments ?? {}, ctx);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ text: _text, blob: _blob, ...resource }) => resource),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'Template', description: 'By id' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const id = template.exec(uri)?.[1];
    if (id !== undefined) {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text: data }] };
    }
    const resource = resources.find((candidate) => candidate.uri === uri);
    if (resource === undefined) throw new ResourceNotFoundError(uri);
    const { mimeType } = resource;
    return {
      contents: [
        resource.text === undefined
          ? { uri, mimeType, blob: resource.blob }
          : { uri, mimeType, text: resource.text },
      ],
    };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0 } }));
  server.setRequestHandler('logging/setLevel', () => ({}));
  return server;
}
