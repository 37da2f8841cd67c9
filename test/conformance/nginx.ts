// nginx in front of a service, for as long as a test runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../docs/free-port.ts';

/** Starts it. @param inHttp what stands in its `http` block; `FOLDER` is a folder of its own @returns its port */
export async function startNginx(inHttp: (port: number) => string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-nginx-'));
  const port = await freePort();
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; worker_processes 1; worker_rlimit_nofile 8192; pid ${folder}/pid; error_log stderr;
     events { worker_connections 4096; }
     http {
       access_log off;
       client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
       uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
       ${inHttp(port).replaceAll('FOLDER', folder)}
     }`,
  );
  const nginx = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const ended = once(nginx, 'exit');
  onTestFinished(async () => {
    nginx.kill();
    await ended;
    await rm(folder, { recursive: true });
  });
  return port;
}

/** The configuration of deploy/ without TLS, on a port, in front of a service. */
export function asDeployed(port: number, origin: string): string {
  return readFileSync(join(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
    .replace('/var/cache/nginx/gazette', 'FOLDER/cache')
    .replace('listen 80;', 'listen unix:FOLDER/redirect;')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} backlog=4096;`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
    .replaceAll('http://127.0.0.1:8080', origin);
}
