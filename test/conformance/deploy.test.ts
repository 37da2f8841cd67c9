// The files for deployment, judged by the programs that read them: systemd and nginx.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { missing, program } from './tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gazette-deploy-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A file of deploy/ for this machine. */
function placed(name: string, replaced: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  const text = readFileSync(join(ROOT, 'deploy', name), 'utf8');
  writeFileSync(
    path,
    Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text),
  );
  return path;
}

const noSystemd = missing('systemd-analyze', '--version');
it.skipIf(noSystemd !== null)(`systemd takes the unit${noSystemd === null ? '' : ` (${noSystemd})`}`, async () => {
  // It looks whether the program is there.
  const unit = placed('gazette.service', { '/usr/local/bin/gazette': process.execPath });
  await expect(program('systemd-analyze', 'verify', '--man=no', '--recursive-errors=no', unit)).resolves.toBeDefined();
  const broken = placed('gazette.service', { '/usr/local/bin/gazette': join(folder, 'none') });
  await expect(program('systemd-analyze', 'verify', '--man=no', '--recursive-errors=no', broken)).rejects.toThrow();
});

const noNginx = missing('nginx', '-v');
it.skipIf(noNginx !== null)(`nginx takes the configuration${noNginx === null ? '' : ` (${noNginx})`}`, async () => {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=registers.example.org', '-days', '1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject],
    {
      stdio: 'ignore',
    },
  );
  const site = placed('nginx.conf', {
    '/var/cache/nginx/gazette': join(folder, 'cache'),
    '/etc/letsencrypt/live/registers.example.org/fullchain.pem': certificate,
    '/etc/letsencrypt/live/registers.example.org/privkey.pem': key,
    'listen 80;': `listen unix:${folder}/http;`,
    'listen 443 ssl;': `listen unix:${folder}/https ssl;`,
  });
  const whole = join(folder, 'whole.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  writeFileSync(whole, `pid ${folder}/pid; events {} http { access_log off; ${temporary.join(' ')} include ${site}; }`);
  await expect(program('nginx', '-t', '-e', 'stderr', '-p', folder, '-c', whole)).resolves.toBeDefined();
});
