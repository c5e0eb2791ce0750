/** A host of MCP Apps on the official bridge, run in a browser: one view in a sandboxed frame, and what it asked for. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** `capabilities` are what the host offers; `resources` and `tools` answer what the view asks the server for. */
window.openView = async ({ html, capabilities, theme, width, input, result, resources = {}, tools = {} }) => {
  const asked = [];
  window.asked = asked;
  const note = (entry) => {
    asked.push(entry);
    return {};
  };
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.style = `border: 0; width: ${width}px; height: 100vh; background: ${theme === 'dark' ? '#191f26' : '#fff'}`;
  document.body.style = `margin: 0; background: ${theme === 'dark' ? '#191f26' : '#fff'}`;
  document.body.append(frame);
  const context = { theme, displayMode: 'inline', locale: 'en-GB', timeZone: 'UTC' };
  const bridge = new AppBridge(null, { name: 'a-test', version: '1' }, capabilities, {
    hostContext: context,
  });
  window.bridge = bridge;
  bridge.onopenlink = async ({ url }) => note({ kind: 'link', url });
  bridge.ondownloadfile = async ({ contents }) => note({ kind: 'file', contents });
  bridge.onmessage = async ({ content }) => note({ kind: 'message', content });
  bridge.onreadresource = async ({ uri }) => {
    asked.push({ kind: 'resource', uri });
    return { contents: [{ uri, mimeType: 'application/json', text: resources[uri] }] };
  };
  bridge.oncalltool = async ({ name, arguments: args }) => {
    asked.push({ kind: 'tool', name, args });
    return { content: [], structuredContent: tools[name] };
  };
  bridge.onsizechange = ({ height }) => {
    window.viewHeight = height;
  };
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult({ content: [], structuredContent: result });
};
