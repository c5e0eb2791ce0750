/** What to paste into a client's configuration. */

export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The entry most clients take (`mcpServers`); VS Code's file has the same under `servers`. */
export function configToPaste(entry: ServerEntry): string {
  return JSON.stringify({ mcpServers: { svc: entry } }, undefined, 2);
}
