/** A real MCP client on a server of our own, spawned as an agent's client spawns it. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, type Progress, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { isNextStep, type NextStep } from '../../gateway/interface/next-step.ts';
import { stepsMember } from '../../mcp/steps/plain-steps.ts';
import { ServerEndedError } from '../config/errors.ts';
import type { Settings } from '../config/load.ts';
import { version } from '../config/version.ts';
import { withNextForPerson } from '../terminal/next-steps.ts';
import { prepareDataFolder } from './data-folder.ts';

/** A person at a terminal waits longer than an agent's client does. */
const waitSeconds = '600';
/** The server treats messages that arrive sooner after an answer as sent before it. */
const readAfterMs = 120;
const timeoutMs = 24 * 60 * 60_000;

const Answer = z.looseObject({
  structuredContent: z.record(z.string(), z.unknown()).default({}),
  isError: z.boolean().default(false),
  _meta: z.looseObject({ [stepsMember]: z.array(z.custom<NextStep>(isNextStep)).default([]) }).prefault({}),
});

export interface ToolAnswer {
  /** As an agent gets it. */
  readonly body: Record<string, unknown>;
  /** The same with its next steps for a person. */
  readonly shown: Record<string, unknown>;
  readonly isError: boolean;
}

export interface ToolSession {
  listTools(): Promise<Awaited<ReturnType<Client['listTools']>>['tools']>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    onProgress?: (message: string) => void,
  ): Promise<ToolAnswer>;
  /** Has the server answer calls under way with what it knows, and end. */
  interrupt(): void;
  close(): Promise<void>;
}

/**
 * Throws a `DataFolderError` where the embedded service could not start. `args` are flags for the server, as they were
 * given to this command. `onPage` shows a person the address of a page to sign in, whereupon the call waits for them;
 * without it the address is in the answer.
 */
export async function openSession(
  settings: Pick<Settings, 'baseUrl' | 'dataDir' | 'databaseUrl'>,
  args: readonly string[] = [],
  onPage?: (message: string, url: string) => void,
): Promise<ToolSession> {
  if (settings.baseUrl === undefined) await prepareDataFolder(settings);
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath(), 'stdio', ...args],
    env: { SVC_LOG_LEVEL: 'warn', SVC_WAIT_SECONDS: waitSeconds, ...environment },
    stderr: 'inherit',
  });
  const client = new Client(
    { name: 'svc-mcp-cli', version },
    onPage === undefined ? {} : { capabilities: { elicitation: { url: {} } } },
  );
  if (onPage !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode !== 'url') return { action: 'decline' };
      onPage(params.message, params.url);
      return { action: 'accept' };
    });
  }
  await client.connect(transport).catch(nameEnd);
  let lastAnswerAt = Number.NEGATIVE_INFINITY;
  return {
    listTools: async () => (await client.listTools().catch(nameEnd)).tools,
    async callTool(name, args, onProgress) {
      const result = await client
        .callTool(
          { name, arguments: args },
          {
            timeout: timeoutMs,
            ...(onProgress === undefined
              ? {}
              : {
                  onprogress: ({ message }: Progress) => {
                    if (message !== undefined) onProgress(message);
                  },
                }),
          },
        )
        .catch(nameEnd);
      lastAnswerAt = performance.now();
      const { structuredContent: body, isError, _meta } = Answer.parse(result);
      return { body, shown: withNextForPerson(body, _meta[stepsMember]), isError };
    },
    interrupt() {
      // On Windows a signal would end it at once; Ctrl-C reaches all processes of a terminal anyway.
      if (transport.pid !== null && process.platform !== 'win32') process.kill(transport.pid, 'SIGINT');
    },
    async close() {
      // Waits so that the next message counts as a sign that the answer was read: the same command is then a new run.
      const remainingMs = lastAnswerAt + readAfterMs - performance.now();
      if (Number.isFinite(remainingMs)) {
        await delay(Math.max(0, remainingMs));
        await client.ping().catch(() => undefined);
      }
      await client.close();
    },
  };
}

function nameEnd(error: unknown): never {
  const isEnd = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
  throw isEnd ? new ServerEndedError(error) : error;
}

/** The command's own file, whichever bundled file this code ended up in. */
export function programPath(): string {
  return process.argv[1] ?? fileURLToPath(import.meta.url);
}
