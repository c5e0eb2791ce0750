import type { Tool } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeOnce, insertList, separateList, withList } from '../../src/mcp/tools/encoded-lists.ts';

const message = (id: string | number, tools: Tool[]) => ({
  jsonrpc: '2.0' as const,
  id,
  result: { tools, _meta: { note: '"tools":[]' } },
});

it('a message with its list put back is the message, whatever its id and its tools hold', () => {
  const texts = fc.oneof(fc.string(), fc.constant('"tools":[]'), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(texts, fc.array(texts), (id, descriptions) => {
      const tools = encodeOnce(
        descriptions.map((description) => ({ name: 'a', description, inputSchema: { type: 'object' } })),
      );
      const parts = separateList(message(id, tools));
      if (parts === undefined) throw new Error('It is a list');
      const whole = insertList(Buffer.from(JSON.stringify(parts.message)), parts.list);
      expect(whole.toString()).toBe(Buffer.from(JSON.stringify(message(id, tools))).toString());
    }),
  );
});

it('a list is encoded once', () => {
  let encodings = 0;
  const tool: Tool = { name: 'a', inputSchema: { type: 'object' } };
  Object.defineProperty(tool, 'toJSON', { value: () => (encodings += 1) });
  const tools = encodeOnce([tool]);
  expect(separateList(message(1, tools))?.list).toBe(separateList(message(2, tools))?.list);
  expect(encodings).toBe(1);
  expect(separateList(message(3, [tool]))).toBeUndefined();
});

it('an event of a stream gets its list, and other messages pass unchanged', async () => {
  const tools = encodeOnce([{ name: 'a', inputSchema: { type: 'object' } }]);
  const parts = separateList(message(1, tools));
  const event = `event: message\ndata: ${JSON.stringify(parts?.message)}\n\n`;
  const answer = withList(new Response(event), parts?.list === undefined ? {} : { list: parts.list });
  expect(await answer.text()).toBe(`event: message\ndata: ${JSON.stringify(message(1, tools))}\n\n`);
  expect(await withList(new Response(event), {}).text()).toBe(event);
});
