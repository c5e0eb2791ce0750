/** `SVC_FETCH_PROXY` as users set it: a tunnel to sites with encryption, a proxy with encryption of its own, and the browser. */
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserPaths } from '../support/browser.ts';
import { type Certificate, createCertificate, hasOpenssl } from '../support/certificate.ts';
import { temporaryFolder } from '../support/gateway.ts';
import { type Environment, endPrograms, runProgram } from '../support/program.ts';

const text = 'The harbour was rebuilt in the spring, and masons from three valleys came to set its stones.';
const servers: Server[] = [];
let certificate: Certificate;
let sitePort: number;

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const site: RequestListener = ({ url }, response) => {
  if (url === '/robots.txt') return response.writeHead(404).end();
  const script = `document.body.innerHTML = '<main><h1>Harbour</h1><p>${text}</p></main>'`;
  const body = url?.endsWith('/app')
    ? `<script>${script}</script>`
    : `<main><h1>Harbour</h1><p>${text}</p></main>`;
  return response.setHeader('content-type', 'text/html').end(`<title>Harbour</title><body>${body}`);
};

beforeAll(async () => {
  if (!hasOpenssl) return;
  certificate = await createCertificate(await temporaryFolder(), ['DNS:shop.example', 'IP:127.0.0.1']);
  sitePort = await listen(createServer(certificate, site));
});
afterEach(endPrograms);
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** Leads every tunnel to the site, and answers whole addresses as the site does. */
async function startProxy(isEncrypted: boolean) {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    site(request, response);
  };
  const server = isEncrypted ? createServer(certificate, answer) : createPlainServer(answer);
  server.on('connect', (request, client) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    client.on('error', () => {});
    const target = connect(sitePort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  return { asked, host: `127.0.0.1:${await listen(server)}` };
}

async function readPage(url: string, environment: Environment) {
  const folder = await temporaryFolder();
  const { stdout } = await runProgram(['call', 'web_page', JSON.stringify({ url }), '--json'], {
    SVC_DATA_DIR: folder,
    SVC_BROWSER: 'off',
    ...environment,
  });
  return JSON.parse(stdout);
}

describe.skipIf(!hasOpenssl)('behind a proxy', () => {
  it('a site with encryption is read through a tunnel, and its certificate is checked', async () => {
    const { asked, host } = await startProxy(false);
    const settings = { SVC_FETCH_PROXY: `http://user:pass@${host}` };
    const read = await readPage('https://shop.example/', {
      ...settings,
      NODE_EXTRA_CA_CERTS: certificate.file,
    });
    expect(read).toMatchObject({ status: 'completed', data: { title: 'Harbour' } });
    expect(read.data.main).toContain(text);
    expect(new Set(asked)).toEqual(new Set([`CONNECT shop.example:443 Basic ${btoa('user:pass')}`]));
    const untrusted = await readPage('https://shop.example/', settings);
    expect(untrusted).toMatchObject({ status: 'failed', credits_used: 0 });
    expect(untrusted.error.message).toMatch(/certificate/i);
  });

  it('that is reached with encryption, sites with and without it are read', async () => {
    const { asked, host } = await startProxy(true);
    const environment = { SVC_FETCH_PROXY: `https://${host}`, NODE_EXTRA_CA_CERTS: certificate.file };
    for (const url of ['https://shop.example/', 'http://shop.example/list']) {
      const read = await readPage(url, environment);
      expect(read).toMatchObject({ status: 'completed', data: { title: 'Harbour' } });
    }
    expect(asked).toContain('CONNECT shop.example:443');
    expect(asked).toContain('GET http://shop.example/list');
  });

  it.skipIf(browserPaths.length === 0)('the browser shows a page that needs its scripts', async () => {
    const { asked, host } = await startProxy(false);
    const read = await readPage('http://shop.example/app', {
      SVC_FETCH_PROXY: `http://${host}`,
      SVC_BROWSER: browserPaths[0] ?? '',
      SVC_BROWSER_SANDBOX: 'off',
    });
    expect(read).toMatchObject({ status: 'completed', data: { title: 'Harbour' } });
    expect(read.data.main).toContain(text);
    expect(asked.filter((line) => line === 'GET http://shop.example/app')).toHaveLength(2);
  });
});
