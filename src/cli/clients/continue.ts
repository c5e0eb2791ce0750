/** Continue: `config.yaml` of the user, which the extension reads and the command line `cn` too. */
import { join } from 'node:path';
import { type Client, localEntry } from './client.ts';
import { noReference } from './cline.ts';

export const continueDev: Client = {
  title: 'Continue',
  format: 'yaml',
  section: 'mcpServers',
  file: ({ home }) => join(home, '.continue', 'config.yaml'),
  entry(server) {
    if (server.kind === 'local') {
      return { entry: localEntry(server, ({ variable, file }) => [`${variable}_FILE`, file]), inputs: [] };
    }
    if (server.header !== undefined) throw noReference('Continue');
    return { entry: { type: 'streamable-http', url: server.url }, inputs: [] };
  },
  secretStep: ({ about, file }) => `Put the ${about} into ${file}, readable by you only.`,
  restartStep: 'Reload the window of the editor, or start cn again; Continue uses tools in agent mode.',
};
