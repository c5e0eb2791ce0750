/** `server.json`, by which the MCP registry lists this package. `npm run readme` writes it; a test fails on drift. */

import manifest from '../package.json' with { type: 'json' };
import { isHttpOnly, settingNames, settings } from '../src/cli/config/settings.ts';

/** The registry's limit. */
const maxDescription = 100;

export function serverJson() {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: manifest.mcpName,
    title: 'svc-mcp',
    description: shortened(
      'Gives an AI agent ready-made tools for websites: shops, tables, articles, pages behind a login.',
    ),
    version: manifest.version,
    packages: [
      {
        registryType: 'npm',
        identifier: manifest.name,
        version: manifest.version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: settingNames
          .filter((name) => !isHttpOnly(name))
          .map((name) => {
            const { env, about, defaultText: shownDefault } = settings[name];
            return {
              name: env,
              description: `${about} Default: ${shownDefault}.`,
              isRequired: false,
              isSecret: 'secret' in settings[name],
            };
          }),
      },
    ],
  };
}

function shortened(text: string): string {
  if (text.length <= maxDescription) return text;
  throw new Error(
    `The registry takes descriptions of up to ${maxDescription} characters, not ${text.length}`,
  );
}
