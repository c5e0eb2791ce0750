/** Every setting once: its name, what it takes, its default and what it is for. Parsing, flags and docs/settings.md follow. */
import { isIP } from 'node:net';
import * as z from 'zod';
import { isTrustworthyAddress } from '../../client/address.ts';
import { isWebhookSecret } from '../../client/webhook.ts';
import { apiPrefixPattern, defaultApiPrefix } from '../../contract/endpoints.ts';
import { hasPassword } from '../../contract/web-address.ts';
import { defaultGatewaySettings, defaultResultChars } from '../../gateway/interface/settings.ts';
import { defaultRetention } from '../../store/retention.ts';

/** A number, or the text of one: neither blanks nor `true` count as a number here. */
const numeric = (message: string) =>
  z.union(
    [
      z.number(),
      z
        .string()
        .regex(/^\s*-?\d+(\.\d+)?\s*$/)
        .transform(Number),
    ],
    message,
  );
const wholeNumber = (minimum: number, maximum: number) =>
  numeric(`must be a whole number from ${minimum} to ${maximum}`).pipe(
    z
      .int(`must be a whole number`)
      .min(minimum, `must be at least ${minimum}`)
      .max(maximum, `must be at most ${maximum}`),
  );
const credits = numeric('must be a number of credits').pipe(z.number().min(0, 'must not be negative'));
const list = z
  .union(
    [z.string().transform((text) => text.split(',')), z.array(z.string())],
    'must be a comma-separated list',
  )
  .transform((items) => items.map((item) => item.trim()).filter((item) => item !== ''));
const onOrOff = z
  .union([z.boolean(), z.enum(['1', 'true', 'on', '0', 'false', 'off'])], 'must be on or off')
  .transform((value) => (typeof value === 'boolean' ? value : ['1', 'true', 'on'].includes(value)));
const webAddress = z
  .string()
  .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), 'must be an http or https address')
  .refine((text) => !hasPassword(text), 'must not hold a user name or password');
/** Tokens name the issuer character by character, so it is not normalized. */
const issuer = z
  .string()
  .refine(
    (text) => isTrustworthyAddress(text) && !/[?#@]/.test(text),
    'must be an https address without ? or # (http on this machine only)',
  );
const origin = list.refine(
  (items) => items.every((item) => URL.canParse(item) && new URL(item).origin === item),
  'must be origins such as http://127.0.0.1:8080, separated by commas',
);

/** An IP address and the number of its bits that count. */
function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** The parts of docs/settings.md, in their order. */
export const settingGroups = [
  'Service and data',
  'Tools and answers',
  'Credits',
  'Watches',
  'Sign-in',
  'Over HTTP',
  'The embedded service',
] as const;

interface Definition<Value> {
  readonly env: string;
  readonly group: (typeof settingGroups)[number];
  readonly type: z.ZodType<Value>;
  readonly about: string;
  /** As docs/settings.md shows it where the program has a default. */
  readonly defaultText: string;
  /** Never a flag; `<env>_FILE` may name a file that holds it. */
  readonly secret?: true;
}
const setting = <Value>(definition: Definition<Value>): Definition<Value> => definition;

/** Stands in a header of HTTP. */
const headerValue = z.string().regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters');

export const settings = {
  baseUrl: setting({
    env: 'SVC_BASE_URL',
    group: 'Service and data',
    type: webAddress,
    about: 'Address of the service. Leave empty to use the embedded service.',
    defaultText: 'embedded',
  }),
  apiKey: setting({
    env: 'SVC_API_KEY',
    group: 'Service and data',
    type: headerValue,
    about: 'API key of the service.',
    defaultText: 'embedded: generated',
    secret: true,
  }),
  apiPrefix: setting({
    env: 'SVC_API_PREFIX',
    group: 'Service and data',
    type: z.string().regex(apiPrefixPattern, 'must be a path such as /v1/svc'),
    about: 'Path before every endpoint.',
    defaultText: defaultApiPrefix,
  }),
  dataDir: setting({
    env: 'SVC_DATA_DIR',
    group: 'Service and data',
    type: z.string(),
    about:
      'Folder of everything that is kept: databases, keys, catalog files, `config.json`. Readable by its owner only.',
    defaultText: "the system's user data folder",
  }),
  databaseUrl: setting({
    env: 'SVC_DATABASE_URL',
    group: 'Service and data',
    type: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres://'),
    about: 'PostgreSQL database instead of SQLite files in the data folder.',
    defaultText: 'SQLite',
    secret: true,
  }),
  catalogs: setting({
    env: 'SVC_CATALOGS',
    group: 'Tools and answers',
    type: list,
    about:
      'Slugs of the catalogs whose actions are listed as tools; the others stay reachable by `run_action`.',
    defaultText: 'all',
  }),
  maxTools: setting({
    env: 'SVC_MAX_TOOLS',
    group: 'Tools and answers',
    type: wholeNumber(0, 100_000),
    about: 'Tools listed in all, the static ones included; 0: no limit.',
    defaultText: String(defaultGatewaySettings.maxTools),
  }),
  maxToolsChars: setting({
    env: 'SVC_MAX_TOOLS_CHARS',
    group: 'Tools and answers',
    type: wholeNumber(0, 100_000_000),
    about: 'Characters of the whole tool list; 0: no limit.',
    defaultText: String(defaultGatewaySettings.maxToolsChars),
  }),
  outputSchemas: setting({
    env: 'SVC_OUTPUT_SCHEMAS',
    group: 'Tools and answers',
    type: onOrOff,
    about:
      'Whether tools of actions have an `outputSchema`, where the catalog declares the fields of the result; for clients that write code against tools.',
    defaultText: 'off',
  }),
  waitSeconds: setting({
    env: 'SVC_WAIT_SECONDS',
    group: 'Tools and answers',
    type: wholeNumber(1, 86_400),
    about:
      'How long a call waits for its job before it answers with a `job_id`, by which `get_job` gets the result later.',
    defaultText: 'fitted to the client, else 45',
  }),
  resultChars: setting({
    env: 'SVC_RESULT_CHARS',
    group: 'Tools and answers',
    type: wholeNumber(1_000, 10_000_000),
    about: 'Characters of a result before a preview takes its place; `get_job` pages through the rest.',
    defaultText: `fitted to the client, else ${defaultResultChars}`,
  }),
  maxCreditsPerCall: setting({
    env: 'SVC_MAX_CREDITS_PER_CALL',
    group: 'Credits',
    type: credits,
    about:
      'A call or batch that may cost more is refused before anything is sent; rows of a batch stop at it.',
    defaultText: 'off',
  }),
  maxCreditsPerDay: setting({
    env: 'SVC_MAX_CREDITS_PER_DAY',
    group: 'Credits',
    type: credits,
    about:
      'Daily limit in credits (UTC) for this key: builds count, refunds are given back. Leave empty for no limit.',
    defaultText: 'off',
  }),
  maxCreditsPerDayPerKey: setting({
    env: 'SVC_MAX_CREDITS_PER_DAY_PER_KEY',
    group: 'Credits',
    type: credits,
    about:
      'Daily limit in credits (UTC) for all users of one service key together, such as the subjects of `svc-mcp http`.',
    defaultText: 'off',
  }),
  confirmAboveCredits: setting({
    env: 'SVC_CONFIRM_ABOVE_CREDITS',
    group: 'Credits',
    type: credits,
    about: 'A call that may cost more asks the user first; it is refused if the client cannot ask.',
    defaultText: 'off',
  }),
  keepResultsDays: setting({
    env: 'SVC_KEEP_RESULTS_DAYS',
    group: 'Service and data',
    type: wholeNumber(1, 36_500),
    about: 'Days for which results of finished jobs are kept; the job and its cost stay.',
    defaultText: String(defaultRetention.resultsDays),
  }),
  keepIntentsDays: setting({
    env: 'SVC_KEEP_INTENTS_DAYS',
    group: 'Service and data',
    type: wholeNumber(2, 36_500),
    about: 'Days for which closed paid calls and batches stay in the list of `get_job`.',
    defaultText: String(defaultRetention.intentsDays),
  }),
  loginParams: setting({
    env: 'SVC_LOGIN_PARAMS',
    group: 'Sign-in',
    type: z.enum(['allow', 'forbid'], 'must be allow or forbid'),
    about:
      'Whether `login` takes passwords in its params; `forbid`: only by the page or `SVC_LOGIN_<SLUG>_<FIELD>`.',
    defaultText: defaultGatewaySettings.loginParams,
  }),
  openBrowser: setting({
    env: 'SVC_OPEN_BROWSER',
    group: 'Sign-in',
    type: onOrOff,
    about: 'Opens the sign-in page in a browser on this machine, where the client cannot show it.',
    defaultText: 'off',
  }),
  httpToken: setting({
    env: 'SVC_HTTP_TOKEN',
    group: 'Over HTTP',
    type: z.string().regex(/^[\x21-\x7e]{16,}$/, 'must consist of 16 or more visible ASCII characters'),
    about:
      'Token that clients of `svc-mcp http` send as `Authorization: Bearer …`. Needed where they share one key and are not all on this machine.',
    defaultText: 'none',
    secret: true,
  }),
  httpRequestsPerMinute: setting({
    env: 'SVC_HTTP_REQUESTS_PER_MINUTE',
    group: 'Over HTTP',
    type: wholeNumber(1, 10_000_000),
    about: 'Requests to `svc-mcp http` that one key may send in a minute, to each process.',
    defaultText: '6000',
  }),
  oauthIssuer: setting({
    env: 'SVC_OAUTH_ISSUER',
    group: 'Over HTTP',
    type: issuer,
    about:
      'Authorization server whose access tokens `svc-mcp http` accepts, spelled as in their `iss`. Each subject acts with its own key: `svc-mcp http keys add`.',
    defaultText: 'off',
  }),
  oauthAudience: setting({
    env: 'SVC_OAUTH_AUDIENCE',
    group: 'Over HTTP',
    type: headerValue,
    about: 'What access tokens must have as their audience.',
    defaultText: 'the public address of `/mcp`',
  }),
  oauthKeysFile: setting({
    env: 'SVC_OAUTH_KEYS_FILE',
    group: 'Over HTTP',
    type: z.string(),
    about:
      "File of the keys that encrypt the service keys of subjects, and of clients' watches; made with the first one. Replicas need the same file.",
    defaultText: '`oauth-keys.json` in the data folder',
  }),
  publicUrl: setting({
    env: 'SVC_PUBLIC_URL',
    group: 'Over HTTP',
    type: webAddress,
    about:
      'Address at which clients and browsers reach `svc-mcp http`, such as that of a reverse proxy. Its Host and Origin are allowed.',
    defaultText: 'the listening address',
  }),
  serviceAllowOrigins: setting({
    env: 'SVC_SERVICE_ALLOW_ORIGINS',
    group: 'The embedded service',
    type: origin,
    about: 'Origins of your own that the embedded service may fetch although their addresses are private.',
    defaultText: 'none',
  }),
  fetchProxy: setting({
    env: 'SVC_FETCH_PROXY',
    group: 'The embedded service',
    type: z
      .string()
      .refine(
        (text) => text === 'env' || (/^https?:\/\//.test(text) && URL.canParse(text)),
        'must be env, or the http or https address of a proxy',
      ),
    about:
      'Proxy of the embedded service for websites: its address, or `env` for `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. It resolves the names, so private addresses behind it are its matter.',
    defaultText: 'none: directly',
  }),
  fetchFakeIps: setting({
    env: 'SVC_FETCH_FAKE_IPS',
    group: 'The embedded service',
    type: list.refine(
      (items) => items.every(isAddressRange),
      'must be ranges such as 198.18.0.0/15, separated by commas',
    ),
    about:
      'Ranges of addresses that a VPN answers for the names of public websites, such as `198.18.0.0/15`.',
    defaultText: 'none',
  }),
  browser: setting({
    env: 'SVC_BROWSER',
    group: 'The embedded service',
    type: z.string().regex(/^(auto|off|[^:]*[\\/].*|[A-Za-z]:[\\/].*)$/, 'must be auto, off or a path'),
    about:
      'Browser for pages that need one: `auto` takes an installed Chromium, Chrome or Edge (one without windows first), `off` none; else the path of one.',
    defaultText: 'auto',
  }),
  browserSandbox: setting({
    env: 'SVC_BROWSER_SANDBOX',
    group: 'The embedded service',
    type: onOrOff,
    about: "Chromium's sandbox. `off` only where it cannot run and every page that is opened is trusted.",
    defaultText: 'on',
  }),
  practiceSites: setting({
    env: 'SVC_PRACTICE_SITES',
    group: 'The embedded service',
    type: onOrOff,
    about: 'Whether the embedded service has practice sites with invented content, and their actions.',
    defaultText: 'on',
  }),
  webCatalog: setting({
    env: 'SVC_WEB_CATALOG',
    group: 'The embedded service',
    type: onOrOff,
    about: 'Whether the embedded service has the catalog `web`, which reads any public page.',
    defaultText: 'on',
  }),
  trustProxy: setting({
    env: 'SVC_TRUST_PROXY',
    group: 'Over HTTP',
    type: onOrOff,
    about:
      "Whether a proxy stands before the server: a client's address is taken from `X-Forwarded-For`, and its connection does not show that an answer was read.",
    defaultText: 'off',
  }),
  watchWebhook: setting({
    env: 'SVC_WATCH_WEBHOOK',
    group: 'Watches',
    type: webAddress,
    about:
      'Address that is told what watches told, signed as Standard Webhooks has it. Needs `SVC_WATCH_WEBHOOK_SECRET`.',
    defaultText: 'none',
  }),
  watchWebhookSecret: setting({
    env: 'SVC_WATCH_WEBHOOK_SECRET',
    group: 'Watches',
    type: z.string().refine(isWebhookSecret, 'must be whsec_ and 24 to 64 bytes in base64'),
    about: 'What the messages to `SVC_WATCH_WEBHOOK` are signed with: `whsec_` and 24 to 64 bytes in base64.',
    defaultText: 'none',
    secret: true,
  }),
  watchWebhookRows: setting({
    env: 'SVC_WATCH_WEBHOOK_ROWS',
    group: 'Watches',
    type: onOrOff,
    about: 'Whether the messages to `SVC_WATCH_WEBHOOK` hold the rows that changed, not only how many.',
    defaultText: 'off',
  }),
  logLevel: setting({
    env: 'SVC_LOG_LEVEL',
    group: 'Service and data',
    type: z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
    about: 'Log lines to write, to stderr.',
    defaultText: '`warn` on stdio, else `info`',
  }),
} as const;

export type SettingName = keyof typeof settings;
/** The values that were given; what is absent has its default where it is used. */
export type GivenSettings = {
  readonly [Name in SettingName]?: (typeof settings)[Name] extends Definition<infer Value> ? Value : never;
};
export const settingNames = Object.keys(settings).filter((name): name is SettingName => name in settings);

/** `SVC_MAX_TOOLS` is `max_tools` in `config.json` and `--max-tools` as a flag. */
export const configKey = (name: SettingName) => settings[name].env.replace(/^SVC_/, '').toLowerCase();
export const flagName = (name: SettingName) => configKey(name).replaceAll('_', '-');

/** Whether a setting concerns nobody but `svc-mcp http`. */
export const isHttpOnly = (name: SettingName) => /^SVC_(HTTP|OAUTH|PUBLIC)_/.test(settings[name].env);
