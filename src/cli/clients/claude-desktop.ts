/** Claude Desktop: started servers only, and no way to refer to a secret, which is read from a file instead. */
import { join } from 'node:path';
import { ClientConfigError } from '../config/errors.ts';
import { type Client, localEntry, userSettings } from './client.ts';

export const claudeDesktop: Client = {
  title: 'Claude Desktop',
  format: 'json',
  section: 'mcpServers',
  file: (system) => join(userSettings(system), 'Claude', 'claude_desktop_config.json'),
  entry(server) {
    if (server.kind === 'remote') {
      throw new ClientConfigError(
        'Claude Desktop names no remote servers in its file: add the address in its settings, under Connectors',
      );
    }
    return { entry: localEntry(server, ({ variable, file }) => [`${variable}_FILE`, file]), inputs: [] };
  },
  secretStep: ({ about, file }) => `Put the ${about} into ${file}, readable by you only.`,
  restartStep: 'Quit Claude Desktop and start it again.',
};
