/** The bundle's manifest (MCPB 0.3), made from the settings and the tools. */
import manifest from '../package.json' with { type: 'json' };
import { configKey, type SettingName, settings } from '../src/cli/config/settings.ts';
import { staticToolList } from '../src/mcp/tools/tool-list.ts';

/** What a person is asked for at the installation; everything else is a variable. */
const asked: readonly (readonly [SettingName, title: string])[] = [
  ['baseUrl', 'Address of the service'],
  ['apiKey', 'API key'],
  ['maxCreditsPerDay', 'Credits a day'],
  ['confirmAboveCredits', 'Ask me before a call that costs more credits than'],
];

export function bundleManifest(platform: string, arch: string) {
  return {
    manifest_version: '0.3',
    name: manifest.name,
    display_name: 'svc-mcp',
    version: manifest.version,
    description: manifest.description,
    long_description: `Runs on ${platform} (${arch}), for which this bundle was made. With no address of a service it starts one of its own on this machine, with practice sites to try things on.`,
    author: { name: 'The svc-mcp contributors' },
    license: manifest.license,
    server: {
      type: 'node',
      entry_point: 'dist/cli/main.js',
      mcp_config: {
        command: 'node',
        args: [`$\{__dirname}/dist/cli/main.js`],
        env: Object.fromEntries(
          asked.map(([name]) => [settings[name].env, `\${user_config.${configKey(name)}}`]),
        ),
      },
    },
    tools: staticToolList.map(({ name, title = name }) => ({ name, description: title })),
    tools_generated: true,
    compatibility: { platforms: [platform], runtimes: { node: manifest.engines.node } },
    user_config: Object.fromEntries(
      asked.map(([name, title]) => [
        configKey(name),
        {
          type: 'string',
          title,
          description: settings[name].about,
          required: false,
          // What is not given must become nothing; without a default the placeholder itself would be the value.
          default: '',
          ...('secret' in settings[name] ? { sensitive: true } : {}),
        },
      ]),
    ),
  };
}
