/** The host around a view: its theme, the result it shows, and what the view may ask for. */
import {
  App,
  applyDocumentTheme,
  applyHostStyleVariables,
  type McpUiHostContext,
} from '@modelcontextprotocol/ext-apps';
import { element } from './elements.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface AppView {
  readonly name: string;
  /** Shows the body of an answer; `input` are the arguments of the call. */
  show(root: HTMLElement, body: Body, host: Host, input: Body): void;
}

export interface Host {
  openLink(address: string): void;
  /** The body that a tool answers with; undefined where the host calls none for views. */
  readonly callTool: ((name: string, args: Body) => Promise<Body>) | undefined;
  /** The text of a resource; undefined where the host reads none for views. */
  readonly readResource: ((uri: string) => Promise<string>) | undefined;
  /** Says something in the conversation for the person; undefined where the host takes no messages. */
  readonly say: ((text: string) => Promise<boolean>) | undefined;
  /** True: the host took the file. False: it is in the clipboard instead. */
  save(file: {
    readonly name: string;
    readonly mimeType: string;
    readonly text: string;
  }): Promise<'saved' | 'copied' | 'failed'>;
  /** The tool that answered, where the host says it. */
  readonly toolName: string | undefined;
  /** In the person's zone, else the browser's, which it names. */
  formatTime(time: string): string;
}

const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a tool's result: the structured part, else the text that says the same. */
function getBody(result: { readonly structuredContent?: unknown; readonly content?: unknown }): Body {
  if (isBody(result.structuredContent)) return result.structuredContent;
  const parts: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  for (const part of parts) {
    const text: unknown = isBody(part) ? part.text : undefined;
    if (typeof text === 'string') return parseResult(text);
  }
  return {};
}

export function parseResult(text: string): Body {
  try {
    const parsed: unknown = JSON.parse(text);
    return isBody(parsed) ? parsed : { data: parsed };
  } catch {
    return { data: text };
  }
}

/** A time without its zone means nothing to a person elsewhere. */
const timeFields = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** Connects to the host and shows each result that it sends. */
export async function startView(view: AppView): Promise<void> {
  const root = element('main');
  document.body.append(root);
  const wait = (text: string) => root.replaceChildren(element('p', { class: 'quiet', role: 'status' }, text));
  const app = new App(
    { name: `svc-mcp-${view.name}`, version: '1' },
    { availableDisplayModes: ['inline', 'fullscreen'] },
  );
  let input: Body = {};
  app.addEventListener('toolinput', ({ arguments: args }) => {
    input = args ?? {};
  });
  app.addEventListener('toolresult', (result) => {
    root.replaceChildren();
    view.show(root, getBody(result), createHost(app), input);
  });
  app.addEventListener('toolcancelled', () => wait('The call was cancelled.'));
  app.addEventListener('hostcontextchanged', (context) => applyContext(context));
  wait('Waiting for the result …');
  await app.connect();
  applyContext(app.getHostContext() ?? {});
}

function applyContext({ theme, styles, safeAreaInsets }: McpUiHostContext): void {
  if (theme !== undefined) applyDocumentTheme(theme);
  if (styles?.variables !== undefined) applyHostStyleVariables(styles.variables);
  if (safeAreaInsets === undefined) return;
  const { top, right, bottom, left } = safeAreaInsets;
  document.body.style.padding = `${top}px ${right}px ${bottom}px ${left}px`;
}

function createHost(app: App): Host {
  const { serverTools, serverResources, message, downloadFile } = app.getHostCapabilities() ?? {};
  const { locale, timeZone, toolInfo } = app.getHostContext() ?? {};
  return {
    toolName: toolInfo?.tool.name,
    openLink: (url) => void app.openLink({ url }).catch(() => undefined),
    callTool:
      serverTools &&
      (async (name, args) => getBody(await app.callServerTool({ name, arguments: { ...args } }))),
    readResource:
      serverResources &&
      (async (uri) => {
        const { contents } = await app.readServerResource({ uri });
        return contents.map((content) => ('text' in content ? content.text : '')).join('');
      }),
    say:
      message &&
      (async (text) => {
        const { isError } = await app.sendMessage({ role: 'user', content: [{ type: 'text', text }] });
        return isError !== true;
      }),
    async save({ name, mimeType, text }) {
      if (downloadFile !== undefined) {
        const resource = { uri: `file:///${name}`, mimeType, text };
        const answer = await app
          .downloadFile({ contents: [{ type: 'resource', resource }] })
          .catch(() => undefined);
        return answer === undefined || answer.isError === true ? 'failed' : 'saved';
      }
      return (await copy(text)) ? 'copied' : 'failed';
    },
    formatTime(time) {
      const at = Date.parse(time);
      if (!Number.isFinite(at)) return time;
      try {
        return new Intl.DateTimeFormat(locale, { ...timeFields, timeZone }).format(at);
      } catch {
        return new Date(at).toISOString();
      }
    },
  };
}

/** Copies the text, with `execCommand` where the host forbids frames to use the clipboard. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element('textarea', { class: 'visually-hidden', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
