/** Pages that flood the channel by which a browser is driven, or the machine: each by a script that never ends. */

const worker = (code: string, count = 1) =>
  `const source = URL.createObjectURL(new Blob([${JSON.stringify(code)}]));
   for (let i = 0; i < ${count}; i += 1) new Worker(source);`;
const often = (code: string) => `setInterval(() => { ${code} });`;
const times = (count: number, code: string) => `for (let i = 0; i < ${count}; i += 1) { ${code} }`;

const scripts: Readonly<Record<string, string>> = {
  'logs of 30 MB': `const text = 'x'.repeat(3e7); ${often('console.log(text)')}`,
  'logs of a worker without end': worker("for (;;) console.log('x')"),
  'logs of 30 MB of a worker': worker("const text = 'x'.repeat(3e7); for (;;) console.log(text)"),
  'errors of 20 MB': `const text = 'x'.repeat(2e7); ${often('throw new Error(text)')} ${often('throw text')}`,
  'refused promises': `const text = 'x'.repeat(2e7); ${often('Promise.reject(new Error(text))')}`,
  '2,000 errors a turn': often(times(2_000, 'setTimeout(() => { throw 1; })')),
  'dialogs without end': 'for (;;) alert(1);',
  'dialogs of 10 MB': `const text = 'x'.repeat(1e7); ${often('alert(text); confirm(text); prompt(text)')}`,
  'questions before it is left': `onbeforeunload = () => 'x'; ${often('location.reload()')}`,
  'windows without end': often(
    times(
      100,
      "open('/'); const a = document.createElement('a'); a.href = '/'; a.target = '_blank'; a.click()",
    ),
  ),
  '200 frames a turn': often(times(200, "document.body.append(document.createElement('iframe'))")),
  'frames of data': `const source = 'data:text/html,' + 'x'.repeat(1e6);
    ${often("const f = document.createElement('iframe'); f.src = source; document.body.append(f); setTimeout(() => f.remove(), 20)")}`,
  'requests for data': `const source = 'data:,' + 'x'.repeat(5e6); ${often(times(20, 'fetch(source)'))}`,
  'data in place of itself': "location = 'data:text/html,<script>for (;;);</script>';",
  'addresses of 1 MB': `const text = 'x'.repeat(1e6); let n = 0; ${often(times(200, "history.replaceState(null, '', '?' + text + (n += 1))"))}`,
  '500 fragments a turn': `let n = 0; ${often(times(500, 'location.hash = n += 1'))}`,
  'a million elements': `document.body.append(...Array.from({ length: 1e6 }, () => document.createElement('i')));`,
  'a million changes': often(times(1e6, "document.body.append('x'); document.body.lastChild.remove()")),
  '200 sockets a turn': often(times(200, "new WebSocket('ws://' + location.host + '/' + 'x'.repeat(1e5))")),
  '100 busy workers': worker('for (;;);', 100),
  'workers that come and go': `const source = URL.createObjectURL(new Blob(['1'])); ${often(times(20, 'new Worker(source).terminate()'))}`,
  '50 shared workers': `const source = URL.createObjectURL(new Blob(['for (;;);']));
    ${times(50, "new SharedWorker(source, 'w' + i)")}`,
};

/** By name. */
export const floodPages: ReadonlyMap<string, string> = new Map(
  Object.entries(scripts).map(([name, script]) => [
    name,
    `<!doctype html><title>Flood</title><body><p>A page.</p><script>${script.replaceAll('</script', '<\\/script')}</script>`,
  ]),
);
