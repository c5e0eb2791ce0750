/** The table of limits and time-outs, from the constants that hold them. */
import { defaultLimits } from '../../src/client/request-limits.ts';
import { maxAttempts } from '../../src/client/retry.ts';
import { loginTimeoutMs } from '../../src/gateway/accounts/login.ts';
import { pageLifetimeMs } from '../../src/gateway/accounts/sign-in-pages.ts';
import { defaultTimeLimits } from '../../src/gateway/foundation/time-limits.ts';
import { defaultResultChars } from '../../src/gateway/interface/settings.ts';
import { maxArgumentDepth, maxArgumentElements } from '../../src/gateway/schemas/argument-bounds.ts';
import { keptBytes } from '../../src/gateway/store/retention.ts';
import { undeliveredMs, unknownBlockMs } from '../../src/gateway/store/states.ts';
import { defaultWaits } from '../../src/mcp/calls/client.ts';
import { questionSeconds } from '../../src/mcp/calls/questions.ts';
import { defaultHttpLimits as http } from '../../src/mcp/transports/http/http-limits.ts';
import { maxBodyDepth, maxOtherElements } from '../../src/mcp/transports/http/request.ts';
import { defaultRetention } from '../../src/store/retention.ts';

const count = (value: number) => value.toLocaleString('en');
const bytes = (value: number) => `${value / 1024 / 1024} MiB`;

function time(ms: number): string {
  const units: [number, string][] = [
    [24 * 60 * 60_000, 'days'],
    [60 * 60_000, 'hours'],
    [60_000, 'minutes'],
  ];
  const [size, name] = units.find(([unit]) => ms >= 2 * unit && ms % unit === 0) ?? [1000, 's'];
  return `${ms / size} ${name}`;
}

export const limitRows: readonly (readonly [what: string, limit: string])[] = [
  ['Arguments of a call', `${count(maxArgumentElements)} elements, ${maxArgumentDepth} levels`],
  ['Another message over HTTP', `${count(maxOtherElements)} elements, ${maxBodyDepth} levels`],
  [
    'A result shown at once',
    `${count(defaultResultChars)} characters (\`SVC_RESULT_CHARS\`), then a preview`,
  ],
  [
    'Results kept for `get_job`',
    `${defaultRetention.resultsDays} days (\`SVC_KEEP_RESULTS_DAYS\`), ${bytes(keptBytes)} for each key`,
  ],
  [
    'An answer of the service',
    `${bytes(defaultLimits.answerBytes)} decoded; the whole catalog ${bytes(defaultLimits.searchBytes)}`,
  ],
  ['Waiting for a job in one call', `fitted to the client, else ${defaultWaits.wait} s; then a \`job_id\``],
  [
    'Connecting; a request to the service',
    `${time(defaultLimits.connectMs)}; ${time(defaultLimits.totalMs)}, with up to ${maxAttempts} attempts where nothing can be done twice`,
  ],
  ['Submitting a task', `${time(defaultTimeLimits.submitMs)}, then \`unknown\``],
  ['The same call joins its run', `until its answer arrived, or ${time(undeliveredMs)} after the run ended`],
  ['`unknown` blocks the same call', time(unknownBlockMs)],
  ['A sign-in page; signing in to the site', `${time(pageLifetimeMs)}; ${time(loginTimeoutMs)}`],
  ['A confirmation that the user was asked for', time(questionSeconds * 1000)],
  [
    "HTTP: a request's body; bodies of one key that have not arrived whole; a batch",
    `${bytes(http.bodyBytes)}, ${maxBodyDepth} levels; ${bytes(http.bodyBytesInAll)}; ${http.batch} messages`,
  ],
  [
    'HTTP: requests, calls at once, sessions of one key',
    `${count(http.requestsPerMinute)} in a minute; ${http.calls}; ${http.sessions}, each counted by each process`,
  ],
  [
    'HTTP: a session that nobody uses; keys in use at once',
    `ends after ${time(http.idleSessionMs)}; ${count(http.principals)}`,
  ],
];
