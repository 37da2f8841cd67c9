// Go's `sumdb/note` and `sumdb/tlog` as a judge of logs (Debian: golang-go, golang-golang-x-mod-dev), built offline.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missing, program } from '../tools.ts';

/** Where Debian puts the sources of Go's packages. */
const GOPATH = '/usr/share/gocode';

/** Go without modules and without a network. */
const ENVIRONMENT = { ...process.env, GO111MODULE: 'off', GOPATH, GOFLAGS: '', GOTOOLCHAIN: 'local', GOPROXY: 'off' };

/** Why Go cannot be asked; null when it can. */
export const missingGo: string | null =
  missing('go', 'version') ?? missing('test', '-d', `${GOPATH}/src/golang.org/x/mod/sumdb/tlog`);

/** A log as the judge gets it. */
export interface JudgedLog {
  readonly vkey: string;
  readonly origin: string;
  readonly checkpoint: string;
  /** Tiles of hashes and of entries by their paths, in base 64. */
  readonly tiles: Readonly<Record<string, string>>;
  /** Entries with their proofs, all in base 64. */
  readonly inclusion: readonly { readonly index: number; readonly entry: string; readonly hashes: readonly string[] }[];
  /** An earlier checkpoint, and the proof that the log begins with it. */
  readonly before: { readonly checkpoint: string; readonly hashes: readonly string[] } | null;
}

/** The judge, built once. */
export class GoJudge {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async build(): Promise<GoJudge> {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-judge-'));
    const source = fileURLToPath(new URL('judge.go', import.meta.url));
    const environment = Object.entries({ ...ENVIRONMENT, GOCACHE: join(folder, 'cache') });
    const variables = environment.map(([name, value]) => `${name}=${value}`);
    await program('env', ...variables, 'go', 'build', '-o', join(folder, 'judge'), source);
    return new GoJudge(folder);
  }

  /** What Go says of each log: `accepted`, or what is wrong. */
  async judge(logs: readonly JudgedLog[]): Promise<readonly string[]> {
    const child = spawn(join(this.#folder, 'judge'), { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify(logs));
    const said = await text(child.stdout);
    return said.trimEnd().split('\n');
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}
