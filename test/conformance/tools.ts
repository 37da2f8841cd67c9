// Other people's programs, as the operating system's packages bring them: LibreOffice, xmllint, Python's feedparser, newsboat,
// Chromium, PHP, Go, pgbouncer, Redis, GDAL; and the packages of this folder's own package.json.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program and answers its standard output; rejects when it fails. */
export async function program(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Python of the operating system, where its packages put their modules. */
export const PYTHON = '/usr/bin/python3';

/** Chromium without the parts that draw a window, which take processor time even when none is shown; else the whole browser. */
export const CHROMIUM: string =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? 'chromium';

/**
 * Why a program cannot be asked, as a test's title says it; null when it can. In CI every program has to be there.
 */
export function missing(command: string, ...probe: string[]): string | null {
  const found = spawnSync(command, probe, { stdio: 'ignore' });
  return found.status === 0 || process.env.CI === 'true' ? null : `${command} is not installed here`;
}

/**
 * A module of this folder's own packages, as `T` describes what is used of it, so that types and lint need none of them
 * installed.
 */
export async function loadJudge<T>(specifier: string): Promise<T> {
  return (await import(specifier)) as T;
}
