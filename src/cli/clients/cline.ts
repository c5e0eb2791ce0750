/** Cline: no way to refer to a secret, which is read from a file instead; remote servers only with OAuth. */
import { join } from 'node:path';
import { ClientConfigError } from '../config/errors.ts';
import { type Client, localEntry } from './client.ts';

export const cline: Client = {
  title: 'Cline',
  format: 'json',
  section: 'mcpServers',
  file: ({ home, environment }) =>
    environment.CLINE_MCP_SETTINGS_PATH ||
    join(home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
  entry(server) {
    if (server.kind === 'local') {
      return { entry: localEntry(server, ({ variable, file }) => [`${variable}_FILE`, file]), inputs: [] };
    }
    if (server.header !== undefined) throw noReference('Cline');
    return { entry: { type: 'streamableHttp', url: server.url }, inputs: [] };
  },
  secretStep: ({ about, file }) => `Put the ${about} into ${file}, readable by you only.`,
  restartStep:
    'Open the MCP servers of Cline; it reads its file again. Its extension for VS Code has a file of its own: Configure MCP Servers opens it.',
};

/** The secret would have to be written into the file itself. */
export const noReference = (title: string) =>
  new ClientConfigError(
    `${title} cannot refer to a secret in its file: use --auth oauth, or start svc-mcp locally without --url`,
  );
