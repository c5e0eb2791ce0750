/**
 * The limits of known clients, by the names of their handshakes: how much of a result they show the model, and what breaks
 * them. `test/mcp/known-clients.test.ts` has the handshakes.
 */

interface ClientLimits {
  /** How the client's name (`clientInfo.name`, lower case) starts. */
  readonly name: string;
  /** Characters of `data` that reach the model uncut, with what stands around them. */
  readonly chars?: number;
  /** It gives the model the text and the structured content: twice the same. */
  readonly textOnly?: true;
  /** It shows links to resources; some agents' libraries fail on them. */
  readonly links?: true;
  /** It rejects pages without `elicitationId`, which the current revision no longer has. */
  readonly elicitationId?: true;
}

const clientLimits: readonly ClientLimits[] = [
  // 25,000 tokens, with a warning from 10,000.
  { name: 'claude-code', chars: 30_000, links: true },
  // Models that it does not know get about 10 KB, cut in the middle.
  { name: 'codex', chars: 8_000 },
  // About 20 KiB; a longer result is reduced to 500 characters.
  { name: 'github-copilot', chars: 17_000, elicitationId: true },
  { name: 'copilot', chars: 17_000, elicitationId: true },
  // 24,000 characters.
  { name: 'qwen', chars: 20_000 },
  // 8,000 characters of the whole text, cut in the middle.
  { name: '@cline/', chars: 7_500, textOnly: true },
  { name: 'cline', chars: 7_500, textOnly: true },
  { name: '@langchain/mcp-adapters', textOnly: true },
  { name: 'visual studio code', links: true },
  { name: 'mcp-inspector', links: true },
  { name: 'inspector', links: true },
];

const findClientLimits = (clientName: string | undefined): ClientLimits | undefined => {
  const name = clientName?.toLowerCase() ?? '';
  return clientLimits.find((limits) => name.startsWith(limits.name));
};

/** Characters of data that the client's model sees whole; undefined: nothing special is known. */
export const getResultChars = (clientName: string | undefined): number | undefined =>
  findClientLimits(clientName)?.chars;

export const takesLinks = (clientName: string | undefined): boolean =>
  findClientLimits(clientName)?.links === true;

export const takesStructure = (clientName: string | undefined): boolean =>
  findClientLimits(clientName)?.textOnly !== true;

export const needsElicitationId = (clientName: string | undefined): boolean =>
  findClientLimits(clientName)?.elicitationId === true;
