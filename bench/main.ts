/** `npm run bench [part …] [folder of pages]`: every figure beside a baseline that was measured in the same run. */
import { benchCallKinds } from './call-kinds.ts';
import { benchCalls, benchCallsQuickly } from './calls.ts';
import { benchHttp } from './http.ts';
import { benchLists } from './lists.ts';
import { benchPolling } from './polling.ts';
import { benchScale } from './scale.ts';
import { benchService } from './service.ts';
import { benchSessions } from './sessions.ts';
import { benchStart } from './start.ts';
import { benchWeb } from './web.ts';

const asked = process.argv.slice(2);

const parts: Record<string, () => Promise<void>> = {
  start: benchStart,
  calls: benchCalls,
  'call-kinds': benchCallKinds,
  lists: benchLists,
  http: benchHttp,
  sessions: benchSessions,
  polling: benchPolling,
  service: benchService,
  scale: benchScale,
  // The argument after it is the folder of the pages.
  web: () => benchWeb(asked[asked.indexOf('web') + 1]),
};

/** What `npm run bench` prints when nothing is asked for by name is all of them but this. */
const quick = { quick: benchCallsQuickly };

for (const [name, part] of Object.entries(asked.length === 0 ? parts : { ...parts, ...quick }))
  if (asked.length === 0 || asked.includes(name)) await part();
