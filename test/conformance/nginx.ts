// nginx in front of a service, for as long as a test runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
