/** The host around a view: its theme, the result it shows, and what the view may ask for. */

import { isRecord } from '../contract/result-rows.ts';
import { element } from './elements.ts';
import { type Body, bodyOf, connectHost, type HostConnection } from './host-connection.ts';

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

/** Of a tool's result: the structured part, else the text that says the same. */
function getBody(result: Body): Body {
  if (isRecord(result.structuredContent)) return result.structuredContent;
  const parts: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  for (const part of parts) {
    const text: unknown = isRecord(part) ? part.text : undefined;
    if (typeof text === 'string') return parseResult(text);
  }
  return {};
}

export function parseResult(text: string): Body {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : { data: parsed };
  } catch {
    return { data: text };
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Of MCP Apps. */
const protocolVersion = '2026-01-26';

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
  let input: Body = {};
  let context: Body = {};
  let capabilities: Body = {};
  const connection = connectHost(
    new Map<string, (params: Body) => void>([
      ['ui/notifications/tool-input', (params) => (input = bodyOf(params.arguments))],
      [
        'ui/notifications/tool-result',
        (result) => {
          root.replaceChildren();
          view.show(root, getBody(result), createHost(connection, context, capabilities), input);
        },
      ],
      ['ui/notifications/tool-cancelled', () => wait('The call was cancelled.')],
      [
        'ui/notifications/host-context-changed',
        (changed) => {
          context = { ...context, ...changed };
          applyContext(changed);
        },
      ],
    ]),
  );
  wait('Waiting for the result …');
  const answer = await connection.request('ui/initialize', {
    appInfo: { name: `svc-mcp-${view.name}`, version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion,
  });
  capabilities = bodyOf(answer.hostCapabilities);
  context = bodyOf(answer.hostContext);
  connection.notify('ui/notifications/initialized');
  reportSize(connection);
  applyContext(context);
}

function applyContext({ theme, styles, safeAreaInsets }: Body): void {
  const page = document.documentElement;
  if (theme === 'light' || theme === 'dark') {
    page.dataset.theme = theme;
    page.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(bodyOf(bodyOf(styles).variables))) {
    if (typeof value === 'string') page.style.setProperty(name, value);
  }
  if (!isRecord(safeAreaInsets)) return;
  const { top, right, bottom, left } = safeAreaInsets;
  document.body.style.padding = `${top}px ${right}px ${bottom}px ${left}px`;
}

/** Tells the host how much room the page needs, now and whenever that changes: the frame is as high as the host makes it. */
function reportSize(connection: HostConnection): void {
  const page = document.documentElement;
  let told = '';
  let isDue = false;
  const measure = () => {
    isDue = false;
    const set = page.style.height;
    page.style.height = 'max-content';
    const height = Math.ceil(page.getBoundingClientRect().height);
    page.style.height = set;
    const size = { width: Math.ceil(window.innerWidth), height };
    if (told === JSON.stringify(size)) return;
    told = JSON.stringify(size);
    connection.notify('ui/notifications/size-changed', size);
  };
  const observer = new ResizeObserver(() => {
    if (!isDue) requestAnimationFrame(measure);
    isDue = true;
  });
  observer.observe(page);
  observer.observe(document.body);
}

function createHost(connection: HostConnection, context: Body, capabilities: Body): Host {
  const { serverTools, serverResources, message, downloadFile } = capabilities;
  const { locale, timeZone } = context;
  const toolName = bodyOf(bodyOf(context.toolInfo).tool).name;
  return {
    toolName: textOf(toolName),
    openLink: (url) => void connection.request('ui/open-link', { url }).catch(() => undefined),
    callTool:
      serverTools === undefined
        ? undefined
        : async (name, args) => getBody(await connection.request('tools/call', { name, arguments: args })),
    readResource:
      serverResources === undefined
        ? undefined
        : async (uri) => {
            const { contents } = await connection.request('resources/read', { uri });
            const parts: readonly unknown[] = Array.isArray(contents) ? contents : [];
            return parts.map((part) => textOf(bodyOf(part).text) ?? '').join('');
          },
    say:
      message === undefined
        ? undefined
        : async (text) => {
            const content = [{ type: 'text', text }];
            const { isError } = await connection.request('ui/message', { role: 'user', content });
            return isError !== true;
          },
    async save({ name, mimeType, text }) {
      if (downloadFile !== undefined) {
        const resource = { uri: `file:///${name}`, mimeType, text };
        const contents = [{ type: 'resource', resource }];
        const answer = await connection.request('ui/download-file', { contents }).catch(() => undefined);
        return answer === undefined || answer.isError === true ? 'failed' : 'saved';
      }
      return (await copy(text)) ? 'copied' : 'failed';
    },
    formatTime(time) {
      const at = Date.parse(time);
      if (!Number.isFinite(at)) return time;
      try {
        return new Intl.DateTimeFormat(textOf(locale), { ...timeFields, timeZone: textOf(timeZone) }).format(
          at,
        );
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
