/** nginx with the configuration of a worked example, in front of replicas on this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createCertificate, hasOpenssl } from './certificate.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './gateway.ts';
import { exampleFile } from './replicas.ts';
import { send } from './sign-in-pages.ts';

const programs = ['/usr/sbin/nginx', '/usr/bin/nginx', '/opt/homebrew/bin/nginx', '/usr/local/bin/nginx'];
const nginx = programs.find((path) => existsSync(path));
export const hasNginx = nginx !== undefined && hasOpenssl;
if (!hasNginx) {
  process.stderr.write(
    '\nSKIPPED: nginx or openssl is not installed. The load balancer of examples/replicas is not tried. On Debian: apt-get install nginx-light openssl\n\n',
  );
}

export interface Balancer {
  readonly origin: string;
  /** The certificate that clients have to trust. */
  readonly ca: string;
  /** Starts to pass requests on to replicas at these ports. */
  start(ports: readonly [string, string]): Promise<void>;
  close(): Promise<void>;
}

/** The address is known before the replicas, which have to know it, are. `file`: as for `exampleFile`. */
export async function prepareNginx(file = 'nginx.conf'): Promise<Balancer> {
  if (nginx === undefined) throw new Error('nginx is not installed');
  const program = nginx;
  const folder = await temporaryFolder();
  const { cert: ca, file: certificate, keyFile: key } = await createCertificate(folder, ['DNS:localhost']);
  const port = await freePort();
  const origin = `https://localhost:${port}`;
  let close = async () => {};
  return {
    origin,
    ca,
    async start([one, two]) {
      const example = (await exampleFile(file))
        // Of the example of one server.
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${one}`)
        .replaceAll('10.0.0.11:8080', `127.0.0.1:${one}`)
        .replaceAll('10.0.0.12:8080', `127.0.0.1:${two}`)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('/etc/nginx/tls/tools.example.com.pem', certificate)
        .replace('/etc/nginx/tls/tools.example.com.key', key);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name)};`,
      );
      const config = join(folder, 'nginx.conf');
      await writeFile(
        config,
        `${process.getuid?.() === 0 ? 'user root;' : ''}
        daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log ${join(folder, 'errors')} warn;
        events {}
        http { access_log ${join(folder, 'accesses')}; ${temporary.join(' ')}
        ${example}
        }`,
      );
      const child = spawn(program, ['-p', folder, '-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
      let complaints = '';
      child.stderr.on('data', (chunk) => {
        complaints += chunk;
      });
      close = async () => {
        if (child.exitCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'exit');
      };
      await vi.waitFor(
        async () => {
          if (child.exitCode !== null) throw new Error(complaints);
          await send(`${origin}/healthz`, { ca });
        },
        { timeout: 10_000 },
      );
    },
    close: () => close(),
  };
}
