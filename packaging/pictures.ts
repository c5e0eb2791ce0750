/**
 * `npm run pictures`: docs/chat.svg and docs/preview.svg from what the program answers, and with a browser (`SVC_BROWSER`, else
 * `chromium`) docs/console.png. Needs `dist/`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import * as z from 'zod';

const root = resolve(import.meta.dirname, '..');
const program = join(root, 'dist/cli/main.js');
const lineHeight = 20;
const characterWidth = 8.4;
const margin = 24;

interface Line {
  readonly text: string;
  /** Said by the person; else it is an answer. */
  readonly isAsked?: boolean;
}

const asXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Lines as a terminal shows them, readable on a light and on a dark page. */
function draw(title: string, lines: readonly Line[]): string {
  const columns = Math.max(...lines.map(({ text }) => text.length));
  const width = Math.ceil(columns * characterWidth) + 2 * margin;
  const height = lines.length * lineHeight + 2 * margin;
  const texts = lines.map(
    ({ text, isAsked }, index) =>
      `<text x="${margin}" y="${margin + lineHeight * (index + 0.8)}" fill="${isAsked ? '#0b57d0' : '#1f2328'}">${asXml(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${asXml(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#f6f8fa" stroke="#8c959f"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" style="white-space: pre">
${texts.join('\n')}
</g>
</svg>
`;
}

const Started = z.object({ base_url: z.string(), api_key: z.string(), practice_url: z.string() });
const Books = z.object({ data: z.array(z.object({ title: z.string(), price: z.number() })) });

const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-pictures-'));
const env = { PATH: process.env.PATH, SVC_DATA_DIR: folder };
const service = spawn(process.execPath, [program, 'service', '--port', '0'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [line] = await once(service.stdout, 'data');
  const started = Started.parse(JSON.parse(String(line)));
  const run = async (...args: string[]): Promise<string> => {
    const remote = { SVC_BASE_URL: started.base_url, SVC_API_KEY: started.api_key };
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      env: { ...env, ...remote },
    });
    return stdout.replaceAll(started.practice_url, 'https://weather.example').trimEnd();
  };

  const select = 'items[?in_stock].{title: title, price: price} | [:3]';
  const args = JSON.stringify({ max_pages: 5, select });
  const { data } = Books.parse(JSON.parse(await run('call', 'bookshop_list_books', args)));
  const chat: Line[] = [
    { text: 'You    Which books are in stock? Name three, with their prices.', isAsked: true },
    { text: '' },
    { text: 'Agent  calls bookshop_list_books (1 credit)' },
    { text: `       max_pages 5, select "${select}"` },
    { text: '' },
    { text: 'Agent  These three are in stock:' },
    ...data.map(({ title, price }) => ({ text: `       - ${title}, ${price.toFixed(2)}` })),
  ];
  await writeFile(join(root, 'docs/chat.svg'), draw('A chat with an agent that uses svc-mcp', chat));

  const preview = await run('build', `${started.practice_url}/stations/`, '--preview');
  const [table = ''] = preview.split('\n\np1:');
  const shown = table
    .split('\n')
    .map((text) => ({ text: text.length > 90 ? `${text.slice(0, 89)}…` : text }));
  const command = { text: '$ svc-mcp build https://weather.example/stations/ --preview', isAsked: true };
  await writeFile(join(root, 'docs/preview.svg'), draw('The preview of a build', [command, ...shown]));

  for (const tool of ['quotes_list', 'stations_list', 'bookshop_new_books'])
    await run('call', tool).catch(() => '');
  const executablePath = process.env.SVC_BROWSER ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(started.base_url);
  await page.getByLabel('API key').fill(started.api_key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading').first().waitFor();
  await page.screenshot({ path: join(root, 'docs/console.png') });
  await browser.close();
} finally {
  service.kill();
  await once(service, 'exit');
  await rm(folder, { recursive: true });
}
