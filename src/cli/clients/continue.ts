/** Continue: a JSON file in `.continue/mcpServers` of the workspace, in the form of Claude Desktop. */
import { join } from 'node:path';
import { type Client, localEntry } from './client.ts';
import { noReference } from './cline.ts';

export const continueDev: Client = {
  title: 'Continue',
  format: 'json',
  section: 'mcpServers',
  file: ({ workingDirectory }) => join(workingDirectory, '.continue', 'mcpServers', 'mcp.json'),
  entry(server) {
    if (server.kind === 'local') {
      return { entry: localEntry(server, ({ variable, file }) => [`${variable}_FILE`, file]), inputs: [] };
    }
    if (server.header !== undefined) throw noReference('Continue');
    return { entry: { type: 'streamable-http', url: server.url }, inputs: [] };
  },
  secretStep: ({ about, file }) => `Put the ${about} into ${file}, readable by you only.`,
  restartStep: 'Reload the window of the editor; Continue uses tools in agent mode.',
};
