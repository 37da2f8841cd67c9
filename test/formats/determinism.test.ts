import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/formats/index.ts';

/** What write-digests.ts prints. */
interface Output {
  readonly digests: Readonly<Record<string, string>>;
  readonly zone: number;
  readonly locale: string;
  readonly year: number;
  readonly random: number;
}

const program = (name: string): string => fileURLToPath(new URL(`determinism/${name}`, import.meta.url));

/** Runs the writers in a process of its own. */
async function write(environment: Readonly<Record<string, string>>, preload: readonly string[]): Promise<Output> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...preload.flatMap((name) => ['--import', program(name)]), program('write-digests.ts')],
    { env: { ...process.env, ...environment } },
  );
  return JSON.parse(stdout) as Output;
}

describe('the same input in two processes with different time zones, locales and clocks', () => {
  let here: Output;
  let there: Output;

  beforeAll(async () => {
    [here, there] = await Promise.all([
      write({ TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' }, []),
      write({ TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }, ['shift-clock.ts']),
    ]);
  });

  it('stands in surroundings that do differ', () => {
    expect(there.zone).not.toBe(here.zone);
    expect(there.locale).not.toBe(here.locale);
    expect(there.year).toBeGreaterThan(here.year + 10);
    expect(there.random).toBe(0.5);
  });

  it.each(FORMAT_NAMES)('gives the same bytes: %s', (name) => {
    expect(here.digests[name]).toMatch(/^[0-9a-f]{64}$/);
    expect(there.digests[name]).toBe(here.digests[name]);
  });
});
