/** `svc-mcp http`, spawned as it is deployed, and requests of the current revision to it. Needs `dist/`. */
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { standalone } from './http.ts';
import { type Environment, type Spawned, spawnProgram } from './program.ts';

export interface HttpProgram extends Spawned {
  /** Reachable from this machine. */
  readonly origin: string;
}

export async function startHttp(
  environment: Environment,
  args: readonly string[] = [],
): Promise<HttpProgram> {
  const program = spawnProgram(['http', '--port', '0', ...args], environment);
  await vi.waitFor(() => expect(program.out() + program.err()).toContain('\n'), 20_000);
  const { listening_on: origin } = JSON.parse(program.out());
  return { ...program, origin: String(origin).replace('0.0.0.0', '127.0.0.1') };
}

const Body = z.looseObject({
  status: z.string().optional(),
  results: z.array(z.unknown()).optional(),
  login_url: z.string().optional(),
  error: z.looseObject({ code: z.string(), login_url: z.string().optional() }).optional(),
});
const Answer = z.object({ result: z.object({ structuredContent: Body }) });

/** Calls a tool in a request that stands alone. */
export async function callTool(
  origin: string,
  name: string,
  args: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<z.infer<typeof Body>> {
  const { headers: own, ...rest } = standalone('tools/call', { name, arguments: args });
  const answer = await fetch(`${origin}/mcp`, { ...rest, headers: { ...own, ...headers } });
  return Answer.parse(await answer.json()).result.structuredContent;
}
