// What can be checked of the files for deployment without a registry of images: that what they name exists, that our own
// command line takes their commands and variables, and that the health check tells a service from none.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Undescribed, variableOf } from '../../src/cli/command.ts';
import { serveCommand } from '../../src/cli/commands/serve.ts';
import { CONFIG_VARIABLE, createProgram } from '../../src/cli/program.ts';
import { SECRETS_KEY_VARIABLE } from '../../src/webhooks/send/secret-box.ts';
import { makeStore, serve } from '../cli/served.ts';
import { freePort } from '../docs/free-port.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const DOCKERFILE = read('Dockerfile');
const COMPOSE = read('compose.yaml');
const UNIT = read('deploy/gazette.service');
const CADDYFILE = read('deploy/Caddyfile');
const NGINX = read('deploy/nginx.conf');
const PACKAGE = JSON.parse(read('package.json')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

const KNOWN = new Set([
  CONFIG_VARIABLE,
  SECRETS_KEY_VARIABLE,
  ...Object.keys(serveCommand.options).map((name) => variableOf(name)),
]);

/** What the command line makes of a service's arguments and variables. */
async function parsed(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const io = { ...process, env };
  let options: Record<string, unknown> = {};
  const serve: Undescribed = { ...serveCommand, run: (_, given) => void (options = given) };
  const program = createProgram({ serve }, io, new AbortController().signal, { sources: { env, read: null } });
  await program.parseAsync(args, { from: 'user' });
  return options;
}

/** The JSON list behind an instruction. */
function listOf(instruction: string): readonly string[] {
  const [, list] = new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(DOCKERFILE)!;
  return JSON.parse(list!) as string[];
}

/** `NAME=value` or `NAME: value` of gazette's own variables. */
function variablesOf(text: string, sign: '=' | ': '): Readonly<Record<string, string>> {
  const found = text.matchAll(new RegExp(`^[ A-Za-z=]*?\\b(GAZETTE_[A-Z_]+)${sign}(.*?)(?: \\\\)?$`, 'gm'));
  return Object.fromEntries(Array.from(found, ([, name, value]) => [name!, value!.replace(/^'(.*)'$/, '$1')]));
}

describe('the Dockerfile', () => {
  it('copies what there is, and what .dockerignore sends', () => {
    const sent = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = Array.from(DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, names]) =>
      names!.split(' '),
    ).flat();
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    expect(copied.map((name) => name.replace(/^\.\//, '')).filter((name) => !sent.includes(name))).toEqual([]);
    expect(sent.filter((name) => !copied.includes(name))).toEqual([]);
  });

  it('starts our own program as a user without rights, on all addresses, with a store on the volume', async () => {
    expect(listOf('ENTRYPOINT')).toEqual(['node', `/app/node_modules/gazette/${PACKAGE.bin.gazette!}`]);
    expect(DOCKERFILE.indexOf('USER node')).toBeGreaterThan(DOCKERFILE.lastIndexOf('FROM '));
    const env = variablesOf(DOCKERFILE, '=');
    expect(Object.keys(env).filter((name) => !KNOWN.has(name))).toEqual([]);
    expect(await parsed(listOf('CMD'), env)).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      store: 'sqlite:/data/gazette.db',
    });
    expect(DOCKERFILE).toContain('EXPOSE 8080\n');
    expect(DOCKERFILE).toContain('VOLUME /data\n');
  });

  it('brings peers in the versions that the package takes', () => {
    const peers = Array.from(
      DOCKERFILE.matchAll(/ ([a-z][a-z-]*)@(\d+)/g),
      ([, name, major]) => [name!, major!] as const,
    );
    expect(peers.map(([name]) => name)).toEqual(['pg', 'nodemailer', 'hyparquet-writer']);
    for (const [name, major] of peers) expect(PACKAGE.peerDependencies[name]).toMatch(new RegExp(`^\\^${major}\\.`));
  });

  it('has a health check that tells a service from none, without curl', async () => {
    const [, line] = /^HEALTHCHECK .*\n {2}CMD (\[.*\])$/m.exec(DOCKERFILE)!;
    const [node, ...args] = JSON.parse(line!) as string[];
    expect(node).toBe('node');
    const check = (port: string): number | null => {
      return spawnSync(process.execPath, args, { env: { ...process.env, GAZETTE_PORT: port } }).status;
    };
    expect(check(String(await freePort()))).toBe(1);
    const { path } = await makeStore(1);
    const { api, child, ended } = await serve(path);
    expect(check(new URL(api).port)).toBe(0);
    child.kill('SIGTERM');
    await ended;
  });
});

describe('compose.yaml', () => {
  it('gives the service variables that it knows, and our command line takes them', async () => {
    const env = variablesOf(/^ {2}gazette:\n(?: {3,}.*\n)+/m.exec(COMPOSE)![0], ': ');
    expect(Object.keys(env).filter((name) => !KNOWN.has(name))).toEqual([]);
    const filled = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value.replace(/\$\{(\w+):[?-][^}]*\}/g, 'x')]),
    );
    expect(await parsed(['serve'], filled)).toMatchObject({
      store: 'postgres://gazette:x@db/gazette',
      baseUrl: 'https://x',
      trustProxy: true,
    });
  });

  it('names files that exist, and all that .env has to say in its head', () => {
    const files = Array.from(COMPOSE.matchAll(/- \.\/(deploy\/\S+?):/g), ([, file]) => file!);
    expect(files).toEqual(['deploy/Caddyfile']);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const asked = new Set(Array.from(COMPOSE.matchAll(/\$\{(\w+):/g), ([, name]) => name!));
    const head = COMPOSE.slice(0, COMPOSE.indexOf('services:'));
    expect([...asked].filter((name) => !head.includes(`${name}=`))).toEqual([]);
    expect(asked.size).toBe(3);
  });

  it('has no volume that it does not declare', () => {
    const [services, volumes] = COMPOSE.split(/^volumes:$/m) as [string, string];
    const used = Array.from(services.matchAll(/^ {6}- ([a-z]+):\//gm), ([, name]) => name!);
    expect(used.toSorted()).toEqual(Array.from(volumes.matchAll(/^ {2}([a-z]+):$/gm), ([, name]) => name!).toSorted());
  });
});

it('Caddy and nginx ask the service where it is', () => {
  expect(CADDYFILE).toContain('{$GAZETTE_DOMAIN} {\n\treverse_proxy gazette:8080\n}\n');
  expect(COMPOSE).toMatch(/^ {6}GAZETTE_DOMAIN: \$\{GAZETTE_DOMAIN:\?/m);
  expect(NGINX).toContain('proxy_pass http://127.0.0.1:8080;');
  // What a client says of itself must not reach the service.
  expect(NGINX).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
  expect(NGINX).toContain('proxy_set_header X-Forwarded-Proto $scheme;');
});

it('the unit of systemd starts our command with settings that it knows', async () => {
  const env = variablesOf(UNIT, '=');
  expect(Object.keys(env).filter((name) => !KNOWN.has(name))).toEqual([]);
  const { [CONFIG_VARIABLE]: config, ...rest } = env;
  expect(config).toBe('/etc/gazette/gazette.json');
  const [, args] = /^ExecStart=\/usr\/local\/bin\/gazette (.*)$/m.exec(UNIT)!;
  expect(await parsed(args!.split(' '), rest)).toMatchObject({ store: 'sqlite:/var/lib/gazette/gazette.db' });
  expect(UNIT).toMatch(/^StateDirectory=gazette$/m);
});

it('docs/deploy.md shows parts of these files as they are', () => {
  const page = read('docs/deploy.md');
  const blocks = Array.from(page.matchAll(/^```(?:ini|nginx)\n([\s\S]*?)^```$/gm), ([, code]) => code!);
  expect(blocks.map((code) => [UNIT, NGINX].some((file) => file.includes(code)))).toEqual([true, true]);
});
